"""Where in a plan file an error is, and the three lines that say so.

Rules of this module:
- an error names the file, the part, and for a question its number, as a reader would count;
- it may quote the plan file, which is the caller's own text, and nothing else.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

from ..errors import InputError, shown
from ..fix import BLANK, Ways, our_name, write
from ..schema.csv_options import called_here
from . import examples
from .in_file import Speller
from .schema import PARTS, names_of, toml
from .written import Way, Written

_TAGS = ("word", "list", "table", "in a file")
_FREE = (
    "columns",
    "keys",
    "join",
    "owner",
    "derive",
    "other",
    "missing",
    "labels",
    "questions",
    "ask",
    "also",
)  # below them each name is free
_INNER = ("columns.*.", "keys.*.", "join.*.", "owner.*.", "derive.*.", "data.unit.")
_KIND = "plan-file-setting"  # the kind of error where no other fits
_MOST_CHARACTERS = 400  # of a fix


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a plan file: the file's name, the names on the way to it, and what is written."""

    file: str
    path: Way = ()
    written: Written = field(default_factory=Written)

    def at(self, *path: str | int) -> "Place":
        """Return a place further down."""
        return Place(self.file, (*self.path, *path), self.written)

    def root(self) -> "Place":
        """Return the whole file."""
        return Place(self.file, (), self.written)

    @property
    def pattern(self) -> str:
        """The place with each free name as a star: "ask.*.column"."""
        return ".".join(
            "*" if depth == 1 and self.path[0] in _FREE else str(name)
            for depth, name in enumerate(self.path)
        )

    def error(self, what: str, *, why: str, fix: str = "", kind: str = _KIND) -> InputError:
        """Return the error of this place; without a fix it says what can be written here."""
        return InputError(f"{self}: {what}", kind=kind, why=why, fix=_short(fix or self.example()))

    def missing(self, why: str) -> InputError:
        """Return the error that something has to be said here."""
        if self.pattern == "also.*.derive" and (derived := self._derived()):
            return self.error("this is missing.", kind="plan-file-lacks", why=why, fix=derived)
        inner = self.pattern.startswith(_INNER)
        fix = "" if inner else self.under(examples.WRITE.get(self.pattern, ""))
        return self.error("this is missing.", kind="plan-file-lacks", why=why, fix=fix)

    def _derived(self) -> str:
        """Return what to write where the kind of derived numbers stands in place of `derive`."""
        from ..derive.catalog import derivations

        there = self.written.value(self.path[:2])
        kinds = (
            [name for name in there if name in derivations()] if isinstance(there, Mapping) else []
        )
        if len(kinds) != 1 or not isinstance(there, Mapping):
            return ""
        of = there[kinds[0]]
        named = f" and of = {toml(of)}" if isinstance(of, str) and "of" not in there else ""
        return f"write derive = {toml(kinds[0])}{named} in place of {kinds[0]}"

    def under(self, line: str) -> str:
        """Return the advice to write one more line in the part that this place is in."""
        part = str(self.path[0])
        if len(self.path) == 1 or not line:
            return f"write {line}" if line else ""
        if part in ("ask", "also"):
            return f"under that [[{part}]], write {line}"
        if not isinstance(self.written.said.get(part), Mapping):
            return f"write {part} = {{ {line} }} above the first [part]"
        return f"under [{part}], write {line}"

    def still_blank(self) -> InputError:
        """Return the error of a question mark that nobody has answered."""
        line = self.written.line(self.path)
        return self.error(
            "this is still a question mark.",
            kind="blank-left",
            why=_OF_FILES
            if ".csv." in self.pattern
            else "only you know it: it decides who is protected or how well, and it must not come "
            "from the data",
            fix=f'in place of "?" {f"in line {line} " if line else ""}write '
            f"{examples.answer(self.pattern)}",
        )

    def unknown(self, name: str, known: Sequence[str]) -> InputError:
        """Return the error of a name that this place does not know."""
        there = self.written.value(self.path)
        free = [other for other in known if not isinstance(there, Mapping) or other not in there]
        near = our_name(name, free)
        if self.pattern == "data.csv":
            near = near or next((other for other in free if other == called_here(name)), "")
        if self.pattern == "data" and (option := called_here(name)):
            return self._of_csv(name, option, there)
        return self.at(name).error(
            "this name is not known here.",
            kind="plan-file-name",
            why=f"known here: {', '.join(known)}" if known else "no name is known here",
            fix=f"write {near} in place of {shown(name)}" if near else f"remove {shown(name)}",
        )

    def _of_csv(self, name: str, option: str, beside: Mapping[str, object]) -> InputError:
        """Return the error of an option of csv that stands beside it."""
        value = beside[name]
        fix = f"write it inside of csv, as {option}"
        if "csv" not in beside and isinstance(value, str):
            old = f"{name} = {toml(value)}"
            fix = f"write csv = {toml({option: value})} in place of {old}"
        why = "how the cells of a CSV file are written stands together"
        return self.at(name).error(
            "this is an option of csv.", kind="plan-file-name", why=why, fix=fix
        )

    def example(self) -> str:
        """Return what can be written here in place of what stands here."""
        pattern = self.pattern
        there = self.written.value(self.path[:2])
        if pattern == "spend" and isinstance(there, Mapping):
            return Speller(self.written, self.path)((write(of="plan", spend=BLANK),))
        if "." not in pattern and pattern in examples.PARTS:
            return examples.part_of(pattern, there)
        ways = examples.ways_at(self.path, there) if self.path else ()
        return Speller(self.written, self.path, self.path)(ways) or examples.example_line(pattern)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Let an error of the rooms below name its place in the file, and say its fix in TOML."""
        try:
            yield
        except InputError as error:
            speller = Speller(self.written, self.path)
            place = Place(self.file, speller.place_of(error.at), self.written)
            speller = Speller(self.written, self.path, place.path)
            shown_fix = partial(_spelled, speller, place)
            raise error.spelled(shown_fix, str(place)) from None

    def __str__(self) -> str:
        if self.path and self.path[0] in ("ask", "also") and len(self.path) > 1:
            words = [f"{self.path[0]} {int(self.path[1]) + 1}", *self.path[2:]]
        else:
            words = list(map(str, self.path))
        line = self.written.line(self.path)
        where = [shown(self.file), *([f"line {line}"] if line else [])]
        return ", ".join([*where, *(shown(word) for word in words)])


def _spelled(speller: Speller, place: Place, ways: Ways) -> str:
    return _short(speller(ways) or place.example())


def _short(fix: str) -> str:
    if len(fix) > _MOST_CHARACTERS:
        return "correct it there; the examples of discreet show how each part is written"
    return fix or "correct it there"


def from_pydantic(whole: Place, faults: Sequence[dict[str, Any]]) -> InputError:
    """Return the first fault of a plan file; an unknown name comes before what it left missing."""
    first = min(faults, key=lambda fault: fault["type"] != "extra_forbidden")
    place = whole.at(*_steps(whole, cast("tuple[str | int, ...]", first["loc"])))
    if first["type"] == "extra_forbidden":
        above = whole.at(*place.path[:-1])
        there = above.written.value(above.path)
        return above.unknown(str(place.path[-1]), names_of(above.pattern, there))
    if first["type"] == "missing":
        return place.missing(_WHY.get(place.pattern, "a plan needs it"))
    return place.error(
        f"{shown(_written(first['input']))} does not fit here.",
        why=_WHY.get(place.pattern, _must_be(place, str(first["type"]))),
    )


def _steps(whole: Place, path: Sequence[str | int]) -> list[str | int]:
    """Return a path without the tags of its parts; a name in the file that is spelled so stays."""
    steps, there = list[str | int](), whole.written.value(())
    for depth, step in enumerate(path):
        is_name = isinstance(there, dict) and step in there
        if step in _TAGS and not is_name:
            continue
        is_item = isinstance(there, list) and isinstance(step, int) and step < len(there)
        there = there[step] if is_name or is_item else None
        if isinstance(step, str) or depth == 1:
            steps.append(step)
    return steps


def _must_be(place: Place, kind: str) -> str:
    """Return what a setting must be, with its description where its part has one."""
    part = PARTS.get(place.root().at(*place.path[:-1]).pattern)
    fields = part.model_fields if part else {}
    of = {field.alias or name: field.description for name, field in fields.items()}
    meant = of.get(str(place.path[-1])) if place.path else None
    known = f": {meant[0].lower()}{meant[1:].removesuffix('.')}" if meant else ""
    return f"it must be {_KINDS.get(kind, 'as shown')}{known}"


def _written(value: object) -> str:
    """Return a value as TOML writes it, roughly; parts are named, not quoted."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a part with names"
    if isinstance(value, list):
        return "a list"
    return repr(value) if isinstance(value, str) else str(value)


