"""What every statistic answers, and what they share.

Rules of this module:
- a statistic turns a question into aggregates, and noisy aggregates into an answer;
- it sees the declaration and public numbers, never data;
- an interval [low, high] misses the bounded, rounded truth with probability at most alpha, each
  interval by itself.
"""
# long: what every statistic imports, from one place

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Literal, Protocol

from ..aggregate import Aggregate, Noisy
from ..errors import InputError, as_given, shown
from ..exact import number
from ..expressions import Expression, Typed, expression
from ..fix import BLANK, Instead, Set, call, leave_out, nearest_name, write
from ..noise.law import Law
from ..post.interval import nearest
from ..schema import STEPS, Bounds, Key, Table, ValueKind, check_name, test_of
from ..text import piece, prompt
from .within import Within, is_true, refuse_weight, within_of

Number = int | float | None
Wanted = number.Number | Within | None  # a half-width as it is typed: a number, "0.5", "5%"
AxisKind = Literal["key", "bin", "column", "level"]
Measured = Literal[
    "rows",
    "units",
    "sum",
    "mean",
    "variance",
    "std",
    "quantile",
    "iqr",
    "share",
    "covariance",
    "correlation",
    "coefficient",
    "short",
    "chosen",
    "keys",
]
ADD_UP = frozenset({"rows", "units", "sum"})  # measures whose numbers of several groups add up
SHORT: Literal["short"] = (
    "short"  # of a choice: how much less than the largest number may be what was chosen
)
CHOSEN: Literal["chosen"] = "chosen"  # of a quantile that a choice tells, and no number of rows
KEYS: Literal["keys"] = "keys"  # how many keys there are of at least a size
ALONE = ADD_UP | {SHORT, CHOSEN, KEYS}  # measures without a noisy number of rows beside them
MAX_CELLS = 10_000_000


@dataclass(frozen=True, slots=True)
class Axis:
    """One direction in which an answer has several numbers.

    Attributes:
        kind: a key has a cell in the index; bins of a column have two, their ends; the columns of
            a vector have one, their names; levels have one, a number.
        name: the key's column, or the column that is cut into bins; "column" for those of a vector;
            of levels what they are: "quantile".
    """

    kind: AxisKind
    name: str

    def names(self) -> tuple[str, ...]:
        """Return what the axis is called in a table: one name for each cell of the index."""
        return (f"{self.name} from", f"{self.name} to") if self.kind == "bin" else (self.name,)


Inner = tuple[Axis, tuple[Key | float, ...]] | None  # inside each group: an axis and its cells


@dataclass(frozen=True, slots=True)
class Answer:
    """The released numbers of one statistic, each with its interval, and what they are.

    Attributes:
        label: the statistic's name.
        axes: what the numbers are laid out by, the last one fastest; none for one number.
        measure: what is counted, or how cells are put together.
        index: a row per number, with the cells that its axes have; None for all of an axis.
        values: None where there are too few rows to say; then the interval is the whole range.
        low, high: the ends of the intervals.
        rows: of means and variances, about how many rows each is made of: a noisy count, which can
            be negative.
        rows_within: of the same, how far that count is off at most, but with probability alpha.
        linear, deviation: of tables that add up, the estimates that the intervals are made of, and
            bounds on their standard deviations.
    """

    label: str
    axes: tuple[Axis, ...]
    measure: Measured
    index: tuple[tuple[Key | float | None, ...], ...]
    values: tuple[Number, ...]
    low: tuple[Number, ...]
    high: tuple[Number, ...]
    rows: tuple[float, ...] | None = None
    rows_within: float | None = None
    linear: tuple[float, ...] | None = None
    deviation: tuple[float, ...] | None = None

    @property
    def adds_up(self) -> bool:
        """Whether the numbers of several groups together are their sum."""
        return self.measure in ADD_UP


@dataclass(frozen=True, slots=True)
class Expected:
    """The half-width to expect before any data is read; with `per_row`, over the group's rows.

    `whole` is the public size that a relative error is a part of: None where there is none. The
    half-width is in the measure of the answer, or `of` says in what; `note` is a sentence on what
    the question cannot tell; `words` say more, and take longer.
    """

    half_width: Fraction
    per_row: bool = False
    whole: Fraction | None = None
    of: str = ""
    note: str = ""
    words: Callable[[], tuple[str, ...]] = tuple


