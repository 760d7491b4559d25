"""Which table of a database a name means: one rule for DuckDB and Postgres.

Rules of this module:
- points stand between database, schema and table, and may stand in each of them: a name is read in
  every such way, and what is there says which way was meant;
- a part between quotation marks is what stands there, a doubled mark being one: such a name is read
  in one way;
- a name that means two tables is refused, with both written so that each means one.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import combinations

from ..errors import InputError, shown
from ..fix import write

Parts = tuple[str, ...]

_PART = r'(?:"(?:[^"]|"")+"|[^".]+)'
_QUOTED = re.compile(rf'(?=.*"){_PART}(?:\.{_PART})*', re.DOTALL)


def readings(name: str, most: int) -> list[Parts]:
    """Return in which ways a name can be read: its parts, the table last.

    Args:
        name: as it was declared.
        most: parts that a full name of this database has.

    Example:
        >>> readings("a.b", 3), readings('a."b.c"', 3)
        ([('a.b',), ('a', 'b')], [('a', 'b.c')])
    """
    if _QUOTED.fullmatch(name):
        parts = [tuple(map(_bare, re.findall(_PART, name)))]
        return [reading for reading in parts if len(reading) <= most]
    points = [place for place, sign in enumerate(name) if sign == "."]
    cuts = [cut for count in range(most) for cut in combinations(points, count)]
    return [reading for cut in cuts if all(reading := _cut(name, cut))]


def _bare(part: str) -> str:
    return part[1:-1].replace('""', '"') if part.startswith('"') else part


def _cut(name: str, points: Sequence[int]) -> Parts:
    starts, ends = (0, *(place + 1 for place in points)), (*points, len(name))
    return tuple(name[start:end] for start, end in zip(starts, ends, strict=True))


def quoted(parts: Iterable[str]) -> str:
    """Return the name that means these parts and nothing else.

    Example:
        >>> quoted(("a", "b.c"))
        '"a"."b.c"'
    """
    return ".".join('"{}"'.format(part.replace('"', '""')) for part in parts)


def of_two(name: str, meanings: Iterable[Parts]) -> InputError:
    """Return the refusal of a name that means several tables, by their full names."""
    return InputError(
        f"{shown(name)!r} means more than one table of the database.",
        kind="source-unclear",
        why="a name is a table, or a schema and a table with a point between them, or the "
        "session's own temporary table; a plan must say which one it counts",
        fix=tuple(write(of="table", name=quoted(parts)) for parts in meanings),
    )
