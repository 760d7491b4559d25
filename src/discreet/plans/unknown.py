"""Keys that a plan has to find first: in which columns, and with which part of its loss.

Rules of this module:
- a plan pays for the unknown columns that its questions group by, and for no other;
- finding takes its share of the loss, and three tenths of the delta beside an epsilon; of a delta
  beside rho or mu2 it takes all. The questions share the rest.

Decision 28.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from inspect import signature
from typing import TYPE_CHECKING

from ..errors import InputError, shown
from ..exact.number import few_down, few_up, text_of
from ..finding.finding import Finding, finding_for
from ..fix import BLANK, Call, call, write
from ..privacy.gdp import epsilon_up
from ..privacy.loss import Kind, Loss, call_of
from ..schema import Table
from ..statistic.statistic import Statistic
from .price import Act, candidates

if TYPE_CHECKING:
    from .plan import Plan

_CHANCE = Fraction(3, 10)  # of delta: measured best, and flat about there
_MORE = Fraction(100_001, 100_000)  # for what is rounded down on the way


def columns_of(table: Table, statistics: Sequence[Statistic]) -> tuple[str, ...]:
    """Return the columns whose keys are to be found, in the order of their declaration."""
    asked = {column for statistic in statistics for column in statistic.ask.by}
    return tuple(column for column in table.unknown if column in asked)


def bounded(table: Table, statistics: Sequence[Statistic]) -> tuple[Statistic, ...]:
    """Return the questions, each by an unknown column with the limit on groups declared there."""
    return tuple(_bounded(table, statistic) for statistic in statistics)


def _bounded(table: Table, asked: Statistic) -> Statistic:
    limits = [table.unknown[c].max_groups for c in asked.ask.by if c in table.unknown]
    if not limits:
        return asked
    from ..statistic.catalog import ASKED, statistic_of

    name = str(asked.plain()["statistic"])
    if "max_groups" not in signature(ASKED[name]).parameters:
        raise InputError(
            f"{shown(asked.label)} cannot be asked over keys that nobody knows.",
            kind="keys-unknown-here",
            why="it has no limit on how many groups of one unit count",
            fix="list the keys, or ask for counts by these columns",
            at="by",
        )
    if asked.ask.max_groups is not None or table.unit.column is None:
        return asked
    return statistic_of({**asked.plain(), "max_groups": max(limits)})


def found_first(
    table: Table, columns: Sequence[str], spend: Loss
) -> tuple[tuple[Finding, ...], Loss]:
    """Return the act of finding for each unknown column, and what is left for the questions.

    Of a delta beside rho or mu2 finding takes all, because nothing else needs it.

    Raises:
        InputError: the spend has no delta, or nothing is left for the questions.
    """
    if not columns:
        return (), spend.ideal
    parts = shares_taken(table, columns)
    _check_parts(columns, parts)
    chance = _chance_of(spend, columns[0])
    bought = spend.few_down().ideal
    if spend.kind == "approx":
        rest = Loss("approx", (spend.epsilon, spend.delta - chance))
        bought = next(loss for loss in candidates(rest) if loss.kind == "gdp")
    each = few_down(chance / len(columns))  # exact: rationals
    pairs = zip(columns, parts, strict=True)
    findings = tuple(_finding(table, column, bought, part, each) for column, part in pairs)
    return findings, bought.times(1 - sum(parts, Fraction(0))).few_down()


def whole_of(table: Table, columns: Sequence[str], spend: Loss) -> Callable[[Loss], Loss]:
    """Return the function from what the questions need to a spend that leaves them so much.

    Args:
        table: declares the columns.
        columns: whose keys are looked for; where there are none, all is the questions'.
        spend: what was to be spent, whose kind and delta stay.
    """
    share = 1 - sum(shares_taken(table, columns), Fraction(0))

    def whole(cost: Loss) -> Loss:
        if not columns or cost == found_first(table, columns, spend)[1]:
            return spend if columns else cost
        (more,) = cost.times(1 / share).numbers  # exact: rationals
        while True:
            chance = spend.delta - _chance_of(spend, columns[0])
            number = epsilon_up(more, chance) if spend.kind == "approx" else more
            larger = Loss(spend.kind, (few_up(number), spend.delta))
            if cost.fits(found_first(table, columns, larger)[1]):
                return larger
            more *= _MORE

    return whole


def share_of(plan: "Plan") -> Fraction:
    """Return the part of a plan's noise that finding its keys takes."""
    return sum(shares_taken(plan.table, [finding.column for finding in plan.findings]), Fraction(0))


