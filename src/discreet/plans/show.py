"""How a plan shows itself in a terminal and a notebook, without a float."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..exact.number import rounded, text_of
from ..expressions import Typed, contradicted
from ..finding.finding import Finding
from ..privacy import gdp, risk
from ..privacy.conversion import converted
from ..privacy.loss import Loss, total
from ..schema import (
    NO_FACTS,
    STEPS,
    Table,
    cells_said,
    impossible,
    logs_said,
    protection,
    sizes_said,
    two_owners,
    unlisted,
)
from ..schema.forms_said import labels_said
from ..statistic.shared_vector import Joined
from ..statistic.statistic import SHORT, Expected
from ..text import Bar, Sheet, bars_drawn, bundle, listed
from .forecast import forecast
from .line import kind_of
from .unknown import shares_taken
from .within import ROWS

_KEYS_SHOWN = 8
_ONE_LAW = (
    " All questions have noise of one law: in the account of both, finding keys has no place."
)
_MOST = 3  # sizes of noise that are named one by one

if TYPE_CHECKING:
    from .line import Line
    from .plan import Plan


_NAMELESS = "This data has no name, which a ledger asks for: say name=... in discreet.table."


def sheet_of(plan: "Plan") -> Sheet:
    """Return the priced list as a table."""
    laws = list({law.words: law for law in plan.laws}.values())  # one, and what chooses
    sizes = ", ".join(dict.fromkeys(law.size_name for law in laws))
    expected = [
        line.statistic.expected(plan.table, line.laws, plan.level(line)) for line in plan.lines
    ]
    half = f"± ({_percent(plan.alpha)})"
    return Sheet(
        title=f"Plan for {plan.table.name}: {plan.cost} in all. Nothing has been read.",
        above=(
            *([first] if (first := two_owners(plan.table.name, plan.table.joins)) else ()),
            protection(plan.table),
            *rows_said(plan.table, plan.conditions),
            *([] if plan.table.named else [_NAMELESS]),
            *_columns(plan),
            f"Noise: {', '.join(law.words for law in laws)}.",
        ),
        columns=("question", "cells", sizes, half, "price"),
        rows=tuple(_row(plan, *pair) for pair in zip(plan.lines, expected, strict=True)),
        below=tuple(_below(plan, expected)),
        right=("cells", sizes, half, "price"),
        warnings=(*warnings_of(plan), *logs_said(plan.table)),
    )


def bundle_of(plan: "Plan") -> dict[str, str]:
    """Return what a notebook shows of a plan: the list, and its prices and errors as bars."""
    sheet, sizes = sheet_of(plan), [line.cost.numbers[0] for line in plan.lines]
    alike, most = len({line.cost.kind for line in plan.lines}) == 1, max(sizes)
    bars = [
        Bar(row[0], f"{row[-2]} for {row[-1]}", size / most)  # exact: rationals
        for row, size in zip(sheet.rows, sizes, strict=True)
        if alike and most
    ]
    title = f"What each question costs, and its error before anything is paid: {plan.cost} in all"
    return bundle(plan, sheet.html(), bars_drawn(title, bars) if bars else "")


def meaning_of(plan: "Plan") -> str:
    """Return what the plan's cost allows somebody to find out about one unit."""
    return risk.meaning(plan.cost, neighbors=plan.table.neighbors, unit=_unit(plan.table))


def warnings_of(plan: "Plan") -> tuple[str, ...]:
    """Return the marked sentences on a plan that protects hardly anybody; mostly none."""
    sentences = risk.warnings(plan.cost, neighbors=plan.table.neighbors, unit=_unit(plan.table))
    return tuple(sentences)


def plus_minus(expected: Expected, rows: int | None = None) -> str:
    """Return the half-width to expect, in the measure of its question; a mean's at some rows."""
    if expected.of == SHORT:
        return f"at most {rounded(expected.half_width)} short"
    of = f" {expected.of}" if expected.of else ""
    if not expected.per_row:
        return f"±{rounded(expected.half_width)}{of}"
    size = rows or ROWS
    return f"±{rounded(expected.half_width / size)}{of} at {size:,} rows"  # exact: rationals


def rows_said(table: Table, asked: Sequence[Typed] = ()) -> Iterator[str]:
    """Return which rows count, and what is made of each; nothing where the data is as it is.

    Args:
        table: what is declared.
        asked: the conditions of questions.
    """
    for join in table.joins:
        yield f"Joined: {join.words()}."
    if table.condition is not None:
        yield f"Rows: those where {table.condition.expression}."
    if table.facts != NO_FACTS:
        yield sizes_said(table)
    for name, formula in table.derived.items():
        yield f"Made of each row: {name} = {formula.expression}."
    for name, declared in table.unknown.items():
        if declared.of:
            yield f"Made of each row: {name}, the texts of {' and '.join(declared.of)}."
    yield from table.spelled_words()
    if table.lists:
        yield from table.lists_words()
    yield from table.notes
    for name, texts in unlisted(table, asked).items():
        yield f"{name} is compared with what is none of its keys: {listed(texts, _KEYS_SHOWN)}."
    for names in _unmet(table, asked):
        yield (
            f"No row can meet what is asked of {' and '.join(names)} together: what is counted "
            "there is noise alone."
        )
    yield from cells_said(table, asked)
    yield from labels_said(table)


