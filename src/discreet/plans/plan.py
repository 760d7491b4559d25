"""From questions and a loss to a priced list, before any data is read.

Rules of this module:
- the price follows from the laws and the sensitivities (`price`), never from what was to be spent;
- the shares of the spend have few digits, and add up to no more than the whole;
- the noise law follows from the loss (`mechanism.laws`): pure gives the discrete Laplace, zCDP the
  discrete Gaussian, (epsilon, delta) whichever of the two gives the narrower intervals;
- a plan is plain data: its digest names the request in a ledger.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

from ..aggregate import Aggregate, Sensitivity
from ..errors import InputError
from ..exact.number import Number, rational, text_of
from ..fix import BLANK, call, write
from ..noise import registry
from ..noise.law import Law
from ..privacy.loss import Loss, loss_of
from ..schema import Table, table_of
from ..statistic.catalog import statistic_of
from ..statistic.statistic import Expected, Statistic
from ..sums import check_sums
from ..text import Sheet, prompt
from .checked import check_questions, checked_spend
from .price import candidates, cost_of, price_of
from .show import sheet_of
from .size import readable
from .within import cheapest, together, wanted, weights

MAX_ALPHA = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Line:
    """One question of a plan: what is counted, with which noise, and its share of the spend."""

    statistic: Statistic
    aggregates: tuple[Aggregate, ...]
    laws: tuple[Law, ...]
    share: Loss

    def __repr__(self) -> str:
        return prompt("Line", f"{self.statistic.label} at {self.share}")

    @property
    def costs(self) -> tuple[Loss, ...]:
        """What the noise of each vector costs: from its law and sensitivity alone."""
        found = zip(self.laws, (found.sensitivity for found in self.aggregates), strict=True)
        return tuple(law.loss(l1=s.l1, l2_squared=s.l2_squared) for law, s in found)


@dataclass(frozen=True, slots=True)
class Plan:
    """A priced list of questions; nothing has been read or paid yet.

    `spend` is the most it may cost; what the noise costs, and a ledger is charged, is `price`.
    """

    table: Table
    lines: tuple[Line, ...]
    spend: Loss
    alpha: Fraction
    _digest: str = field(default="", init=False, repr=False, compare=False)

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """All vectors to be counted, in order."""
        return tuple(found for line in self.lines for found in line.aggregates)

    @property
    def laws(self) -> tuple[Law, ...]:
        """The noise of each vector, in the order of `aggregates`."""
        return tuple(law for line in self.lines for law in line.laws)

    @property
    def costs(self) -> tuple[Loss, ...]:
        """What the noise of each vector costs, in the order of `aggregates`."""
        return tuple(cost for line in self.lines for cost in line.costs)

    def events(self) -> list[dict[str, object]]:
        """Return the private acts as plain data, from which the price can be made again."""
        return [
            {
                "statistic": line.statistic.label,
                "cells": found.size(self.table),
                "noise": law.plain(),
                "sensitivity": found.sensitivity.plain(),
            }
            for line in self.lines
            for found, law in zip(line.aggregates, line.laws, strict=True)
        ]

    def price(self, kind: str) -> Loss | None:
        """Return what the noise costs in a kind of loss, or None if no number of it follows."""
        return price_of(self.costs, kind, self.spend)

    @property
    def cost(self) -> Loss:
        """What the noise costs, in the kind of loss that was to be spent."""
        return cost_of(self.costs, self.spend)

    def plain(self) -> dict[str, object]:
        """Return the plan as plain data: declaration, questions, loss and intervals."""
        return {
            "table": self.table.plain(),
            "statistics": [line.statistic.plain() for line in self.lines],
            "spend": self.spend.plain(),
            "alpha": str(self.alpha),
        }

    @property
    def digest(self) -> str:
        """The SHA-256 of the plan's canonical text, made once: equal exactly for equal plans."""
        if not self._digest:
            text = json.dumps(self.plain(), sort_keys=True, separators=(",", ":"))
            object.__setattr__(self, "_digest", hashlib.sha256(text.encode("ascii")).hexdigest())
        return self._digest

    def sheet(self) -> Sheet:
        """Return the priced list as a table for people."""
        return sheet_of(self)

    def __str__(self) -> str:
        return self.sheet().text()

    def __repr__(self) -> str:
        asked = ", ".join(line.statistic.label for line in self.lines)
        return prompt("Plan", f"for {self.table.name} at {self.spend}: {asked}")

    def _repr_html_(self) -> str:
        return self.sheet().html()

    def with_spend(self, spend: Loss) -> "Plan":
        """Return the same questions at another loss."""
        statistics = [line.statistic for line in self.lines]
        return plan(self.table, *statistics, spend=spend, alpha=self.alpha)


