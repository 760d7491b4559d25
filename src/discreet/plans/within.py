"""From the errors wanted to the noise that keeps them: the other direction of a plan.

The chance with which one interval may miss, where all of a question or of a plan hold together.

Rules of this module:
- the prices of questions add up, each in its own noise, so that the least price of all is the sum
  of each one's least: no question is asked about another;
- each question gets the noise of the least cost, of six digits, that keeps its wanted half-width;
- what is compared are exact rationals: an error is kept, or it is not;
- all numbers of such a question, or of all questions of a plan, miss together with probability at
  most alpha; numbers with noise of their own share it out by the exact product (`post.together`),
  others by adding up;
- the list of the numbers is public: keys, bins and columns that were declared.

Numbers of one group that are made of one vector's same integers depend on each other: d of them
hold with at least 1 - (chance that any misses), at most d times that of one. Groups are independent
of each other, because each integer has noise of its own; so are questions, where none shares a
vector with another. Where each number misses with t, n groups of d numbers for each question then
hold at once with at least the product of all (1 - d t)^n, which is 1 - alpha.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, cast

from ..aggregate import Aggregate
from ..errors import InputError, shown
from ..exact.number import Number, text_of
from ..fix import BLANK, leave_out, write
from ..noise.law import Law
from ..noise.registry import law_in
from ..post.together import level_among
from ..privacy.loss import Loss
from ..schema import Table
from ..statistic.ask import Ask, Within, needs_rows, needs_size, within_of
from ..statistic.statistic import Expected, Statistic
from .line import cost_in, law_for
from .search import least_loss, most

ROWS = 1_000  # a mean's error bar is shown for a group of this many rows, where none is said
_ANY = Fraction(1, 20)
_SHOWN = 8  # questions that a fix has a place for
_FAR = 2**20  # a half-width from which others are guessed


def given_within(
    statistics: Sequence[Statistic], within: Number | Within | Sequence[Number] | None
) -> list[Statistic]:
    """Return questions with the errors that a plan as a whole was given.

    One error is for each question that has none of its own; a list has one for each question.

    Raises:
        InputError: a list of another length, or an error that is not above 0.
    """
    if within is None:
        return [*statistics]
    if not isinstance(within, (list, tuple)):
        wanted = within_of(cast("Number | Within", within))
        return [
            statistic if (statistic.ask.within or statistic.ask.spend) else _with(statistic, wanted)
            for statistic in statistics
        ]
    questions = len(statistics)
    if len(within) != questions:
        raise InputError(
            f"within has {len(within)} errors for {questions} questions.",
            kind="within-wrong",
            why="each question has its own scale: rows, units, or what its column is measured in",
            fix=(
                write(", for all questions", within=BLANK),
                write(", for each, in their order", within=[BLANK] * min(questions, _SHOWN)),
            ),
        )
    return [
        _with(statistic, within_of(error))
        for statistic, error in zip(statistics, within, strict=True)
    ]


def with_sizes(table: Table, statistics: Sequence[Statistic]) -> list[Statistic]:
    """Return questions of all rows with the number of rows, or of units, that is public."""
    return [_sized(table, statistic) for statistic in statistics]


def _sized(table: Table, statistic: Statistic) -> Statistic:
    ask = statistic.ask
    part = ask.by or ask.where is not None or table.condition is not None
    if part or ask.rows is not None:
        return statistic
    name = str(statistic.plain()["statistic"])
    size = table.facts.units if name == "count_units" else _rows_that_count(table, ask)
    if size is None or not _takes_rows(name):
        return statistic
    question: Any = statistic
    return cast("Statistic", replace(question, ask=replace(ask, rows=size)))


def _takes_rows(name: str) -> bool:
    from ..statistic.catalog import takes

    return takes(name, "rows")


def _rows_that_count(table: Table, ask: Ask) -> int | None:
    """Return how many rows are counted at most, of which all or few may be limited away."""
    facts, limits = table.facts, (table.unit.max_rows, ask.max_rows_per_group)
    each = min((limit for limit in limits if limit is not None), default=None)
    if facts.rows is None or table.unit.column is None or each is None:
        return facts.rows
    return None if facts.units is None else min(facts.rows, facts.units * each)


def wider(statistic: Statistic, factor: Fraction) -> Statistic:
    """Return a question with its wanted error so many times as wide."""
    within = statistic.ask.within
    return statistic if within is None else _with(statistic, within.wider(factor))


def _with(statistic: Statistic, within: Within) -> Statistic:
    """Return a question with a wanted error, which takes the place of its weight."""
    question: Any = statistic
    return cast("Statistic", replace(question, ask=replace(question.ask, within=within, weight=1)))


@dataclass(frozen=True, slots=True)
class Goal:
    """A question, and the wanted error that it must keep, where it has one.

    Attributes:
        statistic, table, aggregates: the question.
        alpha: the chance that one of its intervals may miss.
        shares: of several vectors, what is expected at each share of the loss. Goals that differ in
            the wanted error alone have one, so that no search works it out again.
    """

    statistic: Statistic
    table: Table
    aggregates: tuple[Aggregate, ...]
    alpha: Fraction
    shares: dict[Loss, Expected] | None = field(default=None, repr=False, compare=False)
    _edges: dict[type[Law], tuple[Law, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _widths: list[int] = field(default_factory=list, init=False, repr=False, compare=False)
    _vectors: dict[str, tuple[tuple[Fraction, ...] | None, tuple[Aggregate, ...]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def kept(self, laws: Sequence[Law]) -> bool:
        """Tell whether noise keeps the wanted error."""
        expected = self.statistic.expected(self.table, laws, self.alpha)
        return expected.half_width <= self.most(expected)

    def most(self, expected: Expected) -> Fraction:
        """Return the widest half-width, as it is expected: with per_row not yet divided.

        Raises:
            InputError: the error is one of a mean without rows, or a share of nothing public.
        """
        ask, label = self.statistic.ask, self.statistic.label
        within = ask.within or Within(Fraction(1))
        if expected.per_row and ask.rows is None:
            raise needs_rows(label, within)
        if within.relative and expected.whole is None:
            kinds = {
                measure.kind for aggregate in self.aggregates for measure in aggregate.measures
            }
            raise needs_size(label, within, counts="cells" not in kinds and self._takes_rows())
        whole = (expected.whole or 1) if within.relative else 1
        return within.amount * whole * ((ask.rows or 1) if expected.per_row else 1)

    def laws(self, kind: str) -> tuple[Law, ...]:
        """Return the noise of the least price, in a kind of loss, that keeps the error; or that of
        the question's own loss.

        Raises:
            InputError: no noise keeps it, or the error is none that noise can be asked to keep.
        """
        own = self.statistic.ask.spend
        if own is not None:  # alike for all its vectors
            vectors = len(self.counted(own.kind))
            count = vectors if self._vectors[own.kind][0] is None else 1
            return self.divided(own.times(Fraction(1, count)).few_down())[1]
        chances = self.checked()
        try:
            if self.statistic.shares(self.table, kind) is not None:
                return self._shared(kind)
            if len(chances) > 1 or len(self.aggregates) > 1:
                return self._shared(kind)
            law = law_in(kind, chooses=self.aggregates[0].choice is not None)
            if law not in self._edges:  # it is the same in each kind of loss that the law knows
                self._edges[law] = (law.widest(self._width(chances), *chances),)
            return self._edges[law]
        except InputError:
            within = cast("Within", self.statistic.ask.within).plain()
            raise InputError(
                f"no noise keeps within = {within} of {self.statistic.label}.",
                kind="within-out-of-reach",
                why="noise on a grid is never narrower than one step, and never nearly nothing",
                fix="ask for a wider interval, or declare the column with a smaller step",
                at="within",
            ) from None

    def _width(self, chances: dict[Fraction, None]) -> int:
        """Return the widest half-width of noise that keeps the error; it is that of every law."""
        if not self._widths:
            far = self.statistic.expected(self.table, self._told(_FAR, chances), self.alpha)
            wide = max(far.half_width, Fraction(1))
            guess = int(self.most(far) * _FAR / wide)  # exact: rationals
            self._widths.append(most(lambda n: self.kept(self._told(n, chances)), max(1, guess)))
        return self._widths[0]

    def checked(self) -> dict[Fraction, None]:
        """Return the chances at which noise is asked, or raise InputError.

        Raises:
            InputError: the wanted error is one that no noise can be asked to keep.
        """
        chances: dict[Fraction, None] = {}
        ask = self.statistic.ask
        if self.statistic.shares(self.table, "zcdp") is not None:  # of counts, by its own noise
            if ask.within is not None and ask.within.relative:
                raise needs_size(self.statistic.label, ask.within, counts=self._takes_rows())
            return chances
        self.most(self.statistic.expected(self.table, self._told(1, chances), self.alpha))
        return chances

    def _takes_rows(self) -> bool:
        return _takes_rows(str(self.statistic.plain()["statistic"]))

    def _told(self, width: int, chances: dict[Fraction, None]) -> tuple[Law, ...]:
        """Return what stands for noise of a half-width, and keeps the chances it is asked at.

        A question asks noise for its half-width alone, so the widest that keeps the error is found
        without any noise.
        """
        law = _Told(lambda chance: chances.setdefault(chance) or width)
        return tuple(cast("Law", law) for _ in self.aggregates)

    def _shared(self, kind: str) -> tuple[Law, ...]:
        """Return the noise of several vectors, each of the same price."""

        tried = {} if self.shares is None else self.shares

        def keeps(share: Loss) -> bool:
            if share not in tried:
                laws = self.divided(share)[1]
                tried[share] = self.statistic.expected(self.table, laws, self.alpha)
            return tried[share].half_width <= self.most(tried[share])

        return self.divided(least_loss(kind, keeps))[1]

    def counted(self, kind: str) -> tuple[Aggregate, ...]:
        """Return the vectors that get a part of a loss of this kind."""
        if kind not in self._vectors:  # a search for a price asks again and again
            parts, counted = self.statistic.shares(self.table, kind), self.aggregates
            if parts is not None:
                every = zip(self.statistic.aggregates(self.table), parts, strict=True)
                counted = tuple([aggregate for aggregate, part in every if part])
            self._vectors[kind] = parts, counted
        return self._vectors[kind][1]

    def divided(self, loss: Loss) -> tuple[Loss, tuple[Law, ...]]:
        """Return the noise that a loss for each vector buys, and what it is in all.

        Where vectors get unequal parts, the loss is that of the question, divided exactly: the
        noise of one vector is then as many times that of another as is wanted.
        """
        counted = self.counted(loss.kind)
        parts, _ = self._vectors[loss.kind]
        if parts is None:
            laws = tuple(law_for(loss, aggregate).few_up() for aggregate in counted)
            return loss.times(Fraction(len(counted))), laws
        mine = [part for part in parts if part]
        return loss, _in_proportion(loss, counted, mine)


def _in_proportion(
    loss: Loss, counted: tuple[Aggregate, ...], parts: Sequence[Fraction]
) -> tuple[Law, ...]:
    """Return noise in exact proportion that costs at most a loss; its digits are not rounded.

    What Gaussian noise costs in mu^2 is hardly more than 2 rho, which is divided exactly, and made
    a little less until it fits.
    """
    each = Loss("zcdp", (loss.mu2 * Fraction(1, 2),)) if loss.kind == "gdp" else loss
    while True:
        mine = zip(counted, parts, strict=True)
        laws = tuple(law_for(each.times(n), aggregate) for aggregate, n in mine)
        cost = cost_in(loss.kind, laws, counted)
        if cost.fits(loss):
            return laws
        each = each.times(Fraction(loss.numbers[0], cost.numbers[0])).few_down()


def check_wanted(table: Table, statistic: Statistic) -> None:
    """Raise InputError where a question's wanted error needs a public size that is not said."""
    if statistic.ask.within:
        statistic = _sized(table, statistic)
        Goal(statistic, table, statistic.aggregates(table), _ANY).checked()
    level_of(statistic, table, statistic.aggregates(table), _ANY)