_OF_FILES = (
    "whoever wrote the file knows it: its first line does not tell, and a cell that is read "
    "otherwise is missing or another value"
)
_KINDS = {
    "string_type": "text in quotes",
    "int_type": "a whole number",
    "list_type": "a list",
    "dict_type": "a part with names",
    "model_type": "a part with names",
}
_WHY = {
    "data": "a plan says where its data is and who is protected",
    "data.source": "the source is the path of a CSV or Parquet file, a list of paths, or postgresql://...",
    "data.unit": "the unit says who is protected: a row, or all rows that share a value of one "
    "column",
    "data.unit.column": "it is the column that names the unit, for example a person's number",
    "data.neighbors": "it says which two tables must look alike: one unit more or less, or one "
    "unit exchanged",
    "spend": "a plan says what it may cost and which ledger pays",
    "ask": "a plan asks at least one question",
    "ask.*.statistic": "each question names its statistic",
    "columns.*": "a column that is summed or averaged needs a public range",
    "columns.*.lower": "a range has a lower and an upper end; both are public, exact numbers",
    "columns.*.upper": "a range has a lower and an upper end; both are public, exact numbers",
    "join.*.gives": "what is read of another table is said by name",
    "owner.*.gives": "the columns that are read of it, the unit's column among them",
    "owner.*.on": "it is the column that refers to an owner, for example the number of an order",
    "data.where": 'only rows count for which it is true, as in "age >= 18"',
    "derive.*": "a derived column has an expression, and bounds or keys",
    "keys.*": "the public values of a column are a list, whole numbers from one to another, or "
    "names with a list each of how cells say them",
}
