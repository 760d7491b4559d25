"""One statistic of the report: its rows as pictures with words, in sections.

The picture in a row: a number and its interval on the scale that all rows share, as SVG.

Which keys were found in the data, and how much of it stands under none of them.

Rules of this module:
- numbers that count days or seconds are told as days and moments;
- places are shares of the width, so that a picture fits any column without being scaled;
- the same numbers give the same text; colors come from the page, by class;
- no text of a release enters a picture: keys stand beside it, in the table;
- what is said of finding follows from the plan, and what is not shown from the released numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from itertools import groupby
from math import ceil, floor, log10
from typing import Any

from ..document.accessors import (
    Told,
    alpha_of,
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
from ..document.headings import as_shown, has_bars, named_cells
from ..document.numbers import Figure, group_text, percent, plainly, spoken
from ..exact.number import in_digits
from ..finding.finding import Finding
from ..plans.plan import Plan, plan_of
from ..plans.show import finding_words
from ..schema import About, Table, ValueKind
from . import words
from .crossed import Crossed, of_pairs

_PAD = 2.0  # in percent of the width, on either side
_TICKS = 4
_LEAST = 0.9  # an interval is drawn at least this wide, so that it is seen
_HEIGHT = 22
_APART = 2.0**-40  # of their size: numbers that are nearer stand in one place
_NOTHING = 1e-300  # below this a part of it may be no double


@dataclass(frozen=True, slots=True)
class Scale:
    """What the width of a picture stands for."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def x(self, number: Figure) -> float:
        """Return where a number stands, in percent, kept inside the picture."""
        share = (float(number) - self.low) / (self.high - self.low)
        return _PAD + min(1.0, max(0.0, share)) * (100 - 2 * _PAD)


def scale_of(rows: Sequence[tuple[Figure | None, Figure, Figure]], *, from_zero: bool) -> Scale:
    """Return a scale on which all numbers and their intervals can be seen.

    Rows with too few to say do not stretch it: their intervals run out of the picture.
    """
    drawn = [(v, low, high) for v, low, high in rows if v is not None]
    drawn = drawn or [(low, low, high) for _, low, high in rows]
    low = float(min((min(value, low) for value, low, _ in drawn), default=0))
    high = float(max((max(value, high) for value, _, high in drawn), default=0))
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    least = max(abs(low), abs(high)) * _APART
    if high - low <= max(least, _NOTHING):  # nearer than a picture can tell, or than doubles can
        low, high = low - max(1.0, least), high + max(1.0, least)
    step = _step((high - low) / _TICKS)
    ticks = tuple(step * at for at in range(ceil(low / step), floor(high / step) + 1))
    return Scale(low, high, ticks)


def dot(scale: Scale, value: Figure | None, low: Figure, high: Figure) -> str:
    """Return a point on its interval; without a value the bare interval, in gray."""
    if value is None:
        return _svg([*_grid(scale), _span(scale, low, high, "bare")])
    point = f'<circle class="dot" cx="{scale.x(value):.2f}%" cy="50%" r="2.7"/>'
    return _svg([*_grid(scale), _span(scale, low, high, "band"), point])


def bar(scale: Scale, value: Figure | None, low: Figure, high: Figure) -> str:
    """Return a bar from zero to the value, with its interval as a whisker."""
    zero, end = scale.x(0), scale.x(0 if value is None else value)
    left, width = min(zero, end), max(abs(end - zero), _LEAST / 3)
    box = f'<rect class="fill" x="{left:.2f}%" y="9%" width="{width:.2f}%" height="82%"/>'
    return _svg([*_grid(scale), box, _span(scale, low, high, "whisker")])


def axis(scale: Scale, texts: Sequence[str]) -> str:
    """Return the numbers under a column of pictures."""
    parts = []
    for tick, text in zip(scale.ticks, texts, strict=True):
        place = scale.x(tick)
        anchor = "start" if place < 3 * _PAD else "end" if place > 100 - 3 * _PAD else "middle"
        parts.append(f'<text x="{place:.2f}%" y="14" text-anchor="{anchor}">{text}</text>')
    return _svg(parts)


def _grid(scale: Scale) -> list[str]:
    places = [f"{scale.x(tick):.2f}%" for tick in scale.ticks]
    return [f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="100%"/>' for x in places]


def _span(scale: Scale, low: Figure, high: Figure, kind: str) -> str:
    left, right = scale.x(low), scale.x(high)
    if right - left < _LEAST:
        left, right = (left + right - _LEAST) / 2, (left + right + _LEAST) / 2
    return f'<line class="{kind}" x1="{left:.2f}%" x2="{right:.2f}%" y1="50%" y2="50%"/>'


def _svg(parts: Sequence[str]) -> str:
    return f'<svg width="100%" height="{_HEIGHT}" aria-hidden="true">{"".join(parts)}</svg>'


def _step(size: float) -> float:
    power = 10.0 ** floor(log10(size))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= size * 0.999)


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
    shares = fair_shares(
        [len(statistic.answer.rows) for statistic in document.statistics], ROWS_SHOWN
    )
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
    heading, asked = about.heading(label), words.question_words(released.question, about)
    rows, edges = list(told(released, most)), has_bins(released)
    scale = scale_of(
        [(row.value, row.low, row.high) for row in rows], from_zero=released.answer.adds_up
    )
    keys = keys_of(released) if edges else released.answer.columns[: width_of(released)]
    head = 0 if has_choice(released) else max(0, len(keys) - (0 if edges else 1))
    own = keys[-1] if keys and not edges else ""
    drawn = bar if has_bars(released, heading) else dot
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
        axis=_markup(axis(scale, _tick_texts(scale.ticks, kinds[0]))),
        more=len(released.answer.rows) - len(rows),
        counted=has_rows(released),
        too_few=any(row.value is None for row in rows),
        chosen=has_choice(released),
    )


def _line(
    head: int,
    how: tuple[Scale, Kinds, Callable[..., str]],  # what draws a number
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


def found_sentences(document: Document, table: Table) -> list[str]:
    """Return what a release says of keys that nobody knew; nothing where all were listed."""
    if not table.unknown:
        return []
    plan = plan_of(document.plan)
    return [
        sentence for finding in plan.findings for sentence in _said(document, table, finding, plan)
    ]


def _said(document: Document, table: Table, finding: Finding, plan: Plan) -> Iterator[str]:
    column, shown = finding.column, len(table.keys[finding.column]) - 1
    yield (
        f"The keys of {column} were not listed. {shown:,} that many units have were found in the "
        "data, by a search with noise of its own that is part of the price."
    )
    yield from finding_words(finding, plan)
    other = table.unknown[column].other
    for label, released in zip(labels(document), document.statistics, strict=True):
        if released.question.get("by") == [column] and _counts(released):
            rest = next((row for row in told(released) if row.index == (other,)), None)
            if rest is None:
                yield f"All other keys together, {other}, are not shown in {label} by its rule."
                continue
            figure, least, most = spoken(rest.value, rest.low, rest.high)
            yield (
                f"Not shown by key, but together as {other}: {figure} in {label} "
                f"({percent(alpha_of(document))} interval {least} to {most})."
            )


def _counts(released: Released) -> bool:
    """Tell whether an answer has one number for each key."""
    return not has_choice(released) and len(released.answer.axes) == 1