class Statistic(Protocol):
    """One thing that may be asked."""

    @property
    def ask(self) -> "Ask":
        """What all questions share: grouping, limits, and its part of the plan's loss."""

    @property
    def label(self) -> str:
        """A short name, unique for the question."""

    def inner(self, table: Table) -> Inner:
        """Return the axis inside each group whose cells the question says, if there is one."""

    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return what must be counted, each with its proved sensitivity, or raise InputError."""

    def answer(
        self, table: Table, noisy: Sequence[Noisy], laws: Sequence[Law], alpha: Fraction
    ) -> Answer:
        """Return the answer made of the noisy aggregates, with intervals."""

    def expected(self, table: Table, laws: Sequence[Law], alpha: Fraction) -> Expected:
        """Return the half-width to expect, from public facts only."""

    def plain(self) -> dict[str, object]:
        """Return the question as plain data."""

    def shares(self, table: Table, kind: str) -> tuple[Fraction, ...] | None:
        """Return the part of its loss that each vector gets."""

    def cells(self, table: Table) -> Sequence[tuple[Key | None, ...]] | None:
        """Return the index of its answer, where that is not one row for each group."""

    def instead(self) -> "Statistic | None":
        """Return the same question in another way, which a plan proposes where it is better."""

    def textbook(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> Sequence[float | None]:
        """Return what is true of a group, by definition: no noise, nothing shared with `answer`.

        Args:
            table: the declaration.
            rows: the rows of the group that count, each cell on its grid, within its bounds, or
                None where it is missing.
        """


class Question(ABC):
    """A statistic as it shows itself: by its label; a dataclass made from it has `repr=False`."""

    __slots__ = ()

    @property
    @abstractmethod
    def label(self) -> str:
        """A short name, unique for the question."""

    def inner(self, table: Table) -> Inner:
        """Return the axis inside each group, if there is one, and its cells.

        Without a word of its own a question has the bins that it counts, whose cells are not told.
        """
        bins = self.aggregates(table)[0].bins
        return (Axis("bin", bins.column), ()) if bins else None

    @abstractmethod
    def aggregates(self, table: Table) -> tuple[Aggregate, ...]:
        """Return what must be counted, each with its proved sensitivity, or raise InputError."""

    def shares(self, table: Table, kind: str) -> tuple[Fraction, ...] | None:
        """Return the part of a loss of this kind that each vector gets; None where all are alike.

        A vector whose part is 0 is not counted.
        """
        del table, kind
        return None

    def cells(self, table: Table) -> Sequence[tuple[Key | None, ...]] | None:
        """Return the index of an answer that is not one row for each group; else None."""
        del table
        return None

    def instead(self) -> "Statistic | None":
        """Return the same question in another way; None where there is none."""
        return None

    def __str__(self) -> str:
        return self.label

    def __repr__(self) -> str:
        return prompt("Question", self.label)

    def _repr_html_(self) -> str:
        return piece(self.label)


@dataclass(frozen=True, slots=True)
class Ask:
    """What all statistics take: the grouping, the limits on one unit, the weight, the error wanted.

    `rows` is the public size of group that `within` is meant for; `together` asks all at once.
    """

    by: tuple[str, ...]
    max_groups: int | None
    max_rows_per_group: int | None
    weight: int
    within: Within | None = None
    rows: int | None = None
    together: bool = False
    where: Expression | None = None

    def test(self, table: Table) -> Typed | None:
        """Return the condition on the rows of a table, with its types; or raise InputError."""
        return test_of(table, self.where)

    def plain(self) -> dict[str, object]:
        """Return the non-trivial parts as plain data."""
        facts: dict[str, object] = {"by": list(self.by)} if self.by else {}
        said = {
            "max_groups": self.max_groups,
            "max_rows_per_group": self.max_rows_per_group,
            "weight": None if self.weight == 1 else self.weight,
            "within": None if self.within is None else self.within.plain(),
            "rows": self.rows,
            "together": self.together or None,
            "where": None if self.where is None else self.where.text,
        }
        return facts | {name: value for name, value in said.items() if value is not None}

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
    max_groups: int | None,
    max_rows_per_group: int | None,
    weight: int,
    within: Wanted = None,
    rows: int | None = None,
    *,
    together: bool = False,
    where: str | None = None,
) -> Ask:
    """Return the checked common part of a question."""
    columns = _columns(by)
    if not all(isinstance(one, str) for one in columns) or len(set(columns)) < len(columns):
        raise InputError(
            f"by = {as_given(by)} is not a list of different columns.",
            why="groups are made of the public keys of one or several columns",
            fix=(write(by="?"), write(by=["?", "?"])),
        )
    share = number.whole(weight, "weight", least=1)
    if within is not None:
        refuse_weight(share)
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
    )


def _columns(by: object) -> tuple[Any, ...]:
    if by is None or isinstance(by, (str, bytes)) or not isinstance(by, Iterable):
        return () if by is None else (by,)
    return tuple(by)


def check_groups(table: Table, ask: Ask, *, cells_per_group: int = 1) -> None:
    """Refuse a grouping without public keys, or of too many cells."""
    for column in ask.by:
        if column not in table.keys:
            near = nearest_name(column, table.keys)
            raise InputError(
                f"there are no public keys for {shown(column)!r}.{_hint(near)}",
                why="groups must come from a public list; taken from the data they would tell who "
                "is in it",
                fix=Instead("by", column, near)
                if near
                else "list its keys where it is derived, beside its expression"
                if column in table.derived
                else write(of="table", keys={column: ["?", "?"]}),
                at="by",
            )
    cells = table.groups(ask.by) * cells_per_group
    if cells > MAX_CELLS:
        raise InputError(
            f"the grouping{ask.suffix()} makes {cells:,} cells, more than {MAX_CELLS:,}.",
            why="every combination of public keys is released, with or without rows",
            fix="group by fewer columns, list fewer keys, or use fewer bins",
        )
    if table.unit.column is None and (ask.max_groups or ask.max_rows_per_group):
        raise InputError(
            "max_groups and max_rows_per_group are given, but the unit is a row.",
            why="one row is in one group already; these limits are for units with many rows",
            fix=(
                leave_out("max_groups", "max_rows_per_group"),
                write(of="table", unit=call("discreet.unit", "?", max_rows=BLANK)),
            ),
            at="max_groups" if ask.max_groups else "max_rows_per_group",
        )


def bounds_of(table: Table, column: str, *, may_be_time: bool = False) -> Bounds:
    """Return the declared bounds of a column, of days or moments only where these may be, or raise
    InputError."""
    check_name(column, "a question", alone=True)
    if column not in table.columns:
        near = nearest_name(column, table.columns)
        raise InputError(
            f"there are no bounds for {shown(column)!r}.{_hint(near)}",
            why="without public bounds one row could move the answer without end",
            fix=Instead("column", column, near)
            if near
            else "declare its bounds where it is derived, beside its expression"
            if column in table.derived
            else write(of="table", columns={column: call("discreet.bounds", BLANK, BLANK)}),
            at="column",
        )
    found = table.columns[column]
    if found.kind != "number" and not may_be_time:
        raise InputError(
            f"{shown(column)} holds {found.kind}s, which are not added up.",
            why=f"a sum of {found.kind}s is no {found.kind}; means, quantiles, variances, "
            "histograms and shares below are",
            fix="ask for the mean, or derive a number: "
            f"{STEPS[found.kind]}({shown(column)}) with bounds of its own",
            at="column",
        )
    return found


def check_value_kind(found: Bounds, column: str, given: ValueKind, name: str) -> None:
    """Refuse values of a column that are written as something else than its bounds."""
    if given == found.kind:
        return
    raise InputError(
        f"{name} is written in {STEPS.get(given, 'numbers')}, and the bounds of {shown(column)} in "
        f"{STEPS.get(found.kind, 'numbers')}.",
        why=f"its bounds are {found}",
        fix=Set({name: BLANK}, note=f", such as {found.said(found.lower)}"),
        at=name,
    )


def keyed(by: Sequence[str]) -> tuple[Axis, ...]:
    """Return the axes of groups."""
    return tuple(Axis("key", column) for column in by)


def columns_of(axes: Sequence[Axis], measure: Measured, *, linear: bool = False) -> list[str]:
    """Return the names of an answer's columns: those of its axes, and of its numbers."""
    beside = ["linear", "deviation"] if linear else [] if measure in ALONE else ["rows"]
    return [*(name for axis in axes for name in axis.names()), *beside, "value", "low", "high"]


def groups(table: Table, by: Sequence[str]) -> Iterator[tuple[Key, ...]]:
    """Return the groups in the order of an aggregate's vector."""
    return product(*(table.keys[column] for column in by))


def in_measure(steps: Sequence[int], step: Fraction) -> tuple[float, ...]:
    """Return whole numbers of steps in a column's own measure, each rounded once, to nearest."""
    top, bottom = step.numerator, step.denominator
    return nearest([value * top for value in steps], bottom)


def _hint(near: str) -> str:
    return f" Did you mean {shown(near)!r}?" if near else ""
