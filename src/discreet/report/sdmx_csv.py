"""A release as SDMX-CSV 2.0: a row for each observation, in an agency's names and codes.

Rules of this module:
- the columns are those of the field guide: STRUCTURE, STRUCTURE_ID and ACTION, then dimensions,
  then the measure, then attributes;
- a key that is all of them is `_T`; a name for every other row is `_O`, one for missing cells `_U`;
- an observation without a value has an empty cell and a status, Q for one that is not shown and O
  for one of which too few rows are known, and never 0;
- what has no code is refused: a code that nobody declared is no code of the agency.

Decision 130. Source: sdmx-twg/sdmx-csv 2.0.0, the field guide; the codes of CL_OBS_STATUS.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..document.accessors import has_rows, keys_of, kinds_of, labels
from ..document.document import Document, Released
from ..document.headings import as_shown
from ..document.numbers import Cell, plainly
from ..document.rows import Column, Rows
from ..document.tidy import Tidy, keys_used, renamed
from ..errors import InputError, names_shown, shown
from ..fix import call, write
from ..schema import About, Table, rest_of, table_of
from ..schema.sdmx import IDENTIFIER, Sdmx
from .forms import Marked, apart, marked

STATISTIC, COLUMN, LEVEL, BIN = "statistic", "column", "at", "bin"
_TOTAL = "_T"
_EXAMPLE = {"structure": "ABC:WAGES(1.0.0)", "dimensions": {"educ": "EDUC"}}
_INNER = {"column": COLUMN, "level": LEVEL, "bin": BIN}
_NOT_CODE = re.compile(r"[^A-Za-z0-9]+")


def sdmx_table(document: Document, about: About) -> Tidy:
    """Return a release as the table that SDMX-CSV writes.

    Raises:
        InputError: nobody named the structure, a dimension, or the code of a key.
    """
    names = about.sdmx
    if names is None:
        raise InputError(
            "no data structure is named.",
            kind="publishers-words",
            why="SDMX-CSV says in each row which structure its dimensions and codes are of",
            fix=write(about=call("discreet.about", sdmx=_EXAMPLE)),
        )
    shown_as = as_shown(document, about)
    dimensions = _dimensions(document, names)
    codes = _Codes(document, names)
    observed = [
        (place, number)
        for place in range(len(shown_as.statistics))
        for number in marked(shown_as, place, about)
    ]
    cells = [codes.of(shown_as, place, number, dimensions) for place, number in observed]
    numbers = [number for _, number in observed]
    columns: dict[str, Column] = {
        "STRUCTURE": [names.kind] * len(numbers),
        "STRUCTURE_ID": [names.structure] * len(numbers),
        "ACTION": ["I"] * len(numbers),
    }
    for at, name in enumerate(dimensions.values()):
        columns[name] = [row[at] for row in cells]
    columns |= {name: [text] * len(numbers) for name, text in names.constants.items()}
    beside = ("value", "low", "high", *["rows"] * any(map(has_rows, shown_as.statistics)))
    columns |= {names.attribute(name): [getattr(n, name) for n in numbers] for name in beside}
    columns[names.attribute("status")] = [number.status for number in numbers]
    if about.reliability is not None:
        flags = {flag.flag for flag in about.reliability.flags}
        columns[names.attribute("flag")] = [n.mark if n.mark in flags else None for n in numbers]
    real = {names.attribute(name) for name in beside}
    kinds: list[Any] = ["real" if name in real else "text" for name in columns]
    return Tidy(document.title, tuple(columns), tuple(kinds), Rows(list(columns.values())))


def sdmx_blocks(table: Tidy) -> Iterator[str]:
    """Return the parts of the text: quotes where RFC 4180 wants them, lines that end with CR LF."""
    yield _line(table.columns)
    for row in table.rows:
        yield _line(row)


def _line(cells: Iterable[Cell]) -> str:
    return ",".join(map(_field, cells)) + "\r\n"


def _field(cell: Cell) -> str:
    text = "" if cell is None else str(cell)
    return '"' + text.replace('"', '""') + '"' if re.search('[",\r\n]', text) else text


def _dimensions(document: Document, names: Sdmx) -> dict[str, str]:
    """Return the dimensions by what they are in the long table, or refuse one without a name."""
    used = keys_used(document)
    called = dict(zip(renamed(used, (BIN,)), used, strict=True))
    inner = [
        _INNER[axis.kind]
        for released in document.statistics
        for axis in released.answer.axes
        if axis.kind in _INNER
    ]
    wanted = [STATISTIC, *called, *dict.fromkeys(inner)]
    for name in names.dimensions:
        if name not in wanted:
            raise InputError(
                f"{shown(name)} is no column of this release.",
                kind="publishers-words",
                why=f"dimensions are of {names_shown(wanted)}",
                fix=f"take {shown(name)} out of dimensions",
                at="dimensions",
            )
    dimensions = {STATISTIC: "STATISTIC", **names.dimensions}
    bare = next((name for name in wanted if name not in dimensions), None)
    if bare is not None:
        raise InputError(
            f"{shown(bare)} has no dimension.",
            kind="publishers-words",
            why="which dimension of the structure a column is, its agency alone knows",
            fix=f"name it in dimensions of sdmx: {{ {shown(bare)} = 'REF_AREA' }}",
            at="dimensions",
        )
    return {name: dimensions[name] for name in wanted}


class _Codes:
    """The codes of all cells; each is looked up once."""

    def __init__(self, document: Document, names: Sdmx) -> None:
        declared = table_of(document.plan["table"])
        self._codes = {column: {**codes} for column, codes in names.codes.items()}
        self._rest = {column: _rest_codes(declared, column) for column in declared.keys}
        self._labels = labels(document)
        self._statistics = [self._statistic(label) for label in self._labels]
        used = keys_used(document)
        self._columns = dict(zip(used, renamed(used, (BIN,)), strict=True))
        if len({*self._statistics}) < len(self._statistics):
            raise InputError(
                "two questions have one code.",
                kind="publishers-words",
                why="SDMX-CSV would hold two values of one observation",
                fix="write codes of statistic in sdmx, one for each name of a question",
                at="codes",
            )

    def _statistic(self, label: str) -> str:
        """Return the code of a question: what is declared, or its name in capitals."""
        made = _NOT_CODE.sub("_", label).strip("_").upper()
        return self._codes.get(STATISTIC, {}).get(label, made or "STATISTIC")

    def of(
        self, document: Document, place: int, number: Marked, dimensions: dict[str, str]
    ) -> list[str]:
        """Return the code of each dimension of a number."""
        released = document.statistics[place]
        codes = {STATISTIC: self._statistics[place]}
        keys = keys_of(released)
        mine, inner = apart(released, number.index)
        for key, cell in zip(keys, mine, strict=True):
            codes[self._columns[key]] = self._key(key, cell)
        if inner:
            kind = next(_INNER[a.kind] for a in released.answer.axes if a.kind in _INNER)
            codes[kind] = self._inner(document, released, kind, inner)
        return [codes.get(name, _TOTAL) for name in dimensions]

    def _key(self, column: str, cell: Cell) -> str:
        if cell is None:
            return _TOTAL
        text = str(cell).lower() if isinstance(cell, bool) else str(cell)
        of_column = self._codes.get(self._columns[column], {})
        code = of_column.get(str(cell), self._rest.get(column, {}).get(text, text))
        return _checked(code, self._columns[column])

    def _inner(
        self, document: Document, released: Released, kind: str, inner: tuple[Cell, ...]
    ) -> str:
        """Return the code of a bin, as 15T24, of a level, or of a column of a vector."""
        cells = kinds_of(document, released)[1]
        texts = [plainly(cell, cells).replace(",", "") for cell in inner]
        plain = "T".join(text.replace("-", "M", 1).replace(".", "_") for text in texts)
        made = plain if kind != COLUMN else texts[-1]
        return _checked(self._codes.get(kind, {}).get(" to ".join(texts), made), kind)


def _rest_codes(table: Table, column: str) -> dict[str, str]:
    """Return the codes of the groups of every other row and of missing cells, by their names."""
    rest, keys = rest_of(table, column), table.keys[column]
    codes = {} if rest.missing is None else {str(keys[rest.missing]): "_U"}
    return codes if rest.other is None else {**codes, str(keys[rest.other]): "_O"}


def _checked(code: str, column: str) -> str:
    if IDENTIFIER.fullmatch(code):
        return code
    raise InputError(
        f"{shown(code)!r} of {shown(column)} is no code of SDMX.",
        kind="publishers-words",
        why="a code is made of letters, digits, _, -, @ and $; which one it is its agency knows",
        fix="write codes of this column under sdmx, one for each of its values",
        at="codes",
    )
