"""Numbers made of released numbers, with how they are made again.

Released numbers answered anew from their integers: with other intervals, alone or together.

Rules of this module:
- what is derived is plain data: a recipe, from which `made` makes the same numbers of the same
  release, so that whoever has the release can check them;
- nothing is charged and nothing is read: it is arithmetic on public numbers;
- numbers that hold together have separate noise, or share out their alpha (`post.together`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..aggregate import Aggregate
from ..document.accessors import in_all, labels, noisy_of
from ..document.document import (
    AnswerAxis,
    AnswerTable,
    Document,
    Released,
    answer_table,
    canonical,
)
from ..document.numbers import Cell, percent
from ..document.regular import csv_blocks
from ..document.rows import Rows
from ..document.tidy import tidy
from ..errors import InputError
from ..exact.number import Number, decimal_of
from ..fix import write
from ..plans.checked import checked_alpha
from ..plans.line import Line
from ..plans.plan import plan_of
from ..post.interval import downs, nearest, ups
from ..post.together import common_level
from ..report.additive import Numbers, Part
from ..report.people import ALONE, TOGETHER, sheet, title_of
from ..report.result import Result, result_of
from ..statistic.shared_vector import Joined, Joint
from ..statistic.statistic import CHOSEN, rows_within_public
from ..text import Sheet
from .derivation import derivation

if TYPE_CHECKING:
    from ..report.picture import Picture
    from ..schema import About


_LEAST_ALPHA = Fraction(1, 10**12)
FORMAT = "discreet-derived/1"


@dataclass(frozen=True, slots=True, eq=False)
class DerivedNumbers(Result):
    """Numbers that follow from released ones, with intervals; a loop gives a dict for each.

    Attributes:
        recipe: the computation of the numbers from the release, as plain data.
        notes: sentences that a reader of the numbers must know.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> release.total("count by ward").rows
        [{'value': 1000, 'low': 981, 'high': 1019}]
    """

    recipe: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def alpha(self) -> Fraction:
        """The chance that an interval misses; where they hold together, that any does."""
        return Fraction(self.document.alpha)

    @property
    def together(self) -> bool:
        """Whether all intervals hold at once."""
        return bool(self.recipe.get("together"))

    def plot(self, *, about: "About | None" = None) -> "Picture":
        """Return a Matplotlib figure of the numbers with their error bars.

        Args:
            about: the publisher's names of columns and keys.

        Returns: a figure of Matplotlib: `.savefig("shares.svg")` writes it.

        Raises:
            InputError: `about` is not made by `discreet.about`.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> release.share("count by ward").plot()
            <Picture size 900x159.6 with 1 Axes>
        """
        from ..report.pictures import figure

        return figure(self.document, together=self.together, about=about)

    def sheet(self) -> Sheet:
        """Return the numbers as a table for people."""
        page = sheet(self.document, repeated=False, together=self.together)
        sentences = [f"{ALONE} {float(self.alpha):g}."]
        if self.together:
            sentences = [f"{TOGETHER} {float(1 - self.alpha):g}."]
        elif all(released.shown is not None for released in self.document.statistics):
            sentences = []  # their rules say what they keep
        other = (ALONE[:12], TOGETHER[:12])
        kept = [line for line in page.below if not line.startswith(other)]
        covers = percent_of(self.alpha)
        title = f"Derived from {title_of(self.document, repeated=False)}"
        free = "Nothing was charged: this follows from released numbers alone."
        page = replace(page, title=title, below=(*kept, *sentences, *self.notes, free))
        if not self.together:
            return page
        heads = tuple(f"{covers}, all at once" if " interval" in c else c for c in page.columns)
        return replace(page, columns=heads, right=("value", heads[3], "rows"))

    def plain(self) -> dict[str, Any]:
        """Return the recipe and the numbers as plain data."""
        answers = [
            {
                "label": statistic.label,
                "columns": statistic.answer.columns,
                "rows": list(statistic.answer.rows),
            }
            for statistic in self.document.statistics
        ]
        return {"recipe": dict(self.recipe), "answers": answers}


def percent_of(alpha: Fraction) -> str:
    """Return the coverage that an alpha leaves."""
    return percent(decimal_of(alpha))


@dataclass(frozen=True, slots=True)
class DerivedColumn:
    """The derived numbers, a cell of each list for a number; an end that is None is none."""

    values: Sequence[int | float | None]
    low: Sequence[int | float | None]
    high: Sequence[int | float | None]


def derived(
    document: Document,
    label: str,
    recipe: Mapping[str, Any],
    *,
    axes: Sequence[AnswerAxis],
    index: Sequence[tuple[tuple[Cell, ...], ...]],
    numbers: DerivedColumn,
    measure: str,
    notes: Sequence[str] = (),
) -> DerivedNumbers:
    """Return derived numbers, laid out as the answer of a statistic is."""
    names = [name for axis in axes for name in names_of(axis)]
    columns = list[list[Cell]]()
    for at, axis in enumerate(axes):
        cells = [parts[at] for parts in index]
        columns += [[cell[place] for cell in cells] for place in range(len(names_of(axis)))]
    answer = AnswerTable.model_construct(
        axes=list(axes),
        measure=measure,
        adds_up=measure in ("rows", "units", "sum"),
        rows_within=None,
        columns=[*names, "value", "low", "high"],
        rows=Rows([*columns, tuple(numbers.values), tuple(numbers.low), tuple(numbers.high)]),
    )
    released = Released.model_construct(label=label, question={}, vectors=[], answer=answer)
    return of_statistics(document, label, recipe, [released], notes)


def of_statistics(
    document: Document,
    name: str,
    recipe: Mapping[str, Any],
    statistics: Sequence[Released],
    notes: Sequence[str] = (),
) -> DerivedNumbers:
    """Return statistics of a release, made anew, as derived numbers."""
    changed = {"statistics": list(statistics), "alpha": recipe["alpha"]}
    return DerivedNumbers(name, document.model_copy(update=changed), recipe, tuple(notes))


def names_of(axis: AnswerAxis) -> tuple[str, ...]:
    """Return what an axis is called in a table."""
    return (f"{axis.name} from", f"{axis.name} to") if axis.kind == "bin" else (axis.name,)


def chance_of(document: Document, alpha: object) -> Fraction:
    """Return the chance of missing that was asked for; the release's own if none was."""
    level: Any = document.alpha if alpha is None else alpha
    chance = checked_alpha(level)
    if chance < _LEAST_ALPHA:
        raise InputError(
            "alpha is below 10^-12.",
            kind="out-of-range",
            why="intervals between released numbers are made in doubles, which tell no less",
            fix=write(", for one miss in a billion", alpha="1e-9"),
        )
    return chance