def _unmet(table: Table, asked: Sequence[Typed]) -> list[tuple[str, ...]]:
    """Return the columns of which the table's condition and one of a question ask what none is."""
    own = [table.condition.tree] if table.condition is not None else []
    blocked = [contradicted(own), *(contradicted([*own, test]) for test in asked)]
    return [names for names in dict.fromkeys(blocked) if names]


def _row(plan: "Plan", line: "Line", expected: Expected) -> tuple[str, ...]:
    cells = sum(aggregate.size(plan.table) for aggregate in line.aggregates)
    return (
        line.statistic.label,
        "as found" if any(map(plan.is_open, line.aggregates)) and not cells else f"{cells:,}",
        _sizes(line, plan.table),
        plus_minus(expected, line.statistic.ask.rows),
        str(line.cost),
    )


def _sizes(line: "Line", table: Table) -> str:
    """Return the sizes of a line's noise: all, or the ends of many; of sums with their step."""
    unit = line.statistic.unit if isinstance(line.statistic, Joined) else Fraction(1)
    sizes = dict.fromkeys(law.size_up() * unit for law in line.laws)
    texts = list(dict.fromkeys(map(rounded, sizes if len(sizes) <= _MOST else [])))
    shown = ", ".join(texts) or f"{rounded(min(sizes))} to {rounded(max(sizes))}"
    measures = [measure for aggregate in line.aggregates for measure in aggregate.measures]
    if not any(measure.terms for measure in measures):  # rows and units have no step
        return shown
    return f"{shown} {_step(line, table, unit)}".rstrip()


def _step(line: "Line", table: Table, unit: Fraction) -> str:
    """Return what 1 of a line's noise is worth, in words; none where that is 1, or several."""
    worth = line.statistic.worth(table)
    if worth is None:
        return ""
    columns = {column for of in line.aggregates for m in of.measures for column in m.columns}
    kinds = [STEPS.get(table.columns[column].kind, "") for column in columns]
    of, step = kinds[0] if len(kinds) == 1 else "", worth / unit  # exact: rationals
    return of if step == 1 else f"steps of {text_of(step)} {of}"


def _below(plan: "Plan", expected: Sequence[Expected]) -> Iterator[str]:
    """Return what a reader needs to read the error bars and the prices."""
    for finding in plan.findings:
        yield from finding_words(finding, plan)
    yield from nobodys_words(plan)
    yield from shared_words(plan)
    yield from _kept_by_intervals(plan, expected)
    if not plan.together and any(line.statistic.ask.together for line in plan.lines):
        yield (
            "All intervals of a question that says together hold at once with probability at least "
            f"{text_of(1 - plan.alpha)}."
        )
    if any(error.per_row for error in expected):
        asked = zip(plan.lines, expected, strict=True)
        kinds = [str(line.statistic.plain()["statistic"]) for line, error in asked if error.per_row]
        yield (
            f"The ± of a {' or '.join(dict.fromkeys(kinds))} is twice as wide in a group of half "
            "as many rows, and half as wide in one of twice as many."
        )
    if any(error.of == "ranks" for error in expected):
        yield (
            "A half-width in ranks says how many rows of the group may lie between the value told "
            "and the true one."
        )
    yield from dict.fromkeys(error.note for error in expected if error.note)
    yield from (sentence for error in expected for sentence in error.words())
    if plan.spend.kind == "approx":
        yield _kept(plan)
    yield from forecast(plan)
    if len(plan.lines) > 1 or plan.table.unit.column is not None:
        from .advice import advice

        yield from advice(plan)
    yield from _meant(plan)


def _meant(plan: "Plan") -> Iterator[str]:
    """Return what the loss allows to find out, where that is little; of one row, where less."""
    if not warnings_of(plan):
        yield meaning_of(plan)
    if plan.table.unit.column is not None and not any(line.shared for line in plan.lines):
        from .one_row import row_words

        asked = [(line.asked, line.laws) for line in plan.lines]
        yield from row_words(plan.table, asked, plan.spend, plan.cost)


def _kept_by_intervals(plan: "Plan", expected: Sequence[Expected]) -> Iterator[str]:
    """Return which numbers are shown where a rule says so, and what intervals keep."""
    ruled = [line.statistic for line in plan.lines if line.statistic.ask.publish is not None]
    if ruled:
        from .publication import rules_said

        yield from rules_said(plan)
    if plan.together:
        yield f"All intervals hold at once with probability at least {text_of(1 - plan.alpha)}."
        if any(error.per_row for error in expected):
            yield "How many rows a mean is made of is told beside it, and holds each by itself."
    elif len(ruled) < len(plan.lines):
        where = "Without a rule each" if ruled else "Each"
        yield f"{where} interval by itself misses with probability at most {text_of(plan.alpha)}."