@dataclass(frozen=True, slots=True)
class _Told:
    """Stands for noise whose half-width is told."""

    half_width: Callable[[Fraction], int]


def level_of(
    statistic: Statistic,
    table: Table,
    aggregates: Sequence[Aggregate],
    alpha: Fraction,
    among: Sequence[tuple[int, int]] | None = None,
) -> Fraction:
    """Return the chance with which one interval of a question may miss.

    Args:
        statistic, table, aggregates: the question.
        alpha: the chance that it misses; or, of intervals that hold together, that any does.
        among: `numbers_of` all questions, where a whole plan holds together.

    Raises:
        InputError: its numbers share noise in a way that is not known here, or were aimed for a
            wider level.
    """
    if any(one.choice for one in aggregates):
        _refuse_unaimed(statistic, aggregates, alpha)
    if among is None and not statistic.ask.together:
        return alpha
    return level_among(among or [numbers_of(statistic, table, aggregates)], alpha)


def numbers_of(
    statistic: Statistic, table: Table, aggregates: Sequence[Aggregate]
) -> tuple[int, int]:
    """Return how many groups of numbers have noise of their own, and how many are in each.

    Raises:
        InputError: its numbers share noise in a way that is not known here.
    """
    from ..statistic.catalog import LISTED

    (first, *others) = aggregates
    name = str(statistic.plain()["statistic"])
    joint = LISTED[name].joint if name in LISTED else None
    if joint is None or others or first.transform:
        raise InputError(
            f"the intervals of {shown(statistic.label)} cannot be asked together.",
            kind="intervals-together",
            why="its numbers are made of the same noisy ones, so that their errors depend on each "
            "other in a way that is not counted",
            fix=leave_out("together"),
            at="together",
        )
    if any(column in table.unknown for column in first.by):
        raise InputError(
            f"the intervals of {shown(statistic.label)} cannot be asked together.",
            kind="intervals-together",
            why="how many there are follows from the keys that are found, and is not known before",
            fix=leave_out("together"),
            at="together",
        )
    groups, bins, measures = first.shape(table)
    if joint == "cell":
        return groups * bins * measures, 1
    columns: tuple[str, ...] = getattr(statistic, "columns", ())
    return groups, max(1, len(columns))


def _refuse_unaimed(statistic: Statistic, aggregates: Sequence[Aggregate], alpha: Fraction) -> None:
    """Raise InputError where the ends of an interval are chosen for a wider level."""
    ranks = [
        aggregate.choice.rank
        for aggregate in aggregates
        if aggregate.choice and aggregate.choice.rank
    ]
    aimed = sum([rank.miss for rank in ranks if rank.side])
    if aimed and alpha < aimed:
        raise InputError(
            f"{shown(statistic.label)} has no interval at alpha = {text_of(alpha)}.",
            kind="within-out-of-reach",
            why=f"where its ends are sought is fixed before data is read, for {text_of(aimed)}",
            fix=(write(of="plan", alpha="0.05"), leave_out("method", of="ask")),
        )
