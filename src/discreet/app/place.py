"""Where in a plan file an error is, and the three lines that say so.

Rules of this module:
- an error names the file, the part, and for a question its number, as a reader would count;
- it may quote the plan file, which is the caller's own text, and nothing else.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import cast

from ..errors import InputError, shown
from .shape import EXAMPLES, names_of

_TAGS = ("word", "list", "table")


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a plan file: the file's name, and the names on the way to the place."""

    file: str
    path: tuple[str | int, ...] = ()

    def at(self, *path: str | int) -> "Place":
        """Return a place further down."""
        return Place(self.file, (*self.path, *path))

    @property
    def pattern(self) -> str:
        """The place with each free name as a star: "ask.*.column"."""
        free = {"columns", "keys", "ask"}
        return ".".join(
            "*" if depth == 1 and self.path[0] in free else str(name)
            for depth, name in enumerate(self.path)
        )

    def error(self, what: str, *, why: str, fix: str = "") -> InputError:
        """Return the error of this place; without a fix it shows an example of the place."""
        return InputError(f"{self}: {what}", why=why, fix=fix or self.example())

    def example(self) -> str:
        """Return something that can be typed here."""
        example = EXAMPLES.get(self.pattern, EXAMPLES["ask"])
        starts_bare = example.startswith(("{", "["))
        return f"write {shown(self.path[1])} = {example}" if starts_bare else f"write {example}"

    def unknown(self, name: str, known: Sequence[str]) -> InputError:
        """Return the error of a name that this place does not know."""
        near = nearest(name, known)
        return self.error(
            f"{shown(name)} is not a name that is known here.",
            why=f"known here: {', '.join(known)}" if known else "no name is known here",
            fix=f"write {near} in place of {shown(name)}" if near else f"remove {shown(name)}",
        )

    @contextmanager
    def named(self) -> Iterator[None]:
        """Let an error of the rooms below name this place, and end with what a file can say."""
        try:
            yield
        except InputError as error:
            in_python = "(" in error.fix or "={" in error.fix or "spend=" in error.fix
            raise self.error(
                error.what, why=error.why, fix="" if in_python else error.fix
            ) from None

    def __str__(self) -> str:
        if self.path and self.path[0] == "ask" and len(self.path) > 1:
            words = [f"ask {int(self.path[1]) + 1}", *self.path[2:]]
        else:
            words = list(map(str, self.path))
        return ", ".join([shown(self.file), *(shown(word) for word in words)])


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name nearest to the one written, or nothing."""
    lower = {item.casefold(): item for item in known}
    close = get_close_matches(name.casefold(), lower, n=1)
    return lower[close[0]] if close else ""


def from_pydantic(file: str, found: Sequence[dict[str, object]]) -> InputError:
    """Return the first fault of a plan file; an unknown name comes before what it left missing."""
    first = min(found, key=lambda fault: fault["type"] != "extra_forbidden")
    path = cast("tuple[str | int, ...]", first["loc"])
    steps = [
        step
        for depth, step in enumerate(path)
        if step not in _TAGS and (isinstance(step, str) or depth == 1)
    ]
    place = Place(file, tuple(steps))
    if first["type"] == "extra_forbidden":
        above = Place(file, place.path[:-1])
        return above.unknown(str(place.path[-1]), names_of(above.pattern))
    if first["type"] == "missing":
        return place.error("this is missing.", why=_WHY.get(place.pattern, "a plan needs it"))
    return place.error(
        f"{shown(_written(first['input']))} does not fit here.",
        why=_WHY.get(place.pattern, f"it must be {_KINDS.get(str(first['type']), 'as shown')}"),
    )


def _written(value: object) -> str:
    """Return a value as TOML writes it, roughly; parts are named, not quoted."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a part with names"
    if isinstance(value, list):
        return "a list"
    return repr(value) if isinstance(value, str) else str(value)


_KINDS = {
    "string_type": "text in quotes",
    "int_type": "a whole number",
    "list_type": "a list",
    "dict_type": "a part with names",
    "model_type": "a part with names",
}
_WHY = {
    "data": "a plan says where its data is and who is protected",
    "data.source": "the source is the path of a CSV or Parquet file, or a list of paths",
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
    "keys.*": "the public values of a column are a list, or whole numbers from one to another",
}
