"""What a release says about itself, in sentences a reader without mathematics can check.

Rules of this module:
- each sentence is a consequence of the exact parameters, never stronger than they are;
- numbers are rounded to the side that promises less.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from ..document.accessors import alpha_of, holds_together, labels, labels_together
from ..document.document import Document, Released
from ..exact.enclosure import exp_up
from ..exact.number import brief, in_digits, rounded, text_of
from ..noise.law import Law
from ..privacy import gdp, risk
from ..privacy.conversion import converted, epsilon_up
from ..privacy.loss import IDEAL, Loss
from ..schema import NO_FACTS, About, Table, cells_said, protected_together, sizes_said, two_owners
from ..statistic.catalog import statistic_of
from ..statistic.statistic import AS_NAMED

_DELTAS = (Fraction(1, 10**6), Fraction(1, 10**9))
SEVERAL = "A unit that is in several groups counts in each of them"
_HUGE = Fraction(20)  # beyond e^20 a factor says nothing


def promise(table: Table) -> str:
    """Return one plain sentence on the protection."""
    what = {
        "add_remove": "whether any {} is in the data at all",
        "replace": "what any {} in the data says",
    }[table.neighbors].format("single row" if table.unit.column is None else "single unit")
    return (
        "Random noise was added to every number before it was published. It hides "
        f"{what}, from everybody and for ever, whatever else they know, up to a limit that is "
        "stated below."
    )


def who(table: Table, called: str = "") -> str:
    """Return what a unit is, for the sentence after the promise, by a publisher's word for it."""
    if table.unit.column is None:
        each = called and f", one {called}: each row that counts is one {called}"
        return f"What is protected is one row of the table{each}."
    limit = table.unit.max_rows
    rows = f", of which at most {limit:,} count" if limit else ""
    return (
        f"What is protected is one {called or 'unit'}, with all rows: those with the same value in "
        f"“{table.unit.column}”{rows}."
    )


def rows(table: Table) -> list[str]:
    """Return which rows count, and what was made of each, in the words of the plan."""
    sentences = [f"Another table is joined: {join.words()}." for join in table.joins]
    if table.joins:
        sentences.append(protected_together(table.name, table.joins))
        sentences += [first] if (first := two_owners(table.name, table.joins)) else []
        sentences.append("How many rows of a unit count is limited after the tables are joined.")
    sentences += [sizes_said(table)] if table.facts != NO_FACTS else []
    sentences += table.spelled_words()
    sentences += table.lists_words() if table.lists else ()
    looked = len(sentences)
    if table.condition is not None:
        sentences.append(f"Only rows count for which this is true: {table.condition.expression}.")
    for name, formula in table.derived.items():
        sentences.append(f"“{name}” is made of each row: {formula.expression}.")
    for name, declared in table.unknown.items():
        if declared.of:
            made = " and ".join(f"“{part}”" for part in declared.of)
            sentences.append(
                f"“{name}” is made of each row: the texts of {made}, a bar between them."
            )
    if len(sentences) > looked:
        sentences.append("Each row was looked at by itself, so this weakens nobody's protection.")
    return [*sentences, *cells_said(table)]


def relation(table: Table) -> str:
    """Return the neighbor relation in words."""
    if table.neighbors == "add_remove":
        return (
            "The data with a unit and the data without it give almost equally likely releases "
            "(add or remove one unit)."
        )
    return (
        "The data with one unit and the data with another in its place give almost equally likely "
        "releases (replace one unit); how many units there are is not hidden."
    )


def neighboring(table: Table, called: str = "") -> str:
    """Return by what two tables differ that a release keeps alike, by a publisher's word for it.

    Example:
        >>> from ..schema import table
        >>> neighboring(table([], unit="row"), "person")
        'one person more or less (add_remove)'
    """
    unit = called or ("row" if table.unit.column is None else "unit")
    by = {"add_remove": "more or less", "replace": "in the place of another"}[table.neighbors]
    return f"one {unit} {by} ({table.neighbors})"


def question_words(question: Mapping[str, Any], about: About = AS_NAMED) -> str:
    """Return a question as a heading, in a publisher's words where its columns have some.

    Example:
        >>> question_words({"statistic": "mean", "column": "cost", "by": ["ward", "year"]})
        'Mean of cost, by ward and year'
        >>> question_words({"statistic": "mean", "column": ["x", "y"], "ball": "3"})
        'Mean of x and y, of rows moved into a ball of 3'
        >>> question_words({"statistic": "count", "where": "age >= 18"})
        'Number of rows, where age >= 18'
        >>> question_words({"statistic": "tables", "by": [["sex"], ["age"]], "where": "age >= 18"})
        'Number of rows, in tables sex, age, where age >= 18'
    """
    asked = statistic_of(question)
    telling, ask = asked.telling(about), asked.ask
    words = telling.heading
    if ask.by and telling.grouped:
        words += f", by {' and '.join(map(about.column, ask.by))}"
    return words if ask.where is None else f"{words}, where {ask.where.text}"


