"""Whether tables of a join lie in one source: the rows that name owners, and the rows they own.

Rules of this module:
- what is asked is where data lies, never what a cell holds: files by device and number, frames by
  the memory that they share, tables by their full names;
- what does not say where it lies (a stream, a query that nobody can read) is refused beside all
  that it could be: the same rows could come by both ways;
- facts are looked at beside each table that units bring rows into; `docs/laws/joins.md` says why;
- a copy is another source: what the plan then says of its facts is true of it.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from ..errors import InputError, shown
from ..schema import Table
from .held_memory import Span, memory_of, overlap
from .source import data_sets_of, files_of, is_data_set, is_paths, is_row, is_rows

Mark = tuple[object, ...]

ANYWHERE = frozenset({"rows", "memory", "file", "table", "foreign"})  # kinds of places
_MOST_NAMES = 5


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a source lies.

    Attributes:
        kind: the kind of place: "rows", "memory", "file", "table", "foreign"; "" where unknown.
        marks: what says which place it is: two sources that share one are one.
        names: marks of places that another source can have by chance of its name.
        spans: the memory that it holds.
        unseen: the kinds of places where it may lie, too, without a mark.
        why: why that is not seen: "is a stream, which does not say what it reads".
        fix: what to do about it.
        keeps: what must live until places are compared.
    """

    kind: str = ""
    marks: frozenset[Mark] = frozenset()
    names: frozenset[Mark] = frozenset()
    spans: frozenset[Span] = frozenset()
    unseen: frozenset[str] = frozenset()
    why: str = ""
    fix: str = ""
    keeps: tuple[object, ...] = ()

    def of_table(self, name: str) -> "Origin":
        """Return where a table of a file lies; "" is the file itself."""
        if not name or self.unseen:
            return self
        return replace(self, marks=frozenset((*mark, name) for mark in self.marks))

    def is_one_with(self, other: "Origin") -> bool:
        """Say whether it is seen that both are one source."""
        return bool(self.marks & other.marks) or overlap(self.spans, other.spans)

    def could_be(self, other: "Origin") -> bool:
        """Say whether this one may lie unseen where the other one lies, or may lie."""
        return bool(self.unseen & ({other.kind} | other.unseen))


def check_apart(table: Table, places: Callable[[], Sequence[Origin]]) -> None:
    """Refuse facts that lie where a table lies which names their owners, or holds units' own rows.

    Args:
        table: the declaration, with its joins.
        places: returns where each of its tables lies, the first one first; it is called where
            somebody owns rows.

    Raises:
        InputError: two of them are one source, or cannot be told apart.
    """
    if not any(join.kind == "owner" for join in table.joins):
        return
    facts, *others = places()
    for join, other in zip(table.joins, others, strict=True):
        if facts.is_one_with(other):
            raise InputError(
                f"{shown(table.name)} and {shown(join.name)} are one source.",
                kind="same-source",
                why="whoever comes with a row in it brings a fact that others refer to, and so "
                "moves the rows of others, further than the plan is priced for",
                fix="join rows of one unit by discreet.join, or write facts that name no unit into "
                "a table of their own",
            )
        _check_seen(table.name, facts, join.name, other)


def _check_seen(facts: str, first: Origin, name: str, second: Origin) -> None:
    """Refuse two sources of which nobody can say whether they are one."""
    pairs = ((facts, first, second), (name, second, first))
    hidden = next(((who, origin) for who, origin, other in pairs if origin.could_be(other)), None)
    if hidden is None and first.names & second.names:
        hidden = (facts, _OF_ONE_NAME)
    if hidden is None:
        return
    who, place = hidden
    raise InputError(
        f"{shown(facts)} and {shown(name)} could be one source: {shown(who)} {place.why}.",
        kind="same-source",
        why="in one source a row of a unit would be a fact that others refer to, and would move "
        "their rows further than the plan is priced for",
        fix=place.fix,
    )


_OF_ONE_NAME = Origin(
    why="is called as the other one is, in a database in memory that has no name of its own",
    fix="join them as tables of one connection, by their names, or pass one of them as a frame",
)


def hidden(why: str, fix: str, unseen: frozenset[str] = ANYWHERE, kind: str = "") -> Origin:
    """Return the place of a source that does not say where it lies."""
    return Origin(kind=kind, unseen=unseen, why=why, fix=fix)


def place_of(source: object, paths: Iterable[str] = ()) -> Origin:
    """Return where a source lies that is files, a frame, a data set, a stream or a list.

    Args:
        source: as it was declared.
        paths: the files that it is, where it is files.
    """
    if is_rows(source):
        return _of_rows(cast("Sequence[object]", source))
    if is_paths(source):
        return _of_files(paths)
    if is_data_set(source):
        return _of_data_set(source)
    memory = memory_of(source)
    if memory is None:
        return _of_stream(source)
    keeps = memory.keeps
    here = Origin("memory", frozenset({("object", id(source))}), spans=memory.spans, keeps=keeps)
    if not memory.unseen:
        return here
    named = ", ".join(shown(name) for name in memory.unseen[:_MOST_NAMES])
    return Origin(
        kind="memory",
        marks=here.marks,
        spans=here.spans,
        unseen=frozenset({"memory"}),
        why=f"has columns of a type whose memory cannot be looked up: {named}",
        fix=f"give {named} a plain type, leave them out, or write one of the two to a file",
        keeps=keeps,
    )


def _of_files(paths: Iterable[str]) -> Origin:
    marks: set[Mark] = set()
    for path in paths:
        try:
            there = Path(path).stat()
        except OSError:
            return hidden("is a file that does not say where it lies", "copy it to this machine")
        marks.add(("file", there.st_dev, there.st_ino))
    return Origin("file", frozenset(marks))


def _of_rows(source: Sequence[object]) -> Origin:
    """Return where a list of dicts lies: its rows, if a second look finds the same ones."""
    marks: set[Mark] = {("object", id(source))}
    first: list[object] = []
    with suppress(Exception):  # rows that raise are told where they are counted
        first = [row for row in source if is_row(row)]
        marks |= {("object", id(row)) for row in first}
        if {id(row) for row in source if is_row(row)} != {id(row) for row in first}:
            return hidden("is a list whose rows are made anew at each look", "pass list(rows)")
    return Origin("rows", frozenset(marks), keeps=(source, first))


def _of_data_set(source: object) -> Origin:
    """Return where a data set lies: in files of this machine, or unseen."""
    marks: set[Mark] = set()
    for part in data_sets_of(source):
        paths = files_of(part)
        place = _of_files(paths)
        if not paths or place.unseen:
            return hidden(
                "is a data set that does not lie in files of this machine",
                "read it into a table before: source.to_table()",
            )
        marks |= place.marks
    return Origin("file", frozenset(marks), keeps=(source,))


def _of_stream(source: object) -> Origin:
    if hasattr(source, "collect"):
        fix = "collect it before: source.collect()"
        return hidden("is a lazy frame, which does not say what it reads", fix)
    return hidden(
        "is a stream, which does not say what it reads",
        "read it into a table before, pyarrow.table(source), or write it to a file",
    )


def place_of_tables(bases: Iterable[Sequence[Any]] | None) -> Origin:
    """Return where a table of a connection lies, by the tables of which it is made, if known."""
    if bases is None:
        return hidden(
            "is made of tables that its query does not name plainly",
            "name a table of the connection, or write it to a table of its own: CREATE TABLE",
        )
    return Origin("table", frozenset(("table", *base) for base in bases))
