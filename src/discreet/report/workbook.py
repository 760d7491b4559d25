"""A release as a workbook of Excel, after the guidance of statistical offices for spreadsheets.

A cover, a list of contents, notes, the shorthand, and one table a sheet.

Rules of this module:
- each table begins in the first column, has one row of names and no empty cell, and is marked as a
  table; no cell is merged, and none is a formula: a text that begins with = stays the text it is;
- a cell without a number holds shorthand, so that it is never taken for 0;
- the same release and words make the same file: no clock is read, and nothing is packed.

Decision 130. Source: Government Analysis Function, Releasing statistics in spreadsheets.
"""

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from io import BytesIO
from typing import Any

from ..document.accessors import (
    alpha_of,
    has_rows,
    holds_together,
    keys_of,
    kinds_of,
    labels,
    loss_text,
    rules_told,
    stated_told,
)
from ..document.document import Document
from ..document.headings import as_shown, names_said, sentences
from ..document.marks import HIDDEN, NOT_ASKED, WORDS, flag_words
from ..document.numbers import Cell, percent, plainly, spoken
from ..document.tidy import renamed
from ..errors import InputError, visible
from ..schema import NO_FACTS, About, ValueKind, cells_said, sizes_said, table_of
from .crossed import Crossed
from .forms import apart, inner_text, marked
from .words import named_words

_MOST_ROWS, _MOST_TEXT = 1_000_000, 32_000
_MOMENT = datetime(1980, 1, 1)  # a workbook bears no time that it was made
_MADE = re.compile(rb"(<dcterms:modified[^<>]*>)[^<>]*<")
_NONE = "none"  # of a column of flags: no cell is empty
_HEADS = ("value", "low", "high")


@dataclass(frozen=True, slots=True)
class Page:
    """One sheet of a workbook: a title, lines of text, and at most one table.

    Attributes:
        name: of the sheet.
        title: over its table.
        lines: text between them.
        columns, rows: the table; none where there is none.
        decimals: how many digits each column shows; None where it holds no numbers.
        links: whether the first column names sheets.
    """

    name: str
    title: str
    lines: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: Sequence[Sequence[Cell]] = ()
    decimals: tuple[int | None, ...] = ()
    links: bool = False


def workbook(document: Document, about: About, also: Iterable[Document] = ()) -> bytes:
    """Return a release as the bytes of a workbook.

    Args:
        document: the release.
        about: the publisher's words.
        also: numbers that were derived of it; each has a sheet.

    Raises:
        InputError: openpyxl is not installed, or a table has more rows than a sheet.
    """
    tables = [page for part in (document, *also) for page in _tables(part, about)]
    return book_of(document, about, tables)


def crossed_workbook(document: Document, about: About, table: Crossed) -> bytes:
    """Return one crossed table of a release as the bytes of a workbook."""
    wide, digits = table.wide(), _digits(_ends_of(table))
    each = 3 + bool(table.marks)
    rows: list[list[Cell]] = []
    for row in wide.rows:
        side = len(row) - each * len(table.column_keys)
        cells: list[Cell] = [*row[:side]]
        for at in range(side, len(row), each):
            mark = row[at + 3] if table.marks else None
            gap = mark if mark in WORDS else NOT_ASKED
            cells += [gap if cell is None else cell for cell in row[at : at + 3]]
            cells += [_NONE if mark is None else mark] * bool(table.marks)
        rows.append(cells)
    decimals = tuple(digits if kind in ("whole", "real") else None for kind in wide.kinds)
    names = tuple(name or "of" for name in wide.columns)
    page = Page("", table.title, (_REFERS, *table.notes), names, rows, decimals)
    return book_of(document, about, [page])


def book_of(document: Document, about: About, tables: Sequence[Page]) -> bytes:
    """Return a workbook with these tables behind its cover, contents, notes and shorthand."""
    numbered = [
        Page(f"Table {n}", f"Table {n}: {p.title}", p.lines, p.columns, p.rows, p.decimals)
        for n, p in enumerate(tables, start=1)
    ]
    for page in numbered:
        _check_length(page)
    rest = (_notes(document, about), _shorthand(about))
    contents = [(page.name, page.title) for page in (*rest, *numbered)]
    head = Page("Contents", "Contents", (_ONE,), ("Sheet", "What it holds"), contents, links=True)
    return _written((_cover(document, about), head, *rest, *numbered))