def named_words(question: Mapping[str, Any], about: About) -> str:
    """Return a question as a heading in a publisher's words; "" where its columns have none."""
    named = [name for part in ("by", "column", "on") for name in _listed(question.get(part))]
    return question_words(question, about) if any(name in about.labels for name in named) else ""


def _listed(names: object) -> list[str]:
    """Return the names of columns as a list; none where a question has lists of them."""
    several = [names] if isinstance(names, str) else names if isinstance(names, list) else []
    return [name for name in several if isinstance(name, str)]


def loss_sentences(loss: Loss, *, table: Table) -> list[str]:
    """Return what a loss means, from its definition, and what it allows to find out."""
    terms = {"neighbors": table.neighbors, "unit": "row" if table.unit.column is None else "unit"}
    marked = risk.warnings(loss, **terms)
    return [_defined(loss, table.neighbors), *(marked or [risk.meaning(loss, **terms)])]


def _defined(loss: Loss, neighbors: str) -> str:
    pure = loss if loss.kind == "pure" else converted(loss, "pure")
    if pure is not None:
        return _odds(pure.epsilon, neighbors)
    if loss.kind == "approx":
        return (
            f"Whatever the release is, the data with and without one unit make it likely within a "
            f"factor of {_factor(loss.epsilon)}, up to a remaining probability of "
            f"{brief(loss.delta)}."
        )
    pairs = _implied(loss)
    implied = " and ".join(f"({_above(epsilon)}, {text_of(delta)})" for epsilon, delta in pairs)
    name = {"zcdp": "rho-zCDP", "gdp": "mu-Gaussian differential privacy"}.get(
        loss.ideal.kind, "This"
    )
    but = "delta-approximate " if loss.kind in IDEAL and loss.delta else ""
    return (
        f"{but}{name} with {loss} implies (epsilon, delta)-differential privacy for every delta, "
        f"among them {implied}."
    )


@cache
def _implied(loss: Loss) -> list[tuple[Fraction, Fraction]]:
    chance = loss.named.get("chance", loss.named.get("delta", 0))
    if loss.ideal.kind == "zcdp":
        return [(epsilon_up(loss.rho, delta), delta + chance) for delta in _DELTAS]
    pure = loss.named.get("pure", 0)
    return [(pure + gdp.epsilon_up(loss.mu2, delta), delta + chance) for delta in _DELTAS]


def law_formula(law: Law) -> str:
    """Return what a law is, for people who know formulas."""
    return f"for the {law.words}, Pr[k] is proportional to {law.formula}"


def times(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural where it belongs.

    Example:
        >>> times(1, "group"), times(2_000, "row")
        ('1 group', '2,000 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def misses(count: int, document: Document) -> str:
    """Return how many of the release's intervals are expected to miss, or that all hold at once."""
    if holds_together(document):
        rows = any(released.answer.rows_within is not None for released in document.statistics)
        alone = "; how many rows a value is made of holds each by itself" * rows
        return f"All intervals of this release hold at once that often{alone}."
    if any(released.shown is not None for released in document.statistics):
        return ""  # what is selected by a rule says itself what its intervals keep
    joint = labels_together(document)
    sentences = [f"All intervals of {label} hold at once that often." for label in joint]
    others = count - sum(
        len(released.answer.rows)
        for label, released in zip(labels(document), document.statistics, strict=True)
        if label in joint
    )
    with in_digits():
        expected = others * alpha_of(document)
        about = f"{expected:,.0f}"
    if expected >= 1:
        which = f"the {others:,} others" if joint else f"the {count:,} in this release"
        each = "Each other interval" if joint else "Each interval"
        sentences.append(
            f"{each} is right by itself; of {which}, about {about} can be expected to miss."
        )
    return " ".join(sentences)


def _odds(epsilon: Fraction, neighbors: str) -> str:
    about = "that a unit is in the data" if neighbors == "add_remove" else "for what a unit says"
    return (
        f"Whatever odds somebody who knows all other units gave {about}, seeing this release "
        f"changes them by a factor of at most {_factor(epsilon)}, up or down."
    )


def _factor(epsilon: Fraction) -> str:
    return _above(exp_up(epsilon)) if epsilon < _HUGE else f"e^{_above(epsilon)}"


def _above(number: Fraction) -> str:
    """Return a number rounded up to three digits behind the point, or to three in all."""
    thousandths = -((-number * 1000) // 1)
    if thousandths < 1000:
        return rounded(number * Fraction(1001, 1000))
    return text_of(Fraction(thousandths, 1000))


def has_several(document: Document, released: Released) -> bool:
    """Tell whether a statistic counts units in groups of which one unit can be in several."""
    unit, asked = document.plan["table"]["unit"], released.question
    is_by_group = released.answer.measure == "units" and bool(released.answer.axes)
    return is_by_group and unit.get("max_rows") != 1 and asked.get("max_groups") != 1


def groups_said(document: Document) -> list[str]:
    """Return what must be known of counts of units by group: nothing where there are none."""
    return [f"{SEVERAL}."] * any(
        has_several(document, released) for released in document.statistics
    )
