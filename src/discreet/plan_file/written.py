"""What stands in a plan file: its text, its plain data, and the line of each name.

Rules of this module:
- a regular file is read, up to a limit; a name nested without end, or names without number, are
  refused before they are parsed, because the parser's time grows with the square of the depth;
- a line is told only where it is certain: statement by statement, as the parser reads them.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any

from ..document.regular import regular, why_not
from ..errors import InputError, shown
from .slips import line_of, meant

Way = tuple[str | int, ...]  # the names on the way to a place

_MOST_BYTES = 20_000_000
_MOST_NAMES = 100_000
_DEEPEST = 32
_LONGEST = 10_000  # lines that are looked through for the place of an error

_DATA = "a data file"
_YAML = re.compile(r"[\w-]+:(\s.*)?")
_CELLS = re.compile(r"[,;\t|]")  # what stands between the names of columns
_TWICE = re.compile(r"(?:Cannot overwrite|Cannot declare).*\(at line (\d+),")
_QUOTED = re.compile(r'"(?:[^"\\\n]++|\\.)*+"|\'[^\'\n]*+\'')
_PART = r'(?:[\w-]++|"")[ \t]*+\.[ \t]*+'
_DEEP = re.compile(rf'(?<![\w"-])(?:{_PART}){{{_DEEPEST}}}')


@dataclass(frozen=True)
class Written:
    """A plan file as it is written."""

    text: str = ""
    said: Mapping[str, Any] = field(default_factory=dict)

    def line(self, path: Way) -> int | None:
        """Return the line of a name, or of the part that it belongs to; None if it is not known."""
        for depth in range(len(path), 0, -1):
            if path[:depth] in self._lines:
                return self._lines[path[:depth]]
        return None

    def value(self, path: Way) -> Any:
        """Return what stands at a place, or None."""
        value_there: Any = self.said
        for step in path:
            try:
                value_there = value_there[step]
            except (KeyError, IndexError, TypeError):
                return None
        return value_there

    @cached_property
    def _lines(self) -> dict[Way, int]:
        lines: dict[Way, int] = {}
        part: Way = ()
        for number, statement, is_header in _statements(self.text):
            if is_header:
                part = _part(statement, lines)
            for path in ((),) if is_header else _paths(statement):
                lines.setdefault((*part, *path), number)
        return lines


def _statements(text: str) -> Iterator[tuple[int, dict[str, Any], bool]]:
    """Return, for each statement, its first line, its plain data, and whether it heads a part."""
    chunk: list[str] = []
    for number, line in enumerate(text.split("\n")[:_LONGEST], start=1):
        chunk.append(line)
        if line.rstrip().endswith(",") and "#" not in line:  # in a list; else its end is a guess
            continue
        try:
            data = tomllib.loads("\n".join(chunk), parse_float=Decimal)
        except (ValueError, ArithmeticError, RecursionError):
            continue
        if data:
            yield number - len(chunk) + 1, data, chunk[0].lstrip().startswith("[")
        chunk = []


def _part(data: dict[str, Any], known: Mapping[Way, int]) -> Way:
    """Return the part that a header opens; one of several has its number."""
    path: Way = ()
    inner: Any = data
    while isinstance(inner, dict) and inner:
        name, inner = next(iter(inner.items()))
        path = (*path, name)
    if isinstance(inner, list):
        path = (*path, sum(1 for other in known if other[:-1] == path))
    return path


def _paths(data: Mapping[str, Any]) -> Iterator[Way]:
    for name, value in data.items():
        yield (name,)
        if isinstance(value, Mapping):
            yield from ((name, *path) for path in _paths(value))


def read_text(path: Path) -> str:
    """Return the text of a plan file.

    Raises:
        InputError: it cannot be read, or is no text; the reason is given, no place.
    """
    try:
        return regular(path, _MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        why = "its bytes are not UTF-8"
    except (OSError, ValueError) as error:
        why = why_not(error)
    raise InputError(
        f"{shown(path.name or path)}: the plan file cannot be read.",
        kind="no-such-file",
        why=why,
        fix="give the path of a plan file, or draft one with: discreet init DATA",
    )


def parsed(text: str, file: str) -> Written:
    """Return what a text says, once it is known to be TOML that ends.

    Raises:
        InputError: it is not TOML, or nested or long beyond every plan.
    """
    why = _endless(text)
    try:
        if why is None:
            return Written(text, tomllib.loads(text, parse_float=Decimal))
    except tomllib.TOMLDecodeError as error:
        why = str(error)
    except (ValueError, ArithmeticError, RecursionError):
        why = "a value is too long"
    raise _not_toml(text, file, why)


def _not_toml(text: str, file: str, why: str) -> InputError:
    """Return the error for a text that is no TOML, by what it looks like."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    other = _looks_like(first)
    if other:
        return InputError(
            f"{shown(file)}: the plan file is not TOML.",
            kind="plan-file-not-toml",
            why=f"it looks like {other}",
            fix=f"draft a plan with: discreet init {'DATA' if other != _DATA else quote(file)}",
        )
    twice = _TWICE.search(why)
    if twice:
        line = text.splitlines()[int(twice[1]) - 1 :][:1]
        name = line[0].split("=")[0].strip(" []") if line else "a name"
        return InputError(
            f"{shown(file)}: the plan file is not TOML: {shown(name)} stands there twice.",
            kind="plan-file-not-toml",
            why=shown(why, 160),
            fix=f"remove line {twice[1]}, or the one before it",
        )
    number = line_of(why)
    if number is not None and (lines := meant(text, number)):
        return InputError(
            f"{shown(file)}, line {number}: the plan file is not TOML.",
            kind="plan-file-not-toml",
            why=f"{shown(why, 160)}: text stands in quotes, and a number has a point and no comma",
            fix=f"write {', or '.join(lines)}",
        )
    return InputError(
        f"{shown(file)}: the plan file is not TOML.",
        kind="plan-file-not-toml",
        why=shown(why, 160),
        fix='correct that line; text stands in quotes, as in source = "people.csv"',
    )


def _looks_like(first: str) -> str:
    """Return what a file that begins with this line is, where that is plain; else ""."""
    if first.startswith(("{", "[{")):
        return "JSON, and a plan is written in TOML"
    if first == "---" or _YAML.fullmatch(first):
        return "YAML, and a plan is written in TOML"
    is_table = "=" not in first and not first.startswith(("[", "#")) and _CELLS.search(first)
    return _DATA if is_table or "\x00" in first or first.startswith("PAR1") else ""


def _endless(text: str) -> str | None:
    """Return why a text cannot be a plan, before the parser works on it; None if it can."""
    bare = _QUOTED.sub('""', text)
    if _DEEP.search(bare):
        return f"a name is nested more than {_DEEPEST} deep"
    if bare.count("=") + bare.count("\n[") > _MOST_NAMES:
        return f"it has more than {_MOST_NAMES:,} names"
    return None
