"""The report: one HTML file that a journalist can read and nothing can run.

Rules of this module:
- the page holds no script that runs and asks for nothing: its own policy forbids both;
- every text of a release goes through the template's escaping, and control and direction
  characters are shown as their codes;
- the same document gives the same page.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..document.accessors import (
    alpha_of,
    holds_together,
    kinds_of,
    labels,
    loss_text,
    rules_told,
    stated_told,
    told,
)
from ..document.document import Document, Released, Vector
from ..document.headings import NAME as LABELLED
from ..document.headings import as_shown, is_labelled, sentences
from ..document.numbers import percent, plainly
from ..errors import visible
from ..exact.number import rounded
from ..noise.registry import law_of
from ..privacy import risk
from ..privacy.loss import loss_of
from ..schema import About, Label, Table, table_of
from ..statistic.catalog import statistic_of
from ..statistic.statistic import MEASURES
from . import words
from .about_file import NOTHING, Said
from .evaluator import evaluated, ledger_words
from .metadata import metadata_of
from .panels import ROWS_SHOWN, found_sentences, panels
from .words import groups_said

if TYPE_CHECKING:
    from jinja2 import Environment


_BAND = re.compile(
    r'floor\(\(?("[^"]+"|\w+) / (?P<wide>[1-9]\d{0,8})\)?\)(?P<times> \* (?P=wide))?'
)
MOST_PICTURE = 85_000  # bytes of a map's picture that a page holds; a larger one stands beside it
_BESIDE_A_PICTURE = 100  # rows
_KEYS_SHOWN = 60
_CHANGES_SHOWN = 5


def page(document: Document, record: Said = NOTHING, picture: bytes = b"") -> str:
    """Return the whole report as HTML, with what the publisher says of it, and a map's picture."""
    table = table_of(document.plan["table"])
    about = with_bands(record.about, table)
    template = _environment().get_template("report.html.j2")
    shown = list(panels(document, about, _BESIDE_A_PICTURE if picture else ROWS_SHOWN))
    return template.render(
        document=document,
        table=table,
        title=about.title or document.title,
        date=document.created[:10],
        panels=shown,
        outlines=_outlines(about, [panel.map_of for panel in shown if panel.map_of]),
        picture=b64encode(picture if len(picture) <= MOST_PICTURE else b"").decode("ascii"),
        is_map=bool(picture),
        covers=percent(alpha_of(document)),
        **metadata_of(document, about),
        **_head(document, about, table),
        **_reading(document, about, table),
        **_method(document, about, table),
        spoken=record if record.about.plain() or record.changes else None,
        changes=record.changes[-_CHANGES_SHOWN:],
    )


def _outlines(about: About, columns: Sequence[str]) -> Any:
    """Return the outlines of all maps of a page."""
    if not columns:
        return ""
    from .choropleth import outlines

    return outlines(about, columns)


def _head(document: Document, about: About, table: Table) -> dict[str, Any]:
    """Return what stands at the head of a page, and at its foot."""
    labelled = [LABELLED] * is_labelled(about)
    return {
        "style": _style(),
        "tongue": about.language,
        "byline": [line for line in about.lines() if line[0] != "Note"],
        "facts": list(_key_facts(document, about, table)),
        "evaluator": evaluated(document, about, table),
        "files": ["table.csv", *labelled, "table.parquet", "release.json"],
    }


def _reading(document: Document, about: About, table: Table) -> dict[str, Any]:
    """Return what tells how to read the numbers."""
    answers = sum(len(released.answer.rows) for released in document.statistics)
    notes = [text for name, text in about.lines() if name == "Note"]
    return {
        "promise": words.promise(table),
        "who": words.who(table, about.one),
        "misses": words.misses(answers, document),
        "told": [*notes, *_told(document), *sentences(document, about)],
        "ratios": _ratios(document),
        "ruled": any(released.shown is not None for released in document.statistics),
    }


