"""What a question asks for: the grouping, the limits on one unit, the column; and what is refused.

The error that a question must keep: a half-width, or a part of a public size.

Rules of this module:
- it sees the declaration and what was typed, never data;
- what is refused is refused before anything is charged, and the fix says what to type;
- an error is an exact rational, in the question's own measure, or a share of what is public;
- nothing here knows noise: what an error costs is found where plans are made.

Decision 31.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from ..aggregate import Aggregate, Bins, Choice, Measure, Sparse
from ..errors import InputError, as_given, shown
from ..exact import number
from ..exact.number import Number, flag, rational, text_of
from ..expressions import Expression, Typed, expression
from ..fix import BLANK, Do, Instead, Set, call, leave_out, name_columns, nearest_name, write
from ..privacy.loss import Loss
from ..schema import STEPS, Bounds, Table, ValueKind, check_name, test_of
from ..sensitivity import Reach, Sensitivity, reach
from ..transform import Transform

_LONG = 2**128


@dataclass(frozen=True, slots=True)
class Within:
    """A wanted half-width.

    Attributes:
        amount: above 0; in the question's own measure, or a share.
        relative: whether it is a share of a public size: of `rows` for counts, of the range that
            its answer can have for means and their like.
    """

    amount: Fraction
    relative: bool = False

    def plain(self) -> str:
        """Return it as it is typed: "20" or "5%"."""
        return f"{text_of(100 * self.amount)}%" if self.relative else text_of(self.amount)

    def wider(self, factor: Fraction) -> "Within":
        """Return the same error, so many times as wide."""
        return Within(self.amount * factor, self.relative)


def within_of(argument: Number | Within) -> Within:
    """Return the error that somebody typed: a number, or a text such as "5%".

    Raises:
        InputError: it is no finite number above 0.

    Example:
        >>> within_of("0.5").amount, within_of("5%")
        (Fraction(1, 2), Within(amount=Fraction(1, 20), relative=True))
    """
    if isinstance(argument, Within):
        return argument
    relative = isinstance(argument, str) and argument.rstrip().endswith("%")
    amount = rational(str(argument).rstrip().removesuffix("%") if relative else argument, "within")
    if amount >= _LONG:
        raise InputError(
            "within is longer than any sum that is counted.", kind="within-wrong",
            why="sums are kept in 128 bits",
            fix=write(", such as 20", within=BLANK),
        )  # fmt: skip
    if amount <= 0:
        raise InputError(
            f"within = {as_given(argument, bare=True)} must be above 0.", kind="within-wrong",
            why="it is the half-width of an interval; no noise at all is not private",
            fix=write(", such as 20", within=BLANK),
        )  # fmt: skip
    return Within(amount / 100 if relative else amount, relative)  # exact: rationals


def refuse_weight(weight: int) -> None:
    """Refuse a weight beside a wanted error."""
    if weight != 1:
        raise InputError(
            f"weight = {weight} and within are both given.", kind="settings-clash",
            why="a question with a wanted error gets its least price; weights share out the rest "
            "of a spend among the others",
            fix=(leave_out("weight"), leave_out("within")),
            at="weight",
        )  # fmt: skip


def _named(loss: Loss) -> dict[str, str]:
    return {name: text_of(number_) for name, number_ in loss.named.items()}


def is_true(together: object) -> bool:
    """Return whether intervals shall hold together, or refuse what is neither yes nor no."""
    return flag(together, "together", why="all intervals hold at once, or each by itself")


SAMPLE = " (of a sample: divided by one row less)"  # behind a heading


def is_sample(sample: object) -> bool:
    """Return whether a variance is divided by one row less, or refuse what is neither."""
    why = "a variance is divided by the number of rows, or as a sample's by one less"
    return flag(sample, "sample", why=why)


def needs_rows(label: str, within: Within) -> InputError:
    """Return the error that a mean's wanted error names no size of group."""
    return InputError(
        f"{shown(label)} has within = {within.plain()} and no rows.", kind="within-wrong",
        why="the error of a mean is that of its sum divided by the rows of its group, which are "
        "private",
        fix=write(", with the rows of the smallest group that matters to you", rows=BLANK),
        at="within",
    )  # fmt: skip


