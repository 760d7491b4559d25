"""One statistic of the report: its rows as pictures with words, in sections.

The picture in a row: a number and its interval on the scale that all rows share, as SVG.

Which keys were found in the data, and how much of it stands under none of them.

Rules of this module:
- numbers that count days or seconds are told as days and moments;
- places are shares of the width, so that a picture fits any column without being scaled;
- the same numbers give the same text; colors come from the page, by class;
- no text of a release enters a picture of a row: keys stand beside it, in the table;
- what is said of finding follows from the plan, and what is not shown from the released numbers.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from itertools import groupby
from math import ceil, floor, log10, prod
from typing import TYPE_CHECKING, Any, Literal

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
from ..schema import About, Heading, Table, ValueKind
from . import words
from .crossed import of_pairs

if TYPE_CHECKING:
    from ..schema.reliability import Flag

_PAD = 2.0  # in percent of the width, on either side
_TICKS = 4
_LEAST = 0.9  # an interval is drawn at least this wide, so that it is seen
_HEIGHT = 22
_APART = 2.0**-40  # of their size: numbers that are nearer stand in one place
_NOTHING = 1e-300  # below this a part of it may be no double
_FEWEST, _LONGEST, _ACROSS = 5, 200, 8  # keys that a line follows; columns that a page has room for
_ON_MAPS = 400  # regions of all maps of a page
_TIME = re.compile(r"\d{4}(-\d\d(-\d\d)?|-?Q[1-4])?")
_SORTED = " Sorted by the noisy numbers: the first are large partly because their noise is."
Layout = Literal["", "line", "lines", "heat", "sorted", "map"]


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


ROWS_SHOWN = 300  # of all statistics together, each with one row at least
_PICTURED = 90  # of these with a picture, or a page would get too long
_SEEN = 12  # rows of a long list of names that stand open: the largest
_OPEN = 20  # rows beside a chart that stand open
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
    flag: "Flag | None" = None


@dataclass(frozen=True, slots=True)
class PanelTable:
    """A table of a statistic in sections; folded where it has a summary."""

    sections: list[tuple[str, list[PictureRow]]]
    caption: str
    summary: str = ""
    is_open: bool = False
    pictured: bool = True


@dataclass(frozen=True, slots=True)
class Panel:
    """One statistic: its charts, and its rows in tables, in sections where it has several keys."""

    number: int
    label: str
    title: str
    caption: str
    row_name: str
    parts: list[PanelTable]
    axis: str
    more: int
    counted: bool
    too_few: bool
    chosen: bool
    tables: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()
    charts: tuple[tuple[str, Any], ...] = ()
    heat: Any = None
    legend: Any = None
    map_of: str = ""
    titled: bool = False
    drawn: str = ""
    flags: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class How:
    """How a statistic is shown: its place, names for people, what its numbers are, and its layout.

    Attributes:
        along: the axis that lines follow.
        most, pictured: how many rows are shown, and how many of these with a picture.
        covers: how often an interval holds the true number.
        flag_of: gives a number an office's flag.
        listed: the texts of a map's keys as they are declared; None where they were found.
    """

    number: int
    label: str
    about: About
    kinds: Kinds
    layout: Layout
    along: int
    most: int
    pictured: int
    covers: str
    flag_of: Callable[..., "Flag | None"]
    listed: frozenset[str] | None = None


def panels(document: Document, about: About) -> Iterator[Panel]:
    """Return what the report shows of each statistic."""
    sizes = [len(statistic.answer.rows) for statistic in document.statistics]
    most, pictured = fair_shares(sizes, ROWS_SHOWN), fair_shares(sizes, _PICTURED)
    shown, covers = as_shown(document, about), percent(alpha_of(document))
    room = _ON_MAPS
    for at, (label, released) in enumerate(zip(labels(shown), shown.statistics, strict=True)):
        kinds, heading = kinds_of(document, released), about.heading(label)
        (layout, along), listed = panel_layout(released, about, heading), None
        if any(label.map is not None for label in about.labels.values()) and not heading.chart:
            from .choropleth import keys_of, on_a_map

            layout, along, room = on_a_map(released, about, room) or (layout, along, room)
            listed = keys_of(document, released, along) if layout == "map" else None
        if layout in ("line", "lines", "heat") and most[at] < sizes[at]:
            layout = ""  # a chart of a part would say another thing
        limits = max(1, most[at]), max(1, pictured[at])
        flag_of = _flagging(document, released, about)
        how = How(at + 1, label, about, kinds, layout, along, *limits, covers, flag_of, listed)
        panel = _panel(released, how)
        panel = _tables(panel, document, released, how) if has_linear(released) else panel
        yield replace(panel, flags=_flags(panel, about))


def _flagging(document: Document, released: Released, about: About) -> Callable[..., "Flag | None"]:
    """Return what gives a number of a question its flag, where an office declares flags."""
    if about.reliability is None:
        return lambda *_: None
    from ..document.marks import flagging

    return flagging(document, released, about)


def _flags(panel: Panel, about: About) -> tuple[tuple[str, str], ...]:
    """Return the flags that numbers of a panel bear, with their meanings."""
    if about.reliability is None:
        return ()
    from ..document.marks import flag_words

    rows: list[Any] = [row for part in panel.parts for _, lines in part.sections for row in lines]
    rows += [cell for table in panel.tables for line in table.lines for cell in line.cells]
    rows += [cell for _, cells in (panel.heat.lines if panel.heat else ()) for cell in cells]
    borne = {row.flag.flag for row in rows if row.flag is not None}
    return tuple(of for of in flag_words(about) if of[0] in borne)


def _tables(panel: Panel, document: Document, released: Released, how: How) -> Panel:
    """Return the panel of a cube: tables of two of its attributes, with totals."""
    from .charts import printed

    shown, notes, more = of_pairs(document, released, ROWS_SHOWN)
    tables = tuple(printed(table, how.about, how.flag_of) for table in shown)
    return replace(panel, parts=[], tables=tables, notes=notes, more=more)


def panel_layout(released: Released, about: About, heading: Heading) -> tuple[Layout, int]:
    """Return how a statistic is laid out by its keys, and which a line follows; "" for rows alone.

    Keys that are a scale are followed by a line, with one line for each other key; names of a long
    list are sorted by their numbers; two lists of names are crossed. A chart that a publisher asks
    for is drawn instead.
    """
    axes, columns = released.answer.axes, released.answer.rows.columns
    is_plain = all(axis.kind == "key" for axis in axes) and not has_choice(released)
    if not is_plain or len(axes) not in (1, 2) or has_linear(released):
        return "", 0
    keys: list[Sequence[Any]] = [columns[0]]  # of one axis each is another, as declared
    if len(axes) > 1:
        keys = [[*dict.fromkeys(column)] for column in columns[: len(axes)]]
    sizes = [len(each) for each in keys]
    scales = [is_scale(each, axis.name, about) for axis, each in zip(axes, keys, strict=True)]
    fit = [yes and _FEWEST <= many <= _LONGEST for yes, many in zip(scales, sizes, strict=True)]
    if len(axes) == 1:
        if fit[0] and not heading.chart:
            return "line", 0
        return ("" if scales[0] or sizes[0] <= _SEEN else "sorted"), 0
    if heading.chart or prod(sizes) != len(released.answer.rows):
        return "", 0
    for along in (1, 0):
        if fit[along] and sizes[1 - along] <= _SEEN:
            return "lines", along
    narrow, long = sorted(sizes)
    is_crossed = 1 < narrow <= _ACROSS and long <= _LONGEST and not has_rows(released)
    return ("heat" if is_crossed else ""), 0


def is_scale(keys: Sequence[Any], column: str, about: About) -> bool:
    """Tell whether keys are a scale: whole numbers or times that rise, and have no names."""
    wanted = about.ordered(column)
    if wanted is not None:
        return wanted
    if about.names(column) or not keys or {*map(type, keys)} not in ({int}, {str}):
        return False
    if type(keys[0]) is str and not all(map(_TIME.fullmatch, keys)):
        return False
    return [*keys] == sorted(keys)


def _panel(released: Released, how: How) -> Panel:
    about, heading = how.about, how.about.heading(how.label)
    asked = words.question_words(released.question, about)
    rows, edges = _rows(released, how), has_bins(released)
    numbers = [(row.value, row.low, row.high) for row in rows]
    scale = scale_of(numbers, from_zero=released.answer.adds_up and "line" not in how.layout)
    keys = keys_of(released) if edges else released.answer.columns[: width_of(released)]
    own = keys[-1] if keys and not edges else ""
    too_few = any(row.value is None for row in rows)
    told_so = f"Each number with its {how.covers} interval"
    is_chart = how.layout in ("line", "lines", "map")
    dashed = too_few and not is_chart and how.layout != "heat"
    told_so += "; where it is dashed, too few rows to say." if dashed else "."
    told_so = f"{asked}. {told_so}" if heading.title and not is_chart else told_so
    panel = Panel(
        number=how.number,
        label=how.label,
        title=heading.title or asked,
        titled=bool(heading.title),
        caption=told_so + _SORTED * (how.layout == "sorted"),
        drawn=_drawn_words(asked, scale, how, too_few=too_few) if is_chart else "",
        row_name=about.column(str(released.question["column"]) if edges else own),
        parts=[],
        axis=_markup(axis(scale, tick_texts(scale.ticks, how.kinds[0]))),
        more=len(released.answer.rows) - len(rows),
        counted=has_rows(released),
        too_few=too_few,
        chosen=has_choice(released),
    )
    if how.layout in ("line", "lines", "heat"):
        from .charts import charted

        panel = charted(panel, (released, rows, scale), how)
    if how.layout == "map":
        from .choropleth import mapped

        panel = mapped(panel, released, how)
    return replace(panel, parts=_parts(panel, rows, scale, released, how))


def _drawn_words(asked: str, scale: Scale, how: How, *, too_few: bool) -> str:
    """Return what a chart shows: the question, its intervals, and where its scale begins."""
    if how.layout == "map":
        return f"{asked}."
    text = f"{asked}, with {how.covers} intervals"
    text += "; dashed: too few rows to say." if too_few else "."
    return text + " The scale does not begin at 0." * (scale.low > 0 or scale.high < 0)


def _rows(released: Released, how: How) -> list[Told]:
    """Return the rows that are shown: of names the largest first, without a number last."""
    if how.layout != "sorted":
        return list(told(released, how.most))
    values: Any = released.answer.rows.columns[-3]
    largest = sorted([(-value, at) for at, value in enumerate(values) if value is not None])
    order = [at for _, at in largest] + [at for at, value in enumerate(values) if value is None]
    return list(told(released, order=order[: how.most]))


def _parts(
    panel: Panel, rows: Sequence[Told], scale: Scale, released: Released, how: How
) -> list[PanelTable]:
    """Return the tables of a statistic: beside charts without pictures, long ones folded."""
    made = partial(_sections, released=released, scale=scale, how=how)
    bare = partial(PanelTable, caption=panel.caption, pictured=False)
    if panel.charts:
        summary = f"The numbers: {words.times(len(rows), 'row')}"
        is_open = len(rows) <= _OPEN
        return [bare(made(rows, pictured=False), summary=summary, is_open=is_open)]
    seen = _SEEN if how.layout == "sorted" else how.pictured
    parts = [PanelTable(made(rows[:seen], pictured=True), panel.caption)]
    if rows[seen:]:
        summary = words.times(len(rows) - seen, "more row")
        parts.append(bare(made(rows[seen:], pictured=False), summary=summary))
    return parts


def _sections(
    rows: Sequence[Told], *, pictured: bool, released: Released, scale: Scale, how: How
) -> list[tuple[str, list[PictureRow]]]:
    """Return rows under the keys that they share, all but the last."""
    about, edges = how.about, has_bins(released)
    keys = keys_of(released) if edges else released.answer.columns[: width_of(released)]
    head = 0 if has_choice(released) else max(0, len(keys) - (0 if edges else 1))
    drawn = bar if has_bars(released, about.heading(how.label)) else dot
    line = partial(_line, head, (scale, how, drawn if pictured else None), released)
    return [
        (
            ", ".join(
                f"{about.column(key)} = {about.value(key, cell, plainly(cell))}"
                for key, cell in zip(keys[:head], index, strict=True)
            ),
            list(map(line, lines)),
        )
        for index, lines in groupby(rows, key=lambda row: row.index[:head])
    ]


def _line(
    head: int,
    shown: tuple[Scale, How, Callable[..., str] | None],  # what draws a number
    released: Released,
    row: Told,
) -> PictureRow:
    scale, how, drawn = shown
    kind, of_cells = how.kinds
    own = named_cells(released, row.index, how.about)[head:]
    name = group_text(own, bins=has_bins(released), kind=of_cells)
    figure, start, end = spoken(row.value, row.low, row.high, kind)
    return PictureRow(
        name=name,
        picture=_markup(drawn(scale, row.value, row.low, row.high)) if drawn else "",
        value=figure,
        low=start,
        high=end,
        rows=rows_text(row, released.answer.rows_within),
        told=row.value is not None,
        flag=how.flag_of(row.value, row.low, row.high),
    )


def tick_texts(ticks: tuple[float, ...], kind: ValueKind) -> list[str]:
    """Return the numbers of a scale as texts."""
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
