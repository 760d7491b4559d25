"""What an engine is, and what every engine decides in the same way.

Rules of this module:
- `prepare` looks at names and types only, and refuses there what can be refused;
- a failure once data is read is one fixed text without a cause: it says nothing of the data;
- a group is its position in the cross product of the public keys, the last column fastest.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ..aggregate import Aggregate, Coordinate, Exact, Point
from ..errors import EngineError, InputError, InternalError, shown
from ..expressions import Kind, Typed
from ..finding.pairs import Pairs
from ..schema import Table, value_tree
from ..sensitivity import Sensitivity
from ..sums import check_sums

SALTS = 2**64  # a salt is taken modulo this

Columns = Mapping[str, Sequence[str | float | None]]
Found = TypeVar("Found")


class Prepared(Protocol):
    """A source that was opened, found to fit its declaration, and not yet read."""

    def count(self, salt: int) -> tuple[Exact, ...]:
        """Read the data once and return one sealed vector per aggregate."""

    def schema(self) -> dict[str, str]:
        """Return the name and the engine's type of every column of the source."""

    def paths(self) -> tuple[str, ...]:
        """Return the files that are read, in their order; none where the source is no file."""

    def fingerprint(self, key: bytes) -> str | None:
        """Return a keyed digest of the data in 64 hexadecimal letters; None where there is none.

        It covers every declared column, or every byte of the files, and reads all of them.
        """


class Pool(Protocol):
    """Pairs of a unit and a key, fixed once for all rounds; see `Pairs`. A key is a place here.

    Which keys occur, and how many, is private: what is said of all of them is sealed.
    """

    def noise(self, draw: Callable[[Sequence[bytes]], Sequence[int]]) -> Exact:
        """Return what `draw` makes of the bytes of the keys, in the order of their places."""

    def sums(self, keys_found: frozenset[int]) -> Exact:
        """Return what the units add to each key in one round; to a key that was found, nothing."""

    def names(self, keys_found: frozenset[int]) -> list[str]:
        """Return the text of keys that were found, which is public, ordered by its bytes."""

    def close(self) -> None:
        """End what holds the state that all rounds look at; called once, when the last is over."""


class Pooling(Protocol):
    """A source whose keys can be looked for, not yet read."""

    def read(self, salt: int) -> Pool:
        """Read the data once, and fix which keys of each unit stay."""


class Engine(Protocol):
    """Turns aggregates into exact integers."""

    def prepare(self, table: Table, aggregates: tuple[Aggregate, ...]) -> Prepared:
        """Open the source and refuse, before anything is charged, what cannot be counted."""

    def pooling(self, table: Table, pairs: Pairs) -> Pooling:
        """Open the source and refuse, before anything is charged, keys that cannot be found."""


@dataclass(frozen=True, slots=True)
class ListedEngine:
    """An engine of the register.

    Attributes:
        name: what the suites call it.
        reads: whether it reads a source, by the source's type alone.
        make: returns the engine; what is heavy is imported then and not before.
        examples: from columns, each of text or of numbers, to sources that hold them: the suites
            try these, so that an engine for which nobody wrote a test is tried.
    """

    name: str
    reads: Callable[[object], bool]
    make: Callable[[], Engine]
    examples: Callable[[Columns], Iterable[object]]


@dataclass(frozen=True, slots=True)
class Grouping:
    """The aggregates that share one choice of kept rows, and the columns that choice looks at."""

    by: tuple[str, ...]
    max_groups: int | None
    max_rows_per_group: int | None
    where: Typed | None
    columns: tuple[str, ...]


def groupings(table: Table, aggregates: Iterable[Aggregate]) -> dict[Grouping, list[Aggregate]]:
    """Return the aggregates by what they share: the grouping columns and the limits in force.

    A limit that can never bind is left out, so that aggregates share rows whenever they can.
    """
    groups: dict[_Limits, list[Aggregate]] = {}
    for one in aggregates:
        of_rows = (one.by, None, None, one.where)
        limits = of_rows if table.unit.column is None else _limits(table, one)
        groups.setdefault(limits, []).append(one)
    return {Grouping(*key, columns=value_columns(items)): items for key, items in groups.items()}


_Limits = tuple[tuple[str, ...], int | None, int | None, Typed | None]