def _kept(plan: "Plan") -> str:
    """Return how the prices of an (epsilon, delta) plan become its loss."""
    kind = kind_of(plan.lines)
    if kind is None:
        both = _added(plan)
        return f"The prices add up to {both}, which keeps {plan.cost} by the account of both laws."
    prices = plan.price(kind)
    if plan.findings:
        whole = _with_chance(plan)
        added = f"With the noise and the chance of finding the prices add up to {whole}"
        return f"{added}, which keeps {plan.cost}.{_ONE_LAW if len(plan.lines) > 1 else ''}"
    if kind == "pure" or prices is None:
        return "No delta is spent: this noise needs none."
    cost = plan.cost
    if kind == "gdp" and not gdp.keeps(prices.mu2, cost.epsilon, cost.delta):
        return f"This noise keeps {cost} by its own exact curve, which it has only alone."
    shown = _added(plan)
    if kind == "gdp" and not gdp.keeps(shown.mu2, cost.epsilon, cost.delta):
        return f"Before they are rounded up the prices add up to {prices}, which keeps {cost}."
    return f"The prices add up to {shown.few_up()}, which keeps {cost}."


def _added(plan: "Plan") -> Loss:
    """Return the sum of the prices as they are shown; of both laws in the purses of each."""
    kind = kind_of(plan.lines) or "purses"
    return total([price for line in plan.lines if (price := converted(line.cost, kind))])


def _with_chance(plan: "Plan") -> Loss | None:
    """Return the sum that keeps an (epsilon, delta): with choices as pure, or as Gaussian loss."""
    purses, cost = plan.price("purses"), plan.cost
    pure, mu2, chance = purses.numbers if purses else (cost.epsilon, cost.delta, cost.delta)
    if pure and pure + gdp.epsilon_up(mu2, cost.delta - chance) > cost.epsilon:
        return plan.price("approx_gdp")
    return purses


def finding_words(finding: Finding, plan: "Plan") -> Iterator[str]:
    """Return what it takes for a key to be found, and what finding does with the others."""
    table, columns = plan.table, [other.column for other in plan.findings]
    share = dict(zip(columns, shares_taken(table, columns), strict=True))[finding.column]
    declared, groups = table.unknown[finding.column], finding.max_groups
    most = sorted({1, min(3, groups), min(10, groups), groups})
    needs = spoken([rounded(finding.needs(number), 2) for number in most])
    units = "rows" if table.unit.column is None else "units"
    each = (
        f", if each of them has {spoken(most)} keys that are still asked for" if groups > 1 else ""
    )
    yield (
        f"Finding {finding.column} takes {text_of(share)} of the loss. A key shows from "
        f"about {needs} {units} on{each}; all others together are the group {declared.other!r}."
    )
    yield (
        f"A key that only one {units[:-1]} has is shown with a chance of at most "
        f"{text_of(finding.delta)}; what is shown is text from the data."
    )


def nobodys_words(plan: "Plan") -> Iterator[str]:
    """Return which groups of derived columns can hold no row, so that noise alone is paid for."""
    asked = {column for line in plan.lines for column in line.statistic.ask.by}
    for name in plan.table.derived:
        keys = impossible(plan.table, name) if name in asked and name in plan.table.keys else ()
        if keys:
            yield (
                f"No row can be in a group of {name} = {listed(keys, _KEYS_SHOWN)}: its expression "
                "never gives that, and its numbers will be noise around 0."
            )


def shared_words(plan: "Plan") -> Iterator[str]:
    """Return which questions have one vector together, and how much that saves."""
    for act in dict.fromkeys(line.shared for line in plan.lines):
        if act is not None:
            *some, last = [plan.lines[place].statistic.label for place in act.questions]
            saved = rounded(100 * (1 - act.part), 2)  # exact: rationals
            yield (
                f"{', '.join(some)} and {last} are counted as one vector, {saved} % cheaper than "
                "apart."
            )


def spoken(items: Sequence[object]) -> str:
    """Return items as a list in words."""
    *some, last = map(str, items)
    return f"{', '.join(some)} or {last}" if some else last


def _unit(table: Table) -> str:
    return "row" if table.unit.column is None else "unit"


def _columns(plan: "Plan") -> Iterator[str]:
    measures = [measure for aggregate in plan.aggregates for measure in aggregate.measures]
    used = {column for measure in measures for column in measure.columns}
    used |= {aggregate.bins.column for aggregate in plan.aggregates if aggregate.bins}
    for name, bounds in plan.table.columns.items():
        if name in used:
            chosen = " (chosen by discreet)" if bounds.step_was_chosen else ""
            yield f"Bounds of {name}: {bounds}{chosen}."


def _percent(alpha: Fraction) -> str:
    return f"{rounded(100 * (1 - alpha), 4)} %"
