"""The report: one HTML file that a journalist can read and nothing can run.

Rules of this module:
- the page holds no script and asks for nothing: its own policy forbids both;
- every text of a release goes through the template's escaping, and control and direction
  characters are shown as their codes;
- the same document gives the same page.
"""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from ..document.accessors import (
    alpha_of,
    holds_together,
    labels,
    loss_text,
    rules_told,
    stated_told,
)
from ..document.document import Document, Vector
from ..document.headings import sentences
from ..document.numbers import percent, plainly
from ..errors import visible
from ..noise.registry import law_of
from ..privacy.loss import loss_of
from ..schema import Table, table_of
from ..statistic.catalog import statistic_of
from ..statistic.statistic import MEASURES
from . import words
from .about_file import NOTHING, Said
from .additive import groups_said
from .panels import found_sentences, panels

if TYPE_CHECKING:
    from jinja2 import Environment


_KEYS_SHOWN = 60
_CHANGES_SHOWN = 5


def page(document: Document, record: Said = NOTHING) -> str:
    """Return the whole report as HTML, with what the publisher says of it."""
    about = record.about
    table = table_of(document.plan["table"])
    loss = loss_of(document.protection.loss)
    alpha = alpha_of(document)
    answers = sum(len(released.answer.rows) for released in document.statistics)
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            document=document,
            table=table,
            title=about.title or document.title,
            said=about.lines(),
            spoken=record if about.plain() or record.changes else None,
            changes=record.changes[-_CHANGES_SHOWN:],
            panels=list(panels(document, about)),
            noise=list(_noise(document, table)),
            found=found_sentences(document, table),
            formulas=_formulas(document),
            ratios=_ratios(document),
            bounds=list(table.columns.items()),
            keys=[(name, *_keys(values)) for name, values in table.keys.items()],
            limits=list(_limits(document, table)),
            covers=percent(alpha),
            alpha=f"{alpha}",
            loss=loss_text(document),
            loss_kind=_KINDS[loss.kind],
            promise=words.promise(table),
            who=words.who(table),
            rows=[*words.rows(table), *_told(document), *sentences(document, about)],
            relation=words.relation(table),
            meaning=[*words.loss_sentences(loss, table=table), *_of_one_row(document, table)],
            misses=words.misses(answers, document),
            ruled=any(released.shown is not None for released in document.statistics),
            date=document.created[:10],
        )
    )


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
    """Return what is stated, what rules of publication show, and which rows are in no group."""
    yield from stated_told(document)
    yield from rules_told(document, together=holds_together(document))
    yield from groups_said(document)


_KINDS = {
    "pure": "pure differential privacy",
    "zcdp": "zero-concentrated differential privacy (zCDP)",
    "gdp": "mu-Gaussian differential privacy (GDP)",
    "approx": "(epsilon, delta)-differential privacy",
    "approx_zcdp": "zero-concentrated differential privacy (zCDP), with a chance to fail",
    "approx_gdp": "mu-Gaussian differential privacy (GDP), with a chance to fail",
    "purses": "pure and mu-Gaussian differential privacy, with a chance to fail",
}


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