def _ends_of(table: Crossed) -> list[list[Any]]:
    """Return the lower and the upper ends of all intervals of a table."""
    numbers = [numbers for line in table.cells for numbers in line]
    return [[low for _, low, _ in numbers], [high for *_, high in numbers]]


_ONE = "This sheet contains one table."
_REFERS = (
    f"{_ONE} Cells without a number hold shorthand, which the sheet Shorthand explains; what must "
    "be known of the numbers stands in the sheet Notes."
)


def _cover(document: Document, about: About) -> Page:
    rehearsal = document.kind == "rehearsal"
    lines = [
        "Rehearsal on made-up rows: these numbers say nothing of any data." if rehearsal else "",
        *(f"{name}: {text}" for name, text in about.lines()),
        f"Statistics with privacy noise, made by {document.software.name} "
        f"{document.software.version} on {document.created[:10]}.",
        document.protection.sentence,
        f"Privacy loss: {loss_text(document)}.",
        f"Every number stands with its {percent(alpha_of(document))} interval, which covers the "
        "noise and no sampling error.",
    ]
    return Page("Cover", about.title or document.title, tuple(filter(None, lines)))


def _notes(document: Document, about: About) -> Page:
    declared = table_of(document.plan["table"])
    together = holds_together(document)
    texts = [
        *about.notes,
        document.convention,
        "All intervals hold at once." if together else "",
        *rules_told(document, together=together),
        *stated_told(document),
        *sentences(document, about),
        *([sizes_said(declared)] if declared.facts != NO_FACTS else []),
        *cells_said(declared),
    ]
    rows = [(f"note {n}", text) for n, text in enumerate(filter(None, texts), start=1)]
    return Page("Notes", "Notes", (_ONE,), ("Note", "Text"), rows)


def _shorthand(about: About) -> Page:
    rows = [(mark, words) for mark, words in WORDS.items()]
    rows += flag_words(about)
    rows.append((_NONE, "this number bears no flag"))
    return Page("Shorthand", "Shorthand", (_ONE,), ("Symbol", "Meaning"), rows)


def _tables(document: Document, about: About) -> Iterator[Page]:
    """Return a sheet for each question, with a row for each of its numbers."""
    shown_as = as_shown(document, about)
    names = zip(labels(document), names_said(document, about), strict=True)
    for place, (label, name) in enumerate(names):
        released = shown_as.statistics[place]
        numbers, cells = kinds_of(document, released)
        axes = [about.column(a.name) if a.kind == "key" else a.name for a in released.answer.axes]
        beside = ["rows"] * has_rows(released)
        heads = [*renamed(axes, ("flag",)), *beside, *_HEADS, "flag"]
        rows = []
        for number in marked(shown_as, place, about):
            mine, inside = apart(released, number.index)
            keys = iter(
                "all" if cell is None else _key(about, key, cell, cells)
                for key, cell in zip(keys_of(released), mine, strict=True)
            )
            inner = inner_text(inside, cells)
            side = [next(keys) if a.kind == "key" else inner for a in released.answer.axes]
            gap = number.mark if number.mark in WORDS else NOT_ASKED
            ends = _ends((number.value, number.low, number.high), numbers, gap)
            there = [gap if number.rows is None else number.rows] * len(beside)
            flag = number.mark if number.mark not in WORDS else ""
            rows.append([*side, *there, *ends, flag or _NONE])
        digits = _digits(shown_as.statistics[place].answer.rows.columns[-2:])
        decimals = (*[None] * len(axes), *[0] * len(beside), *[digits] * 3, None)
        title = about.heading(label).title or named_words(released.question, about)
        heading = f"{title} ({name})" if title else name
        yield Page("", heading, (_REFERS, *_source(about)), tuple(heads), rows, decimals)


def _source(about: About) -> list[str]:
    return [f"Source: {about.source}"] if about.source else []


def _key(about: About, column: str, cell: Cell, kind: ValueKind) -> Cell:
    if about.names(column):
        return about.value(column, cell, plainly(cell))
    return cell if isinstance(cell, int) and not isinstance(cell, bool) else plainly(cell, kind)


def _ends(numbers: Sequence[Any], kind: ValueKind, gap: str) -> list[Cell]:
    """Return a number and its ends; days and moments as text, shorthand where there is none."""
    value, low, high = numbers
    if gap == HIDDEN:
        return [gap] * 3
    low, high = ("-∞" if low is None else low), ("∞" if high is None else high)
    if kind != "number":
        texts = spoken(value, numbers[1], numbers[2], kind)
        return [gap if value is None else texts[0], *texts[1:]]
    return [gap if value is None else value, low, high]