def _method(document: Document, about: About, table: Table) -> dict[str, Any]:
    """Return what tells how it was done."""
    loss = loss_of(document.protection.loss)
    return {
        "relation": words.relation(table),
        "neighboring": words.neighboring(table, about.one),
        "loss": loss_text(document),
        "loss_kind": _KINDS[loss.kind],
        "meaning": [*words.loss_sentences(loss, table=table), *_of_one_row(document, table)],
        "rows": [*words.rows(table), *groups_said(document)],
        "limits": list(_limits(document, table)),
        "bounds": list(table.columns.items()),
        "keys": [(name, *_keys(values)) for name, values in table.keys.items()],
        "found": found_sentences(document, table),
        "noise": list(_noise(document, table)),
        "formulas": _formulas(document),
        "alpha": f"{alpha_of(document)}",
        "spent": ledger_words(document),
    }


def _of_one_row(document: Document, table: Table) -> Iterator[str]:
    """Yield what the release allows to find out about one row of a unit, where that is less."""
    vectors = [vector for released in document.statistics for vector in released.vectors]
    if table.unit.column is None or any(vector.times is not None for vector in vectors):
        return
    from ..plans.one_row import row_words

    asked = [
        (statistic_of(released.question), [law_of(vector.noise) for vector in released.vectors])
        for released in document.statistics
    ]
    spend, cost = loss_of(document.plan["spend"]), loss_of(document.protection.loss)
    yield from row_words(table, asked, spend, cost)


def _told(document: Document) -> Iterator[str]:
    """Return what is stated, and what rules of publication show."""
    yield from stated_told(document)
    yield from rules_told(document, together=holds_together(document))


_KINDS = {
    "pure": "pure differential privacy",
    "zcdp": "zero-concentrated differential privacy (zCDP)",
    "gdp": "mu-Gaussian differential privacy (GDP)",
    "approx": "(epsilon, delta)-differential privacy",
    "approx_zcdp": "zero-concentrated differential privacy (zCDP), with a chance to fail",
    "approx_gdp": "mu-Gaussian differential privacy (GDP), with a chance to fail",
    "purses": "pure and mu-Gaussian differential privacy, with a chance to fail",
}


def with_bands(about: About, table: Table) -> About:
    """Return a publisher's words, with those for bands of a number that have no names."""
    named = {
        column: replace(about.labels.get(column, Label()), values=names, ordered=True)
        for column, formula in table.derived.items()
        if not about.names(column)
        and about.ordered(column) is None
        and (names := _bands(str(formula.expression), table.keys.get(column, ())))
    }
    return replace(about, labels={**about.labels, **named}) if named else about


def _bands(expression: str, keys: Sequence[object]) -> dict[str, str]:
    """Return the names of bands that an expression makes of a number; nothing where it makes none.

    Example:
        >>> _bands("floor(age / 10)", [1, 2]), _bands("floor(age / 10) * 10", [10, 20])["20"]
        ({'1': '10 to under 20', '2': '20 to under 30'}, '20 to under 30')
    """
    match = _BAND.fullmatch(expression)
    if match is None or not all(type(key) is int for key in keys):
        return {}
    wide, times = int(match["wide"]), 1 if match["times"] else int(match["wide"])
    numbers = [key for key in keys if isinstance(key, int)]
    return {str(key): f"{key * times} to under {key * times + wide}" for key in numbers}


@dataclass(frozen=True, slots=True)
class KeyFact:
    """One of the four facts at the head of a page."""

    name: str
    figure: str
    words: str