def shares_taken(table: Table, columns: Sequence[str]) -> list[Fraction]:
    """Return the part of the loss that finding takes for each of the columns that are asked by.

    Columns without a share of their own take half of what the others leave, in equal parts.
    """
    shares = [table.unknown[column].share for column in columns]
    own = sum((share for share in shares if share is not None), Fraction(0))
    each = (1 - own) / 2 / max(1, shares.count(None))  # exact: rationals
    return [each if share is None else share for share in shares]


def _finding(table: Table, column: str, share: Loss, part: Fraction, chance: Fraction) -> Finding:
    groups = 1 if table.unit.column is None else table.unknown[column].max_groups
    replaced = table.neighbors == "replace"
    mu2 = share.mu2 if share.kind == "gdp" else 2 * share.rho
    return finding_for(column, groups, mu2 * part, chance, replace=replaced)


def _chance_of(spend: Loss, column: str) -> Fraction:
    """Return the part of delta that finding keys takes, or raise InputError."""
    part = _CHANCE if spend.kind == "approx" else 1
    delta = few_down(spend.named.get("delta", Fraction(0)) * part)
    if delta and spend.numbers[0]:
        return delta
    raise InputError(
        f"finding keys needs a delta, and this plan spends {spend} without one.",
        kind="delta-missing",
        why="a key that only one person has must stay hidden, but for a chance of delta",
        fix=(
            write(spend=with_chance(spend)),
            write(", with the keys listed", of="table", keys={column: ["?", "?"]}),
        ),
        at="spend",
    )


def _check_parts(columns: Sequence[str], parts: Sequence[Fraction]) -> None:
    """Refuse to find so many keys that nothing is left for the questions."""
    if sum(parts) < 1:
        return
    raise InputError(
        f"finding the keys of {' and '.join(map(shown, columns))} takes all of the loss.",
        kind="spend-too-small",
        why="each unknown column takes its share, and nothing is left for the questions",
        fix="give each of them a smaller share, so that all together are below 1",
    )


def with_chance(loss: Loss) -> Call:
    """Return the call that makes the same loss with a delta, where it has none."""
    number = text_of(loss.numbers[0])
    kinds: dict[str, Kind] = {"zcdp": "approx_zcdp", "gdp": "approx_gdp", "purses": "approx"}
    kind = kinds.get(loss.kind, "approx" if loss.kind == "pure" else loss.kind)
    return call_of(kind, BLANK if loss.kind == "purses" else number, "1e-6")


def refuse_errors(columns: Sequence[str]) -> None:
    """Raise InputError where keys are to be found and errors, not a loss, were given."""
    if columns:
        raise InputError(
            f"the errors wanted do not say what finding the keys of {shown(columns[0])} may cost.",
            kind="spend-missing",
            why="which keys show follows from the loss, and the intervals from what is left of it",
            fix=write(spend=call("discreet.approx", BLANK, BLANK)),
        )


def refuse_page(findings: Sequence[Finding]) -> None:
    """Raise InputError where errors are to be moved, and keys are to be found."""
    if findings:
        column = findings[0].column
        raise InputError(
            f"no page moves errors by {shown(column)}, whose keys nobody knows.",
            kind="not-explorable",
            why="finding them costs too, and which of them show follows from the loss alone",
            fix=(
                write(", with the keys listed", of="table", keys={column: ["?", "?"]}),
                "see what would be shown with discreet.forecast",
            ),
        )


def acts_that_find(finding: Finding) -> tuple[Act | Loss, ...]:
    """Return the noise of each round, and the chance that a key of one unit alone is shown."""
    rounds = [Act(law, finding.sensitivity) for law in finding.laws]
    return (*rounds, finding.chance)