def text_of_all(document: Document, parts: Sequence[DerivedNumbers]) -> str:
    """Return derived numbers as the text of derived.json."""
    plain = {
        "format": FORMAT,
        "digest": document.digest,
        "derived": [part.plain() for part in parts],
    }
    return canonical(plain) + "\n"


def table_of_all(parts: Sequence[DerivedNumbers]) -> str:
    """Return derived numbers as the text of derived.csv, laid out as table.csv is.

    Each says how often its intervals hold, because that need not be what the release says.
    """
    named = [
        statistic.model_copy(
            update={"label": f"{statistic.label}, {percent_of(each.alpha)}{joint}"}
        )
        for each in parts
        for joint in [", all at once" if each.together else ""]
        for statistic in each.document.statistics
    ]
    whole = parts[0].document.model_copy(update={"statistics": named})
    return "".join(csv_blocks(tidy(whole)))


def axes_of(released: Released, kept: Sequence[str]) -> list[AnswerAxis]:
    """Return the axes of an answer that are kept."""
    return [axis for axis in released.answer.axes if axis.name in kept]


def said(*, alpha: Fraction, together: bool, **chosen: Any) -> dict[str, Any]:
    """Return what a recipe says of what was chosen: nothing where all is."""
    facts = {name: _plain(value) for name, value in chosen.items() if value}
    return {**facts, "alpha": str(alpha), "together": together}


def plainly(chosen: Mapping[str, frozenset[Part]]) -> dict[str, Any]:
    """Return a selection as plain data."""
    return {name: sorted(map(list, parts), key=repr) for name, parts in chosen.items()}


def _plain(value: Any) -> Any:
    return plainly(value) if isinstance(value, Mapping) else list(value)


def scaled(
    numbers: Numbers, worths: Sequence[Fraction], level: Fraction
) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """Return each number times what 1 of it is worth, between the ends of its own interval.

    Args:
        numbers: of a statistic that adds up.
        worths: a public number for each.
        level: the chance that an interval misses.
    """
    half = numbers.law.half_width(level)
    low, values, high = (
        [(n + off) * worth for n, worth in zip(numbers.noisy, worths, strict=True)]
        for off in (-half, 0, half)
    )
    return low, values, high


def rounded(
    values: Sequence[Fraction], low: Sequence[Fraction], high: Sequence[Fraction]
) -> DerivedColumn:
    """Return exact numbers as doubles, the ends of intervals outward."""
    return DerivedColumn(
        [nearest([x.numerator], x.denominator)[0] for x in values],
        [downs([x.numerator], x.denominator)[0] for x in low],
        [ups([x.numerator], x.denominator)[0] for x in high],
    )


_AIMED = (
    "A quantile that was chosen has the ends that were chosen with it: at a smaller chance of a "
    "miss they say nothing, and the number stands in the release alone."
)