def _key_facts(document: Document, about: About, table: Table) -> Iterator[KeyFact]:
    """Yield what is hidden, what it costs, how far off numbers are, and how many there are."""
    alone = "row" if table.unit.column is None else "unit"
    limit = table.unit.max_rows
    most = words.times(limit, "row") if limit else ""
    rows = f", with up to {most}" if most and table.unit.column is not None else ""
    hidden = {"add_remove": "whether it is in the data", "replace": "what it says"}
    yield KeyFact("Hidden", f"1 {about.one or alone}", f"{hidden[table.neighbors]}{rows}")
    loss = loss_of(document.protection.loss)
    yield KeyFact("Privacy loss", loss_text(document), risk.in_short(loss))
    released = as_shown(document, about).statistics[0]
    width, covers = _median_width(released), percent(alpha_of(document))
    noun = MEASURES[released.answer.measure].noun or "number"
    time = {"day": " days", "moment": " seconds"}.get(kinds_of(document, released)[0], "")
    figure = "none" if width is None else f"±{rounded(width)}{time}"
    of = (
        "too few rows to say"
        if width is None
        else f"half of the {noun}s in table 1 are off by no more, at {covers}"
    )
    yield KeyFact("Typical error", figure, of)
    answers = sum(len(statistic.answer.rows) for statistic in document.statistics)
    yield KeyFact(
        "Numbers", f"{answers:,}", f"each with a {covers} interval; anybody can check them"
    )


def _median_width(released: Released) -> Fraction | None:
    """Return the median of how far numbers may be off; None where there is none."""
    widths = sorted(
        max(Fraction(row.high) - Fraction(row.value), Fraction(row.value) - Fraction(row.low))
        for row in told(released, ROWS_SHOWN)
        if row.value is not None
    )
    return widths[len(widths) // 2] if widths else None


@cache
def _style() -> Any:
    """Return the style sheet, which is ours."""
    from markupsafe import Markup

    text = (files(__package__) / "templates" / "report.css").read_text("utf-8")
    return Markup(text)  # noqa: S704


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("discreet.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_shown,
    )


def _shown(value: Any) -> Any:
    """Make what a template shows visible; markup that we made ourselves stays as it is."""
    return value if hasattr(value, "__html__") else visible(str(value))


def _noise(document: Document, table: Table) -> Iterator[dict[str, str]]:
    for label, released in zip(labels(document), document.statistics, strict=True):
        moves = statistic_of(released.question).counted_in(table)
        for place, vector in enumerate(released.vectors):
            of = "half step" if released.answer.measure == "mean" and not place else "row"
            shared = f", {vector.times or 0:,} for each {of}"
            measure = moves if vector.times is None else shared
            yield {"label": label, "measure": measure, **_facts(vector)}


def _formulas(document: Document) -> str:
    laws = [law_of(vector.noise) for released in document.statistics for vector in released.vectors]
    return "; ".join(dict.fromkeys(map(words.law_formula, laws)))


def _ratios(document: Document) -> list[str]:
    """Return which measures of the release are made of a noisy number of rows, in words."""
    noisy = [
        released.answer for released in document.statistics if released.answer.rows_within != 0
    ]
    there = {answer.measure for answer in noisy}
    return [kind.noun for measure, kind in MEASURES.items() if kind.noun and measure in there]


def _facts(vector: Vector) -> dict[str, str]:
    law = law_of(vector.noise)
    l1, squared = int(vector.sensitivity["l1"]), int(vector.sensitivity["l2_squared"])
    return {
        "law": law.words,
        "numbers": law.numbers(),
        "l1": f"{l1:,}",
        "l2_squared": f"{squared:,}",
        "cells": words.times(vector.cells, "number"),
        "price": str(law.loss(l1=l1, l2_squared=squared)),
    }


def _keys(values: tuple[Any, ...]) -> tuple[list[str], int]:
    return [plainly(value) for value in values[:_KEYS_SHOWN]], max(0, len(values) - _KEYS_SHOWN)


def _limits(document: Document, table: Table) -> Iterator[tuple[str, str]]:
    if table.unit.max_rows and table.unit.column is not None:
        most = table.unit.max_rows
        yield "In the whole release", f"at most {words.times(most, 'row')} of one unit"
    for label, released in zip(labels(document), document.statistics, strict=True):
        limits = []
        if "max_groups" in released.question:
            most = released.question["max_groups"]
            limits.append(f"at most {words.times(most, 'group')} of one unit")
        if "max_rows_per_group" in released.question:
            most = released.question["max_rows_per_group"]
            limits.append(f"at most {words.times(most, 'row')} of one unit in a group")
        if limits:
            yield label, ", ".join(limits)
