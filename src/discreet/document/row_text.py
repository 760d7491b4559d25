"""Rows in the text of a release, read without a list for each of them.

Rules of this module:
- long rows are cut out of the text, and read as one list of cells. They are taken only if they are
  written again to the same text, byte for byte: so no other text is read in this way, whatever its
  cells hold, and the canonical text is known from then on;
- in their place stands a mark, which no text of this kind has. Where an answer has not its own
  mark, in their order, nothing is taken.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from pydantic_core import from_json

from .rows import CELLS, Rows

_PART = 1 << 20  # characters that are read at once, at least
_LONG = 1 << 16  # characters of rows: shorter ones are read with the rest
_MARK = "rows read apart: "
_START, _BETWEEN, _END = '"rows":[[', "],[", "]]"


def read_apart(text: str, read: Callable[[str], Any]) -> Any:
    """Return what a reader makes of a text, long rows of answers as Rows.

    Args:
        text: of a release.
        read: what reads JSON, and raises ValueError where it is none.
    """
    rest, rows = ("", []) if _MARK in text else _cut(text)
    if not rows:
        return read(text)
    plain = read(rest)
    answers = _answers(plain)
    if [answer["rows"] for answer in answers] != [f"{_MARK}{at}" for at in range(len(rows))]:
        return read(text)
    for answer, own in zip(answers, rows, strict=True):
        answer["rows"] = own
    return plain


def _cut(text: str) -> tuple[str, list[Rows]]:
    """Return the text with marks in the place of long rows, and these, in their order."""
    parts, rows, done, at = list[str](), list[Rows](), 0, 0
    while (start := text.find(_START, at)) >= 0:
        start += len(_START)
        end, at = text.find(_END, start), start
        own = _rows(text[start:end]) if end - start >= _LONG else None
        if own is not None:
            parts += [text[done : start - 2], f'"{_MARK}{len(rows)}"']
            rows.append(own)
            done = at = end + len(_END)
    return "".join([*parts, text[done:]]), rows


def _rows(body: str) -> Rows | None:
    """Return the rows that are written so; none if they are written in another way."""
    parts: list[list[list[Any]]] = []
    try:
        for part in _parts(body):
            cells = from_json(f"[{part.replace(_BETWEEN, ',')}]", allow_inf_nan=False)
            width, more = divmod(len(cells), part.count(_BETWEEN) + 1)
            if more or (parts and width != len(parts[0])):
                return None
            parts.append([cells[at::width] for at in range(width)])
        rows = Rows([tuple(chain.from_iterable(of)) for of in zip(*parts, strict=True)])
        del parts
        if any(rows.kinds(at) - CELLS for at in range(len(rows.columns))):
            return None
        text = rows.text()
    except ValueError:  # no JSON, or a number that is not finite
        return None
    return rows if len(text) == len(body) + 4 and text.startswith(body, 2) else None


def _parts(body: str) -> Iterator[str]:
    """Yield what stands between some of the signs that part rows: all at once fill the memory."""
    start = 0
    while start < len(body):
        end = body.find(_BETWEEN, start + _PART)
        end = len(body) if end < 0 else end
        yield body[start:end]
        start = end + len(_BETWEEN)


def _answers(plain: Any) -> list[dict[str, Any]]:
    """Return the answers whose rows were cut out."""
    try:
        answers = [released["answer"] for released in plain["statistics"]]
    except (LookupError, TypeError):
        return []
    return [a for a in answers if isinstance(a, dict) and _is_mark(a.get("rows"))]


def _is_mark(rows: object) -> bool:
    return isinstance(rows, str) and rows.startswith(_MARK)
