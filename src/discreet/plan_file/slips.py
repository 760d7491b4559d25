"""A line that is no TOML, as it is likely meant: numbers with commas, text without quotes.

Rules of this module:
- what is advised parses, by itself and in the place of the line; nothing else is advised;
- a number with two readings is shown in both, and nobody guesses.
"""

import re
import tomllib
from collections.abc import Iterator

from ..errors import shown
from ..expressions.as_written import literals_of

_PLACE = re.compile(r"\(at line (\d+), column \d+\)")
_ONE_VALUE = re.compile(r"""(\s*(?:[\w-]+|"[^"]*")\s*=\s*)([^#"'\[{]*?)(\s*(?:#.*)?)""")
_LIST = re.compile(r"""(\s*(?:[\w-]+|"[^"]*")\s*=\s*)\[([^"'\[\]{}#]*)\](\s*(?:#.*)?)""")
_INNER = re.compile(r"(=\s*)(-?(?:\d[\d.,'’_]*)?[.,'’_]\d+)(?=\s*[,}])")  # in { ... }
_LONGEST = 200  # letters of a line that is written again


def line_of(why: str) -> int | None:
    """Return the line that a parser's reason names, counted from 1."""
    place = _PLACE.search(why)
    return int(place[1]) if place else None


def meant(text: str, number: int) -> list[str]:
    """Return what may stand in a line in place of what stands there; [] where nobody can say.

    Example:
        >>> meant("epsilon = 0,5", 1), meant("rows = 2,000", 1), meant("by = sex", 1)
        (['epsilon = 0.5'], ['rows = 2000', 'rows = 2'], ['by = "sex"'])
        >>> meant("wage = { lower = 0, upper = 5,000 }", 1)
        ['wage = { lower = 0, upper = 5000 }', 'wage = { lower = 0, upper = 5 }']
    """
    lines = text.splitlines()
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    if not line or len(line) > _LONGEST or shown(line, _LONGEST) != line:
        return []
    return [other.strip() for other in _others(line) if other != line and _parses(other)]


def _others(line: str) -> Iterator[str]:
    if listed := _LIST.fullmatch(line):
        words = ", ".join(f'"{word.strip()}"' for word in listed[2].split(",") if word.strip())
        yield f"{listed[1]}[{words}]{listed[3]}"
    elif value := _ONE_VALUE.fullmatch(line):
        for literal in _literals(value[2]):
            yield f"{value[1]}{literal}{value[3]}"
    else:
        yield from _with_inner(line)


def _literals(value: str) -> Iterator[str]:
    """Return how a value without quotes may be written: as a number, or else as text."""
    numbers = [literal for literal in literals_of(value) if "'" not in literal]
    yield from numbers
    if not numbers and value.strip() and "\\" not in value:
        yield f'"{value.strip()}"'


def _with_inner(line: str) -> Iterator[str]:
    """Return a line whose numbers in braces have points, in each reading of the first of them."""
    first = _INNER.search(line)
    for place in range(len(literals_of(first[2])) if first else 0):

        def number(part: re.Match[str], place: int = place) -> str:
            readings = literals_of(part[2])
            return part[1] + (readings[min(place, len(readings) - 1)] if readings else part[2])

        yield _INNER.sub(number, line)


def _parses(line: str) -> bool:
    try:
        return bool(tomllib.loads(line))
    except (tomllib.TOMLDecodeError, ValueError):
        return False