def needs_size(label: str, within: Within, *, counts: bool) -> InputError:
    """Return the error that a relative error has nothing public to be a part of."""
    if counts:
        return InputError(
            f"within = {within.plain()} of {shown(label)} is a part of no public size.",
            kind="within-wrong", why="how many there are in a group is private",
            fix=write(
                "in that question, with the size of the smallest group that matters to you",
                rows=BLANK,
            ),
            at="within",
        )  # fmt: skip
    return InputError(
        f"within = {within.plain()} of {shown(label)} is a part of no public size.",
        kind="within-wrong", why="how large it is, is private, and no public range bounds it",
        fix=write(", with a number in the measure of what is asked", within=BLANK), at="within",
    )  # fmt: skip


Coverage = Literal["rate", "marginal", "conditional"]


@dataclass(frozen=True, slots=True)
class Publish:
    """A rule of publication; `discreet.publish` makes it.

    Attributes:
        at_least: the smallest shown number; of a mean or variance, the least noisy number of rows.
        within: the largest distance of a shown number from the ends of its interval.
        round_to: values are rounded to multiples of this number, ends of intervals outward.
        coverage: the guarantee of the intervals of shown numbers.
        most: show at most this many numbers, the largest ones (sparse cells).
    """

    at_least: Fraction | None = None
    within: Within | None = None
    round_to: Fraction | None = None
    coverage: Coverage = "rate"
    most: int | None = None

    def plain(self) -> dict[str, str | int]:
        """Return the rule as plain data, as a plan file has it."""
        parts: dict[str, str | int | None] = {
            "at_least": None if self.at_least is None else text_of(self.at_least),
            "within": None if self.within is None else self.within.plain(),
            "round_to": None if self.round_to is None else text_of(self.round_to),
            "coverage": None if self.coverage == "rate" else self.coverage,
            "most": self.most,
        }
        return {name: value for name, value in parts.items() if value is not None}

    def shows(self, value: float, rows: float | None, reach: float) -> bool:
        """Tell whether a number is shown.

        Args:
            value: the released number.
            rows: the noisy number of rows that it is made of, where that is told.
            reach: how far its interval, of its own level, reaches from it.
        """
        if self.at_least is not None and (value if rows is None else rows) < self.at_least:
            return False
        if self.within is None:
            return True
        most = self.within.amount * (abs(Fraction(value)) if self.within.relative else 1)
        return reach <= most


Wanted = number.Number | Within | None  # a half-width as it is typed: a number, "0.5", "5%"
OwnLoss = Loss | Mapping[str, number.Number] | None  # as it is handed over, or in a plan file
MAX_CELLS = 10_000_000
MAX_SPARSE = 10**15  # cells of which only the large ones are told; doubles hold their places