def _limits(table: Table, aggregate: Aggregate) -> _Limits:
    """Return the limits in force on units that may have several rows."""
    most = table.unit.max_rows
    groups, rows = aggregate.max_groups, aggregate.max_rows_per_group
    binding = groups is not None and groups < table.groups(aggregate.by)
    if most is not None:
        binding = binding and groups is not None and groups < most
        rows = None if rows is None or rows >= most else rows
    return aggregate.by, groups if binding else None, rows, aggregate.where


def value_columns(aggregates: Iterable[Aggregate]) -> tuple[str, ...]:
    """Return the bounded columns that these aggregates look at, sorted by name."""
    wanted = tuple(aggregates)
    columns = {column for a in wanted for measure in a.measures for column in measure.columns}
    return tuple(sorted(columns | {a.bins.column for a in wanted if a.bins}))


def reads_numbers(table: Table, aggregates: Iterable[Aggregate]) -> bool:
    """Say whether a cell of the data is read as a number: a value, or what an expression reads."""
    wanted = tuple(aggregates)
    is_value = any(value_tree(table, name) is None for name in value_columns(wanted))
    return is_value or any(leaf.kind == "number" for leaf in reads_of(table, wanted))


def points_of(aggregates: Iterable[Aggregate]) -> tuple[Point, ...]:
    """Return the points whose coordinates these aggregates look at."""
    points = [
        value.point
        for aggregate in aggregates
        for measure in aggregate.measures
        for value in measure.values
        if isinstance(value, Coordinate)
    ]
    return tuple(dict.fromkeys(points))


def key_columns(aggregates: Iterable[Aggregate]) -> tuple[str, ...]:
    """Return the columns that these aggregates group by, sorted by name."""
    return tuple(sorted({column for a in aggregates for column in a.by}))


def tests_of(aggregates: Iterable[Aggregate]) -> tuple[Typed, ...]:
    """Return the conditions that these aggregates put on their rows, each once."""
    return tuple(dict.fromkeys(a.where for a in aggregates if a.where is not None))


def reads_of(table: Table, aggregates: Iterable[Aggregate]) -> tuple[Typed, ...]:
    """Return the columns of the data that expressions look at, each as what it is read as."""
    wanted = tuple(aggregates)
    grouped, made = key_columns(wanted), table.trees
    trees = [tree for name, tree in made.items() if name in grouped]
    trees += [tree for name in value_columns(wanted) if (tree := value_tree(table, name))]
    trees += [*tests_of(wanted), *([table.condition.tree] if table.condition else [])]
    columns: dict[Typed, None] = {}
    while trees:
        for leaf in trees.pop().columns():
            if leaf.value in made:
                trees.append(made[leaf.value])
            else:
                columns[leaf] = None
    return tuple(sorted(columns, key=lambda leaf: (leaf.value, leaf.kind)))


_ROLES: dict[Kind, str] = {"number": "value", "truth": "value"}  # others have one of their name


def role_of(kind: Kind) -> str:
    """Return in which role a column is read that an expression reads as this type."""
    return _ROLES.get(kind, kind)


def roles_of(table: Table, aggregates: Iterable[Aggregate]) -> dict[str, tuple[str, ...]]:
    """Return the columns of the data that are read, by role, sorted by name."""
    wanted = tuple(aggregates)
    columns: dict[str, set[str]] = {role: set() for role in ("value", "key", "unit")}
    columns["value"] |= {name for name in value_columns(wanted) if value_tree(table, name) is None}
    columns["key"] |= {*key_columns(wanted)} - {*table.trees}
    columns["unit"] |= {table.unit.column} if table.unit.column is not None else set()
    columns["link"] = {*table.links}
    for leaf in reads_of(table, wanted):
        columns.setdefault(role_of(leaf.kind), set()).add(leaf.value)
    return {role: tuple(sorted(names)) for role, names in columns.items()}


def used_columns(table: Table, aggregates: Iterable[Aggregate]) -> tuple[str, ...]:
    """Return all columns of the data that are read: values, keys, the unit, and in expressions."""
    wanted = tuple(aggregates)
    names = [name for name in value_columns(wanted) if value_tree(table, name) is None]
    names += [name for name in key_columns(wanted) if name not in table.trees]
    if table.unit.column is not None:
        names.append(table.unit.column)
    names += table.links
    names += [leaf.value for leaf in reads_of(table, wanted)]
    return tuple(dict.fromkeys(names))