@derivation("intervals", of=1)
def intervals(
    document: Document,
    name: str | None = None,
    *,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers:
    """Return the same numbers with other intervals; free.

    Args:
        name: the statistic; by default all statistics.
        alpha: the chance that an interval misses; by default the release's own.
        together: whether all intervals hold at once, with probability 1 - alpha.

    Returns: derived numbers: the released values, with new ends low and high, in the same units.

    Raises:
        InputError: there is no such statistic, or alpha is not a probability.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> release.intervals("count by ward", alpha="0.01").high
        [609, 427]
    """
    chance = chance_of(document, alpha)
    names = labels(document) if name is None else [name]
    for statistic in names:
        result_of(document, statistic)
    recipe = {"derive": "intervals", "of": name, **said(alpha=chance, together=together)}
    level = _level(document, names, chance) if together else chance
    answers = again(document, names, level, together=together)
    label = name if name is not None else "all statistics"
    return of_statistics(document, label, recipe, answers, _notes(document, names, answers))


def _notes(
    document: Document, names: Sequence[str], answers: Sequence[Released]
) -> tuple[str, ...]:
    """Return why a number is told no more: the ends of a chosen quantile are for one chance."""
    every = labels(document)
    for name, now in zip(names, answers, strict=True):
        before = document.statistics[every.index(name)].answer
        values = zip(before.rows.columns[-3], now.answer.rows.columns[-3], strict=True)
        gone = any(old is not None and new is None for old, new in values)
        if before.measure == CHOSEN and gone:
            return (_AIMED,)
    return ()


def _level(document: Document, names: Sequence[str], alpha: Fraction) -> Fraction:
    """Return the level of each block of numbers with noise of its own."""
    lines = _lines(document, names)
    laws = [(line.statistic.errs(line.laws[0]), size) for line, size, each in lines if each == 0]
    blocks = {joint_of(line) or line: size for line, size, each in lines if each}
    return common_level(laws, alpha, others=sum(blocks.values()))


def joint_of(line: Line) -> Joint | None:
    """Return the vector that a question shares with others; None where it has its own."""
    return line.statistic.joint if isinstance(line.statistic, Joined) else None


def _lines(document: Document, names: Sequence[str]) -> list[tuple[Line, int, int]]:
    """Return lines of the plan, in how many blocks their noise is separate, and how many numbers
    of a block share it, those of other lines with the same vector among them; 0 where each number
    has noise of its own."""
    plan, every = plan_of(document.plan), labels(document)
    lines = []
    shared = [joint for name in names if (joint := joint_of(plan.lines[every.index(name)]))]
    for name in names:
        line, released = plan.lines[every.index(name)], document.statistics[every.index(name)]
        size = in_all(released)
        own = [
            aggregate.transform is None and aggregate.size(plan.table) == size
            for aggregate in line.aggregates
        ]
        mates = max(1, shared.count(joint)) if (joint := joint_of(line)) else 1
        if released.answer.adds_up and own == [True] and mates == 1:
            lines.append((line, size, 0))
        else:
            blocks = 1  # of a cube, whose numbers are all made of the same noise
            if line.statistic.cells(plan.table) is None:
                blocks = _blocks(line.aggregates, plan.table.groups(line.aggregates[0].by))
            lines.append((line, blocks, size // blocks * mates))
    return lines


def sharing(document: Document, name: str) -> int:
    """Return how many numbers of a statistic, one after the other, are made of the same noise."""
    ((_, _, each),) = _lines(document, [name])
    return max(1, each)


def _blocks(aggregates: Sequence[Aggregate], groups: int) -> int:
    """Return how many groups have noise of their own; 1 where a matrix mixes all of them."""
    if any(aggregate.choice for aggregate in aggregates):
        return 1  # each pick is of what others left
    mixed = any(
        aggregate.transform and aggregate.transform.of == "vector" for aggregate in aggregates
    )
    return (
        groups
        if not mixed and all(aggregate.by == aggregates[0].by for aggregate in aggregates)
        else 1
    )


def again(
    document: Document, names: Sequence[str], level: Fraction, *, together: bool = False
) -> list[Released]:
    """Return statistics answered anew from their integers, at a level."""
    plan, every = plan_of(document.plan), labels(document)
    vectors = [noisy_of(statistic) for statistic in document.statistics]
    answers = []
    for (line, _, each), name in zip(_lines(document, names), names, strict=True):
        released = document.statistics[every.index(name)]
        noisy = plan.given(every.index(name), vectors)
        mine = level / each if together and each else level
        answer = line.statistic.answer(plan.table, noisy, line.laws, mine)
        answer = rows_within_public(plan.table, answer)
        if released.shown is not None:
            from ..statistic.publish import RuledQuestion, answer_shown

            asked = RuledQuestion(
                line.statistic, plan.table, noisy, line.laws, mine, together=together
            )
            is_whole = noisy[0].places is None
            rows = released.shown.places if is_whole else range(len(released.shown.places))
            answer = answer_shown(asked, answer, rows)
        answers.append(released.model_copy(update={"answer": answer_table(answer)}))
    return answers