@dataclass(frozen=True, slots=True)
class Ask:
    """What all statistics take: the grouping, the limits on one unit, the weight, the error wanted.

    `rows` is the public size of group that `within` is meant for; `together` asks all at once,
    `publish` is the rule by which numbers are shown. With a `spend` of its own a question gets that
    loss, and no part of what others share.
    """

    by: tuple[str, ...]
    max_groups: int | None
    max_rows_per_group: int | None
    weight: int
    within: Within | None = None
    rows: int | None = None
    together: bool = False
    where: Expression | None = None
    publish: Publish | None = None
    spend: Loss | None = None

    def test(self, table: Table) -> Typed | None:
        """Return the condition on the rows of a table, with its types; or raise InputError."""
        return test_of(table, self.where)

    def plain(self) -> dict[str, object]:
        """Return the non-trivial parts as plain data."""
        facts: dict[str, object] = {"by": list(self.by)} if self.by else {}
        if self.max_groups is not None:
            facts["max_groups"] = self.max_groups
        if self.max_rows_per_group is not None:
            facts["max_rows_per_group"] = self.max_rows_per_group
        if self.weight != 1:
            facts["weight"] = self.weight
        if self.within is not None:
            facts["within"] = self.within.plain()
        if self.spend is not None:
            facts["spend"] = _named(self.spend)
        if self.rows is not None:
            facts["rows"] = self.rows
        if self.together:
            facts["together"] = True
        if self.where is not None:
            facts["where"] = self.where.text
        if self.publish is not None:
            facts["publish"] = self.publish.plain()
        return facts

    def reach(self, table: Table) -> Reach:
        """Return how far one unit can reach into the groups, or raise InputError."""
        return reach(table, self.by, self.max_groups, self.max_rows_per_group)

    def aggregate(
        self,
        table: Table,
        *,
        measures: tuple[Measure, ...],
        sensitivity: Sensitivity,
        bins: Bins | None = None,
        transform: Transform | None = None,
        choice: Choice | None = None,
    ) -> Aggregate:
        """Return what is counted, in these groups, within these limits, under this condition."""
        rule, sparse = self.publish, None
        if rule is not None and rule.most is not None and rule.at_least is not None:
            sparse = Sparse(-(-rule.at_least.numerator // rule.at_least.denominator), rule.most)
        return Aggregate(
            by=self.by,
            measures=measures,
            sensitivity=sensitivity,
            bins=bins,
            max_groups=self.max_groups,
            max_rows_per_group=self.max_rows_per_group,
            transform=transform,
            where=None if self.where is None else self.test(table),
            choice=choice,
            sparse=sparse,
        )

    @property
    def size(self) -> Fraction | None:
        """The public size of a group, which a count's relative error is a part of."""
        return None if self.rows is None else Fraction(self.rows)

    def suffix(self) -> str:
        """Return the words for grouping, condition, and intervals that hold together."""
        by = f" by {' and '.join(self.by)}" if self.by else ""
        by += f" where {self.where}" if self.where else ""
        return f"{by}, together" if self.together else by


def asked(
    by: str | Iterable[str] | None,
    max_groups: int | None = None,
    max_rows_per_group: int | None = None,
    weight: int = 1,
    within: Wanted = None,
    rows: int | None = None,
    *,
    together: bool = False,
    where: str | None = None,
    publish: Publish | Mapping[str, Any] | None = None,
    spend: OwnLoss = None,
) -> Ask:
    """Return the checked common part of a question; `options` says how functions take it."""
    columns, rule, own = _columns(by), None, None
    if not all(isinstance(column, str) for column in columns) or len(set(columns)) < len(columns):
        raise InputError(
            f"by = {as_given(by)} is not a list of different columns.", kind="wrong-columns",
            why="groups are made of the public keys of one or several columns",
            fix=(name_columns("by", by, most=len(columns) or 1), leave_out("by")), at="by",
        )  # fmt: skip
    share = number.whole(weight, "weight", least=1)
    if publish is not None:
        from .publish import publish_of

        rule = publish_of(publish)
    if within is not None:
        refuse_weight(share)
    if spend is not None:
        from .own_loss import own_loss

        own = own_loss(spend, share, within)
    return Ask(
        by=columns,
        max_groups=None if max_groups is None else number.whole(max_groups, "max_groups", least=1),
        max_rows_per_group=None
        if max_rows_per_group is None
        else number.whole(max_rows_per_group, "max_rows_per_group", least=1),
        weight=share,
        within=None if within is None else within_of(within),
        rows=None if rows is None else number.whole(rows, "rows", least=1),
        together=is_true(together),
        where=where if where is None else expression(where),
        publish=rule,
        spend=own,
    )


def _columns(by: object) -> tuple[Any, ...]:
    if isinstance(by, Iterable) and not isinstance(by, (str, bytes)):
        return tuple(by)
    return () if by is None else (by,)


def check_groups(
    table: Table,
    ask: Ask,
    *,
    cells_per_group: int = 1,
    beside: str | None = None,
    sparsely: bool = False,
) -> None:
    """Refuse a grouping without public keys, or of too many cells.

    Args:
        table, ask: what is declared, and asked.
        cells_per_group: how many numbers are counted for each group.
        beside: the column of a question that takes several, as a mean does.
        sparsely: whether its cells can be told sparsely.
    """
    for column in ask.by:
        if column not in table.keys:
            from ..schema.no_keys import without_keys

            near = nearest_name(column, table.keys)
            raise InputError(
                f"there are no public keys for {shown(column)!r}.{_hint(near)}",
                kind="keys-missing", at="by",
                why="groups must come from a public list; taken from the data they would tell who "
                "is in it",
                fix=Instead("by", column, near)
                if near
                else without_keys(table, ask.by, column, beside),
            )  # fmt: skip
    cells = table.groups(ask.by) * cells_per_group
    is_told = ask.publish is not None and ask.publish.most is not None
    if cells > (most := MAX_SPARSE if is_told else MAX_CELLS):
        fewer = "group by fewer columns, list fewer keys, or use fewer bins"
        raise InputError(
            f"the grouping{ask.suffix()} makes {cells:,} cells, more than {most:,}.",
            kind="too-many-cells", fix=(fewer, _LARGE_ALONE) if sparsely and not is_told else fewer,
            why="every combination of public keys is released, with or without rows",
        )  # fmt: skip
    if table.unit.column is None and (ask.max_groups or ask.max_rows_per_group):
        raise InputError(
            "max_groups and max_rows_per_group are given, but the unit is a row.",
            kind="unit-is-a-row", at="max_groups" if ask.max_groups else "max_rows_per_group",
            why="one row is in one group already; these limits are for units with many rows",
            fix=(
                leave_out(
                    *["max_groups"] * bool(ask.max_groups),
                    *["max_rows_per_group"] * bool(ask.max_rows_per_group),
                ),
                write(of="table", unit=call("discreet.unit", "?", max_rows=BLANK)),
            ),
        )  # fmt: skip


_LARGE = call("discreet.publish", at_least=100, most=10_000)
_LARGE_ALONE = write(", to show counts that are large, and no other", publish=_LARGE)


def bounds_of(table: Table, column: str, *, may_be_time: bool = False) -> Bounds:
    """Return the declared bounds of a column, of days or moments only where these may be, or raise
    InputError."""
    bounds = table.columns.get(column) if isinstance(column, str) else None
    if bounds is None:
        check_name(column, "a question", alone=True)
        from ..schema.no_keys import without_bounds

        near = nearest_name(column, table.columns)
        raise InputError(
            f"there are no bounds for {shown(column)!r}.{_hint(near)}", kind="bounds-missing",
            why="without public bounds one row could move the answer without end", at="column",
            fix=Instead("column", column, near)
            if near
            else "declare its bounds where it is derived, beside its expression"
            if column in table.derived
            else Do(call("discreet.count", by=column), ", because its public keys are text")
            if any(isinstance(key, str) for key in table.keys.get(column, ()))
            else without_bounds(table, column),
        )  # fmt: skip
    if bounds.kind != "number" and not may_be_time:
        raise InputError(
            f"{shown(column)} holds {bounds.kind}s, which are not added up.",
            kind="bounds-wrong", at="column",
            why=f"a sum of {bounds.kind}s is no {bounds.kind}; means, quantiles, variances, "
            "histograms and shares below are",
            fix="ask for the mean, or derive a number: "
            f"{STEPS[bounds.kind]}({shown(column)}) with bounds of its own",
        )  # fmt: skip
    return bounds


def known_rows(table: Table, ask: Ask, columns: Iterable[str]) -> int | None:
    """Return the public number of rows, where a question is of exactly as many; else None.

    No row can drop out where a row is the unit, neighbors replace one, there is no group, condition
    or join, and a missing cell of each of the columns counts as a value.
    """
    if table.neighbors != "replace" or table.unit.column is not None or ask.by or ask.where:
        return None
    whole = table.condition is None and not table.joins
    complete = whole and all(table.columns[column].missing is not None for column in columns)
    return table.facts.rows if complete else None


def known_words(label: str, what: str, rows: int) -> str:
    """Return that a question is of a public number of rows, which nobody checked."""
    return f"The {label} is {what} over {rows:,} rows, which are public: typed, not checked."


def check_value_kind(bounds: Bounds, column: str, kind: ValueKind, name: str) -> None:
    """Refuse values of a column that are written as something else than its bounds."""
    if kind == bounds.kind:
        return
    raise InputError(
        f"{name} is written in {STEPS.get(kind, 'numbers')}, and the bounds of {shown(column)} in "
        f"{STEPS.get(bounds.kind, 'numbers')}.", kind="bounds-wrong",
        why=f"its bounds are {bounds}", at=name,
        fix=Set({name: BLANK}, note=f", such as {bounds.said(bounds.lower)}"),
    )  # fmt: skip


def _hint(near: str) -> str:
    return f" Did you mean {shown(near)!r}?" if near else ""