def keyed(column: str) -> Aggregate:
    """Return a vector that looks at one column of keys, to say that it is read."""
    return Aggregate(by=(column,), measures=(), sensitivity=Sensitivity(1, 1, 1))


def check_declared(table: Table, aggregates: Iterable[Aggregate]) -> None:
    """Refuse aggregates over columns without public bounds or keys, or of too large sums."""
    wanted = tuple(aggregates)
    if any(aggregate.sizes for aggregate in wanted):
        raise InternalError(
            "an engine was asked for the sizes of groups.",
            kind="internal-fault",
            why="they are made of the pairs of unit and key, and nothing else bounds them",
            fix="please report it, with the plan",
        )
    for column, declared, where in [
        *((column, table.columns, "columns") for column in value_columns(wanted)),
        *((column, table.keys, "keys") for column in key_columns(wanted)),
    ]:
        if column not in declared:
            raise InputError(
                f"{shown(column)} is used, but not declared in {where}.",
                kind="column-not-declared",
                why="what is public about a column must be said before the data is read",
                fix=f"add {shown(column)!r} to {where} of the table",
            )
    check_sums(table, wanted)


def check_columns(table: Table, aggregates: Iterable[Aggregate], there: Iterable[str]) -> None:
    """Refuse a source that lacks a column which the table's unit or the aggregates need."""
    names, needed = list(there), used_columns(table, aggregates)
    declared = {*table.columns, *table.keys, table.unit.column}  # others are in expressions alone
    for column in needed:
        if column not in names:
            meant = f"; if it is text, write '{shown(column)}' in ' '"
            raise InputError(
                f"{shown(table.name)} has no column {shown(column)!r}.",
                kind="no-such-column",
                why="names are matched exactly, with their case and blanks",
                fix=_hint(column, needed, names) + ("" if column in declared else meant),
            )
    if table.taken:
        check_taken(table, names)
    for column in table.trees:
        if column in names:
            raise InputError(
                f"{shown(column)} is a column of the data already.",
                kind="column-twice",
                why="what is made of a row needs a name of its own, so that none is taken for "
                "another",
                fix=f"name it {shown(column)}_2",
            )


def check_taken(table: Table, names: Iterable[object]) -> None:
    """Refuse a table of a join with a column that another one gives, the unit's among them."""
    there = {*names}
    for name, other in table.taken:
        if name in there:
            raise InputError(
                f"{shown(table.name)} has a column {shown(name)!r}, which {shown(other)} gives.",
                kind="column-twice",
                why="then a name does not say which column is meant; and rows that name a unit "
                "themselves are that unit's, and not what others refer to",
                fix=f"leave {shown(name)!r} out of one of them, or rename it there; rows of one "
                "unit are joined by discreet.join",
            )


def _hint(column: str, needed: Sequence[str], names: Sequence[str]) -> str:
    """Return what to write instead.

    The names are listed only if one of them is a declared column: the first row of a file without a
    header holds cells, and an error that quotes a row is a leak.
    """
    near = [name for name in names if name.casefold() == column.casefold()]
    if near:
        return f"write {shown(near[0])!r}"
    if not set(needed) & set(names):
        return "check that the first row of the source names its columns, and how it does"
    listed = ", ".join(shown(name, 30) for name in names[:12])
    return f"its columns are: {listed}{', …' if len(names) > 12 else ''}"


@contextmanager
def uncollected() -> Iterator[None]:
    """Have Python look for no cycles of references while many rows of numbers are read.

    They make none; but whenever 700 more are there it looks for some, now and then among all
    objects that there are, which takes several times as long as to read the rows.
    """
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()


def quietly(read: Callable[[], Found]) -> Found:
    """Return what `read` returns; whatever goes wrong in it becomes one fixed error.

    The engine's own exception is dropped before ours is raised, so that neither its text nor its
    frames, which may quote cells, hang on to ours.
    """
    answer = _attempt(read)
    if not answer:
        raise EngineError(
            "the data could not be read or counted to the end.",
            kind="count-failed",
            why="the engine stopped; its own message is withheld, because it may quote the data",
            fix="check the files, the memory and the disk of the machine, with the data's owner",
        )
    return answer[0]


def _attempt(read: Callable[[], Found]) -> tuple[Found, ...]:
    try:
        return (read(),)
    except Exception:  # noqa: BLE001 - nothing that the engine says may pass
        return ()
