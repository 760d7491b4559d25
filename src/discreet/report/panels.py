"""One statistic of the report: its rows as pictures with words, in sections.

Rules of this module:
- numbers that count days or seconds are told as days and moments.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from itertools import groupby
from typing import Any

from ..document.accessors import (
    Told,
    fair_shares,
    has_bins,
    has_choice,
    has_linear,
    has_rows,
    keys_of,
    kinds_of,
    labels,
    rows_text,
    told,
    width_of,
)
from ..document.document import Document, Released
from ..document.headings import has_bars, named_cells
from ..document.numbers import group_text, plainly, spoken
from ..document.shown import as_shown
from ..exact.number import in_digits
from ..schema import About, ValueKind
from . import strips, words
from .crossed import Crossed, of_pairs

ROWS_SHOWN = 600  # of all statistics together, each with one row at least
Kinds = tuple[ValueKind, ValueKind]  # of numbers, and of bins and levels


@dataclass(frozen=True, slots=True)
class PictureRow:
    """One row of a picture table."""

    name: str
    picture: str
    value: str
    low: str
    high: str
    rows: str
    told: bool


@dataclass(frozen=True, slots=True)
class Panel:
    """One statistic: its rows, in sections where there are several keys."""

    number: int
    label: str
    title: str
    asked: str  # where the title is a publisher's
    row_name: str
    sections: list[tuple[str, list[PictureRow]]]
    axis: str
    more: int
    counted: bool
    too_few: bool
    chosen: bool
    tables: tuple[Crossed, ...] = ()
    notes: tuple[str, ...] = ()


def panels(document: Document, about: About) -> Iterator[Panel]:
    """Return what the report shows of each statistic."""
    shares = fair_shares([len(found.answer.rows) for found in document.statistics], ROWS_SHOWN)
    shown = as_shown(document, about)
    named = zip(labels(shown), shown.statistics, shares, strict=True)
    for number, (label, released, most) in enumerate(named, start=1):
        kinds = kinds_of(document, released)
        panel = _panel(number, label, released, max(1, most), (about, kinds))
        yield _tables(panel, document, released) if has_linear(released) else panel


def _tables(panel: Panel, document: Document, released: Released) -> Panel:
    """Return the panel of a cube: tables of two of its attributes, with totals."""
    shown, notes, more = of_pairs(document, released, ROWS_SHOWN)
    return replace(panel, sections=[], tables=shown, notes=notes, more=more)


def _panel(
    number: int,
    label: str,
    released: Released,
    most: int,
    how: tuple[About, Kinds],  # names for people, and what numbers are
) -> Panel:
    about, kinds = how
    heading, asked = about.heading(label), words.in_words(released.question, about)
    rows, edges = list(told(released, most)), has_bins(released)
    scale = strips.scale_of(
        [(row.value, row.low, row.high) for row in rows], from_zero=released.answer.adds_up
    )
    keys = keys_of(released) if edges else released.answer.columns[: width_of(released)]
    head = 0 if has_choice(released) else max(0, len(keys) - (0 if edges else 1))
    own = keys[-1] if keys and not edges else ""
    drawn = strips.bar if has_bars(released, heading) else strips.dot
    line = partial(_line, head, (scale, kinds, drawn), released, about)
    sections = [
        (
            ", ".join(
                f"{about.column(key)} = {about.value(key, cell, plainly(cell))}"
                for key, cell in zip(keys[:head], index, strict=True)
            ),
            list(map(line, lines)),
        )
        for index, lines in groupby(rows, key=lambda row: row.index[:head])
    ]
    return Panel(
        number=number,
        label=label,
        title=heading.title or asked,
        asked=asked if heading.title else "",
        row_name=about.column(str(released.question["column"]) if edges else own),
        sections=sections,
        axis=_markup(strips.axis(scale, _tick_texts(scale.ticks, kinds[0]))),
        more=len(released.answer.rows) - len(rows),
        counted=has_rows(released),
        too_few=any(row.value is None for row in rows),
        chosen=has_choice(released),
    )


def _line(
    head: int,
    how: tuple[strips.Scale, Kinds, Callable[..., str]],  # what draws a number
    released: Released,
    about: About,
    row: Told,
) -> PictureRow:
    scale, (kind, of_cells), drawn = how
    own = named_cells(released, row.index, about)[head:]
    name = group_text(own, bins=has_bins(released), kind=of_cells)
    figure, start, end = spoken(row.value, row.low, row.high, kind)
    return PictureRow(
        name=name,
        picture=_markup(drawn(scale, row.value, row.low, row.high)),
        value=figure,
        low=start,
        high=end,
        rows=rows_text(row, released.answer.rows_within),
        told=row.value is not None,
    )


def _tick_texts(ticks: tuple[float, ...], kind: ValueKind) -> list[str]:
    if kind != "number":
        return [plainly(float(tick), kind) for tick in ticks]
    with in_digits():
        return [f"{Decimal(f'{tick:.10g}').normalize():,f}" for tick in ticks]


def _markup(svg: str) -> Any:
    from markupsafe import Markup

    return Markup(svg)  # noqa: S704 (made of numbers alone)