def _digits(ends: Sequence[Sequence[Any]]) -> int:
    """Return how many digits a table shows behind the point: those of its median interval."""
    widths = sorted(
        (Fraction(high) - Fraction(low), low, high)
        for low, high in zip(*ends, strict=True)
        if low is not None and high is not None
    )
    if not widths:
        return 0
    _, low, high = widths[len(widths) // 2]
    text = spoken(low, low, high)[1]
    return len(text.partition(".")[2]) if "e" not in text else 0


def _check_length(page: Page) -> None:
    if len(page.rows) > _MOST_ROWS:
        raise InputError(
            f"{visible(page.title)} has {len(page.rows):,} rows.",
            kind="too-many-cells",
            why=f"a sheet holds {_MOST_ROWS:,}",
            fix="take table.csv or table.parquet of the release",
        )


def _written(pages: Sequence[Page]) -> bytes:
    try:
        from openpyxl import Workbook
    except ImportError:
        raise InputError(
            "openpyxl is not installed.",
            kind="package-missing",
            why="Excel files are written by it, which discreet does not require",
            fix="type: python -m pip install openpyxl; or write --out table.csv",
        ) from None
    book: Any = Workbook()
    book.remove(book.active)
    for number, page in enumerate(pages):
        _fill(book.create_sheet(page.name), page, number)
    book.properties.title, book.properties.creator = _text(pages[0].title), "discreet"
    book.properties.created = book.properties.modified = _MOMENT
    raw = BytesIO()
    book.save(raw)
    return _repacked(raw)


def _fill(sheet: Any, page: Page, number: int) -> None:
    """Write one sheet: its title, its lines, its table."""
    from openpyxl.styles import Alignment, Font
    from openpyxl.worksheet.table import Table, TableStyleInfo

    wrapped, bold = Alignment(wrap_text=True, vertical="top"), Font(bold=True)
    for row, text in enumerate((page.title, *page.lines), start=1):
        cell = _put(sheet, row, 1, text)
        cell.font = Font(bold=True, size=16) if row == 1 else Font()
        cell.alignment = wrapped if not page.columns else Alignment()
    top = len(page.lines) + 2
    for row, line in enumerate((page.columns, *page.rows) if page.columns else (), start=top):
        for column, value in enumerate(line, start=1):
            cell = _put(sheet, row, column, value)
            digits = page.decimals[column - 1] if page.decimals else None
            if row == top:
                cell.font, cell.alignment = bold, wrapped
            elif isinstance(value, (int, float)) and digits is not None:
                cell.number_format = f"#,##0.{'0' * digits}" if digits else "#,##0"
            elif page.links and column == 1:
                cell.hyperlink = f"#'{value}'!A1"
    letters = [sheet.cell(1, at).column_letter for at in range(1, len(page.columns or (1,)) + 1)]
    widths = [100] if not page.columns else [18, *[100 if not page.decimals else 18] * len(letters)]
    for letter, width in zip(letters, widths, strict=False):
        sheet.column_dimensions[letter].width = width
    if page.columns:
        area = f"A{top}:{letters[-1]}{top + max(1, len(page.rows))}"
        made = Table(displayName=f"table_{number}", ref=area)
        made.tableStyleInfo = TableStyleInfo(name="TableStyleLight1", showRowStripes=False)
        sheet.add_table(made)


def _put(sheet: Any, row: int, column: int, value: Cell) -> Any:
    """Write one cell; text is text, also where it begins as a formula does."""
    cell = sheet.cell(row, column)
    cell.value = _text(value) if isinstance(value, str) else value
    if isinstance(value, str):
        cell.data_type = "s"
        cell.quotePrefix = value.startswith(("=", "+", "-", "@"))
    return cell


def _text(value: str) -> str:
    """Return a text as a cell can hold it: what controls a terminal or a reader is spelled out."""
    return visible(value)[:_MOST_TEXT]


def _repacked(raw: BytesIO) -> bytes:
    """Return a workbook whose members bear no time, as they are."""
    packed = BytesIO()
    with zipfile.ZipFile(raw) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            member = zipfile.ZipInfo(name, _MOMENT.timetuple()[:6])
            new.writestr(member, _MADE.sub(rb"\g<1>1980-01-01T00:00:00Z<", old.read(name)))
    return packed.getvalue()