def plan(
    table: Table,
    *statistics: Statistic,
    spend: Loss | None = None,
    within: Number | Sequence[Number] | None = None,
    kind: str = "zcdp",
    alpha: Number = "0.05",
) -> Plan:
    """Price a list of questions, from a loss or from the errors wanted; no data is read.

    Args:
        table: the declared table.
        statistics: what to ask: `count`, `count_units`, `sum`, `mean`, `variance`, `std`,
            `histogram`.
        spend: the loss of the whole plan; each question gets its share by weight.
        within: instead of `spend`, the half-width wanted: one for all questions, or a list of one
            for each; a mean's in a group of 1,000 rows. Each question then gets the least loss
            of three digits that keeps it, and weights are not asked.
        kind: the kind of loss that `within` is priced in, "zcdp" or "pure".
        alpha: the chance that one interval misses, each interval by itself; 0.05 gives 95 %.

    Raises:
        InputError: no question, a question twice, one that the table cannot answer, a zero loss,
            more numbers than could be loaded again.

    Source: Canonne, Kamath and Steinke 2020 (arXiv 2004.00010v4) for both laws and their loss.

    Example:
        >>> from discreet import count, table
        >>> people = table("people.csv", unit="row", keys={"ward": ["A", "B"]})
        >>> print(plan(people, count(by="ward"), within=20).spend)
        rho = 0.00457
    """
    check_questions(table, statistics)
    chance = checked_alpha(alpha)
    if (spend is None) == (within is None):
        raise InputError(
            "a plan needs either spend= or within=, and not both.",
            why="the loss gives the errors, or the errors wanted give the loss",
            fix=(write(spend=call("discreet.zcdp", BLANK)), write(within=BLANK)),
        )
    if within is not None:
        errors = wanted(within, len(statistics))
        statistics, spend = _from_errors(table, statistics, errors, kind, chance)
    given = checked_spend(spend)
    asked = [(statistic, statistic.aggregates(table)) for statistic in statistics]
    check_sums(table, [aggregate for _, found in asked for aggregate in found])
    lines = [_lines(asked, loss) for loss in candidates(given)]
    least = min(lines, key=lambda found: _spread(found, chance))
    return readable(Plan(table, least, given, chance))


def checked_alpha(alpha: Number) -> Fraction:
    """Return the chance that an interval misses, or raise InputError."""
    chance = rational(alpha, "alpha")
    if not 0 < chance <= MAX_ALPHA:
        raise InputError(
            f"alpha = {text_of(chance)} must be above 0 and at most 1/2.",
            why="alpha is the chance that an interval misses the truth",
            fix=write("for intervals of 95 %", alpha="0.05"),
        )
    return chance


def plan_of(plain: Mapping[str, Any], source: object = None) -> Plan:
    """Return the plan that `Plan.plain()` wrote; the source of the data is not part of it."""
    return plan(
        table_of(plain["table"], source),
        *(statistic_of(question) for question in plain["statistics"]),
        spend=loss_of(plain["spend"]),
        alpha=plain["alpha"],
    )


def law_for(loss: Loss, sensitivity: Sensitivity) -> Law:
    """Return the noise that makes a vector of this sensitivity cost exactly this loss."""
    return registry.law_for(loss, l1=sensitivity.l1, l2_squared=sensitivity.l2_squared)


def _from_errors(
    table: Table,
    statistics: Sequence[Statistic],
    errors: list[Fraction],
    kind: str,
    alpha: Fraction,
) -> tuple[tuple[Statistic, ...], Loss]:
    """Return the questions, weighted by the losses that keep their errors, and the spend."""

    def least(statistic: Statistic, error: Fraction) -> Loss:
        aggregates = statistic.aggregates(table)

        def expect(loss: Loss) -> Expected:
            (line,) = _lines([(statistic, aggregates)], loss)
            return statistic.expected(table, line.laws, alpha)

        return cheapest(expect, error, kind)

    losses = [least(s, error) for s, error in zip(statistics, errors, strict=True)]
    pairs = zip(statistics, weights(losses), strict=True)
    weighted = tuple(statistic_of({**s.plain(), "weight": weight}) for s, weight in pairs)
    return weighted, together(losses)


def _lines(asked: list[tuple[Statistic, tuple[Aggregate, ...]]], spend: Loss) -> tuple[Line, ...]:
    whole = sum(statistic.ask.weight for statistic, _ in asked)
    lines = []
    for statistic, aggregates in asked:
        count = len(aggregates)
        each = spend.times(Fraction(statistic.ask.weight, whole * count)).few_down()
        laws = tuple(law_for(each, found.sensitivity) for found in aggregates)
        lines.append(Line(statistic, aggregates, laws, each.times(Fraction(count))))
    return tuple(lines)


def _spread(lines: tuple[Line, ...], alpha: Fraction) -> int:
    return prod(1 + law.half_width(alpha) for line in lines for law in line.laws)
