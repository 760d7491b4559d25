"""From questions and a loss to a priced list, before any data is read.

Rules of this module:
- the price follows from the laws and the sensitivities (`price`), never from what was to be spent;
- shares of the spend follow from wanted errors and weights (`shares`), and add up to no more;
- the noise law follows from the loss (`noise.registry`): pure gives the discrete Laplace, zCDP and
  Gaussian loss the discrete Gaussian, (epsilon, delta) whichever gives the narrower intervals;
- a plan is plain data: its digest names the request in a ledger;
- what a run does beside what every run does are `steps`, which follow from the plan each time: the
  modules of a feature are entered by its step alone, and a plain plan has none.

Decision 78.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from ..aggregate import Aggregate, Noisy
from ..calls import checked_methods
from ..exact.number import Number
from ..expressions import Typed
from ..finding.finding import Finding
from ..noise.law import Law
from ..privacy.loss import Loss, loss_of
from ..schema import Table, table_of
from ..statistic.ask import is_true
from ..statistic.statistic import Statistic
from ..text import Sheet, prompt
from .checked import check_questions, checked_alpha, checked_share, checked_spend, checked_terms
from .line import Line, acts_in, given_to
from .pick_laws import suited
from .price import Act, cost_of, price_of, prices_of
from .shares import Goals, goals_of, least_factor, least_spend, lines_of
from .show import bundle_of, sheet_of
from .size import readable
from .within import Goal, given_within, level_of, numbers_of, wider, with_sizes

Step = Literal[
    "find keys", "share vectors", "read sizes", "tell sparsely", "join tables", "mark statements"
]


@checked_methods("plan")
@dataclass(frozen=True, slots=True)
class Plan:
    """A priced list of questions; nothing has been read or paid yet.

    `spend` is the most that the plan may cost. `price` is the cost of the noise, and the ledger is
    charged this price. `share` says whether questions may have one vector, `together` whether all
    intervals hold at once.

    Example: of the plan in `help(discreet.Release)`.

        >>> print(plan)
        Plan for people: rho = 0.02 in all. Nothing has been read.
        ...
    """

    table: Table
    lines: tuple[Line, ...]
    spend: Loss
    alpha: Fraction
    findings: tuple[Finding, ...] = ()
    share: bool = True
    together: bool = False
    _digest: str = field(default="", init=False, repr=False, compare=False)
    _size: int = field(default=0, init=False, repr=False, compare=False)  # of `size.bytes_up`

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """All vectors to be counted, in order."""
        return tuple(aggregate for line in self.lines for aggregate in line.aggregates)

    @property
    def steps(self) -> tuple[Step, ...]:
        """What a run does beside paying, counting and adding noise; nothing for a plain plan."""
        needed: dict[Step, bool] = {
            "find keys": bool(self.findings),
            "share vectors": any(line.shared for line in self.lines),
            "read sizes": any(one.sizes for one in self.aggregates),
            "tell sparsely": any(vector.sparse for vector in self.aggregates),
            "join tables": bool(self.table.joins),
            "mark statements": any("sensitivity" in line.asked.plain() for line in self.lines),
        }
        return tuple(step for step, is_needed in needed.items() if is_needed)

    @property
    def conditions(self) -> list[Typed]:
        """The conditions that questions put on rows."""
        return [one.where for one in self.aggregates if one.where is not None]

    @property
    def laws(self) -> tuple[Law, ...]:
        """The noise of each vector, in the order of `aggregates`."""
        return tuple(law for line in self.lines for law in line.laws)

    @property
    def costs(self) -> tuple[Loss, ...]:
        """What the noise of each vector costs, exactly, in the kind of loss that was shared."""
        return tuple(cost for line in self.lines for cost in line.costs)

    @property
    def acts(self) -> tuple[Act | Loss, ...]:
        """What finds keys, and the noise of each vector with its sensitivity, in their order."""
        noise = tuple(acts_in(self.lines))
        if not self.findings:
            return noise
        from .unknown import acts_that_find

        return (*(act for finding in self.findings for act in acts_that_find(finding)), *noise)

    def events(self) -> list[dict[str, object]]:
        """Return the private acts as plain data, from which the price can be made again.

        How many cells there are of keys that are to be found, nobody knows when this is written.
        """
        events = [one.event() for one in self.findings]
        for act in acts_in(self.lines):
            is_open = self.table.unknown and any(map(self.is_open, act.aggregates))
            events.append(act.event(None if is_open else sum(act.sizes(self.table))))
        return events

    def given(self, place: int, noisy: Sequence[Sequence[Noisy]]) -> Sequence[Noisy]:
        """Return what a question is answered from, out of the noisy vectors of each question."""
        return given_to(self.lines, place, noisy)

    def is_open(self, aggregate: Aggregate) -> bool:
        """Tell whether a vector is over keys that nobody knows beforehand."""
        return any(column in self.table.unknown for column in aggregate.by)

    def found(self, keys: Mapping[str, Sequence[str]]) -> "Plan":
        """Return the same plan over the keys that were found of each unknown column.

        Its noise stays as it was priced: how far one unit moves a vector does not depend on them.
        """
        if not keys:
            return self
        table = self.table
        for column, texts in keys.items():
            table = table.with_keys(column, texts)
        lines = tuple(replace(n, aggregates=self._over(table, n)) for n in self.lines)
        return replace(self, table=table, lines=lines)

    def _over(self, table: Table, line: Line) -> tuple[Aggregate, ...]:
        """Return what a question counts of a table with the keys that were found.

        Of a list of tables not every vector need get a part of the loss: these are not counted.
        """
        vectors = line.statistic.aggregates(table)
        if len(vectors) == len(line.aggregates):
            return vectors
        before = zip(line.statistic.aggregates(self.table), vectors, strict=True)
        return tuple(vector for was, vector in before if was in line.aggregates)

    def supposed(self, keys: int) -> "Plan":
        """Return the same plan, as if so many of the longest keys had been found."""
        columns = [finding.column for finding in self.findings]
        longest = {column: self.table.unknown[column].longest for column in columns}
        return self.found({c: [f"{n:>{longest[c]}}" for n in range(keys)] for c in columns})

    def price(self, kind: str) -> Loss | None:
        """Return the cost of the noise in a kind of loss, or None if no such number follows.

        Args:
            kind: "pure", "zcdp" or "gdp".

        Returns: the cost of this noise as a loss of that kind; None if no such number follows.

        Raises:
            InputError: there is no such kind of loss.

        Example: of the plan in `help(discreet.Release)`.

            >>> print(plan.price("gdp"))
            mu2 = 0.0400427
        """
        return price_of(self.acts, kind, self.spend)

    def prices(self, kind: str) -> list[Loss]:
        """Return what a ledger may charge: the first of them that fits into what is left."""
        return prices_of(self.acts, kind, self.spend)

    def charged(self, left: Loss) -> Loss | None:
        """Return what a ledger with so much left charges, and does if it fits; None if no number.

        Args:
            left: what is left. Of three purses Laplace noise is paid from the pure one while it
                fits there, and then as the mu2 that it has.
        """
        prices = prices_of(self.acts, left.kind, self.spend)
        return next((price for price in prices if price.fits(left)), prices[0] if prices else None)

    def suited(self, left: Loss) -> "Plan":
        """Return the plan that takes less of a ledger, with no interval wider: this, or Gaussian.

        A ledger that adds rho or mu2 charges Laplace noise more than Gaussian noise of the same
        error. The plan that is found is that of a spend in rho or mu2, as if it had been typed. It
        need not keep the (epsilon, delta) that this plan was given: it keeps the ledger's.

        Args:
            left: what is left in the ledger, as `ledger.left()` says.

        Example:
            >>> from discreet import approx, count, gdp, table
            >>> people = dp.table("people.csv", unit="row")
            >>> asked = dp.plan(people, dp.count(), spend=dp.approx("0.3", "1e-7"))
            >>> print(asked.price("gdp"), "or", asked.suited(dp.gdp(mu2=1)).price("gdp"))
            mu2 = 0.14092 or mu2 = 0.0348434
        """
        return suited(self, left)

    def goal(self, line: Line) -> Goal:
        """Return a question of this plan with the error that it must keep."""
        counted = line.asked.aggregates(self.table) if line.shared else line.aggregates
        return Goal(line.asked, self.table, counted, self.level(line))

    def level(self, line: Line) -> Fraction:
        """Return the chance with which one interval of a question may miss."""
        asked = [(other.statistic, self.table, other.aggregates) for other in self.lines]
        among = [numbers_of(*question) for question in asked] if self.together else None
        return level_of(line.statistic, self.table, line.aggregates, self.alpha, among)

    @property
    def cost(self) -> Loss:
        """What the noise costs, in the kind of loss that was to be spent."""
        return cost_of(self.acts, self.spend)

    def plain(self) -> dict[str, object]:
        """Return the plan as plain data: declaration, questions, loss and intervals."""
        return {
            "table": self.table.plain(self.conditions),
            "statistics": [line.statistic.plain() for line in self.lines],
            "spend": self.spend.plain(),
            "alpha": str(self.alpha),
            **({} if self.share else {"share": False}),
            **({"together": True} if self.together else {}),
        }

    @property
    def digest(self) -> str:
        """The SHA-256 of the plan's canonical text, made once: equal exactly for equal plans.

        Keys that were found are no part of it: they are of the answer. Nor is how a source is read,
        so that a repeat by name needs no data, nor which file lists keys: its values are.
        """
        if not self._digest:
            asked: dict[str, Any] = self.plain()
            table = self.table.without_found().plain() if self.table.unknown else asked["table"]
            asked["table"] = {n: part for n, part in table.items() if n not in ("read", "lists")}
            text = json.dumps(asked, sort_keys=True, separators=(",", ":"))
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

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return bundle_of(self)

    def with_spend(self, spend: Loss) -> "Plan":
        """Return the same questions at another loss.

        Args:
            spend: the loss of the whole plan, of any kind.

        Returns: a new plan; this one stays as it is.

        Raises:
            InputError: the loss is 0, or is less than the wanted errors cost.

        Example: of the plan in `help(discreet.Release)`.

            >>> print(plan.with_spend(dp.zcdp("1/10")).cost)
            rho = 0.1
        """
        return self._asking([line.asked for line in self.lines], spend)

    def widened(self, spend: Loss) -> "Plan":
        """Return the same questions at another loss, all wanted errors as much wider as it takes.

        Raises:
            InputError: the loss buys no answer to them, however wide.
        """
        goals = Goals(tuple(map(self.goal, self.lines)), self.share, self.together)
        factor = least_factor(goals, spend)
        return self._asking([wider(line.asked, factor) for line in self.lines], spend)

    def explore(self, path: str | PathLike[str], *, left: Loss | None = None) -> None:
        """Write a page with sliders for the errors of the questions, which shows the prices.

        The page is one HTML file for a browser, without data, and loads nothing. The plan stays as
        it is.

        Args:
            path: the file to write. `explore` overwrites an earlier page of its own, and no other
                file.
            left: the rest of the ledger's budget, if the page shall show this rest.

        Raises:
            InputError: another file is at this path, or the path cannot be written.

        Example: of the plan in `help(discreet.Release)`.

            >>> wards = dp.plan(people, dp.count(by="ward"), spend=dp.zcdp("1/50"))
            >>> wards.explore("plan.html", left=ledger.left())
        """
        from .explore import write_page

        write_page(self, Path(path), left)

    def _asking(self, statistics: Sequence[Statistic], spend: Loss) -> "Plan":
        check_questions(self.table, statistics)
        share, together = self.share, self.together
        goals = goals_of(self.table, statistics, self.alpha, share=share, together=together)
        return _planned(goals, self.table, spend, self.alpha)


def plan(  # noqa: PLR0913 - what a plan is asked for, each by its name
    table: Table,
    *statistics: Statistic,
    spend: Loss | None = None,
    within: Number | Sequence[Number] | None = None,
    kind: str | None = None,
    delta: Number | None = None,
    alpha: Number = "0.05",
    share: bool = True,
    together: bool = False,
    publish: object = None,
) -> Plan:
    """Price a list of questions, from a loss or from wanted errors; `plan` reads no data.

    Args:
        table: the declared table.
        statistics: what to ask: `count`, `sum`, `mean`, `histogram`, `quantile` and so on.
        spend: the loss of the whole plan. A question with a wanted error gets the smallest loss
            that gives this error; the other questions share the rest, by weight. Without a spend,
            each question needs a wanted error, and the plan spends the smallest loss that gives all
            of these errors.
        within: the wanted half-width: one for all questions without a wanted error of their own, or
            a list with one for each question.
        kind: the kind of loss of a plan without a spend: "zcdp", the default, or "pure".
        delta: the delta of a plan without a spend, instead of a kind: the plan then takes the least
            epsilon for this delta, to within 1 %.
        alpha: the probability that a single interval misses; 0.05 gives 95 % intervals.
        share: True: a count and means of the same groups become one vector if one vector is more
            than 1 % cheaper. This needs complete columns and wanted errors.
        together: whether all intervals of the plan hold at once with probability 1 - alpha.
        publish: a rule of `discreet.publish` for all questions that have none of their own.

    Returns: the plan. Printed, it shows for each question the noise, the half-width and the price.
        `discreet.run` pays for it.

    Raises:
        InputError: there is no question, a question is listed twice, the table cannot answer a
            question, the loss is 0, there are more numbers than could be loaded again, or the
            wanted errors cost more than the spend.

    Source: Canonne, Kamath and Steinke 2020 (arXiv 2004.00010v4) (both noise laws and their loss).

    Example:
        >>> from discreet import count, table
        >>> people = dp.table("people.csv", unit="row", keys={"ward": ["A", "B"]})
        >>> print(dp.plan(people, dp.count(by="ward"), within=20).spend)
        rho = 0.00456701
    """
    if publish is not None:
        from ..statistic.publish import with_rule

        statistics = (*with_rule(statistics, publish, table),)
    check_questions(table, statistics, spend, within)
    if any(asked.ask.where for asked in statistics):
        from ..statistic.conditions import settled_in

        statistics = (*settled_in(table, statistics),)
    chance, share, together = checked_alpha(alpha), checked_share(share), is_true(together)
    asked: Sequence[Statistic] = with_sizes(table, given_within(statistics, within))
    if table.unknown:
        asked = _bounded(table, asked, has_spend=spend is not None)
    if spend is not None:
        paid = checked_spend(spend, kind, delta)
    settling = [hasattr(type(statistic), "cuts") for statistic in asked]
    while True:
        if spend is None:
            of, least = checked_terms(asked, kind, delta)
            goals = goals_of(table, asked, chance, share=share, together=together)
            paid = least_spend(goals, of, least)
        else:
            goals = goals_of(table, asked, chance, share=share, together=together)
        made = _planned(goals, table, paid, chance)
        if True not in settling:
            return made
        from .nearest import settled

        asked, settling = settled(made), []


def _bounded(
    table: Table, statistics: Sequence[Statistic], *, has_spend: bool
) -> Sequence[Statistic]:
    """Return questions over keys that nobody knows, with the limits that are declared there."""
    from .unknown import bounded, columns_of, refuse_errors

    asked = bounded(table, statistics)
    if not has_spend:
        refuse_errors(columns_of(table, asked))
    return asked


def _planned(goals: Goals, table: Table, spend: Loss, alpha: Fraction) -> Plan:
    """Return the plan of questions at a loss."""
    paid, findings = checked_spend(spend), tuple[Finding, ...]()
    if table.unknown:
        from .unknown import columns_of, found_first, whole_of

        columns = columns_of(table, goals.asked)
        findings, left = found_first(table, columns, paid)
        lines = lines_of(goals, left, whole=whole_of(table, columns, paid))
    else:
        lines = lines_of(goals, paid.ideal)
    made = Plan(table, lines, paid, alpha, findings, goals.share, goals.together)
    if any(vector.sparse for line in lines for vector in line.aggregates):
        from .sparse import check_lifted

        check_lifted(made)
    return readable(made)


def plan_of(plain: Mapping[str, Any], source: object = None) -> Plan:
    """Return the plan that `Plan.plain()` wrote; the source of the data is not part of it.

    Args:
        plain: what was written.
        source: of the data.
    """
    from ..statistic.catalog import statistic_of  # all of them: a first question needs one

    table = table_of(plain["table"], source)
    asked = [statistic_of(question) for question in plain["statistics"]]
    check_questions(table, asked)
    share, together = checked_share(plain.get("share", True)), is_true(plain.get("together", False))
    alpha = checked_alpha(plain["alpha"])
    goals = goals_of(table, asked, alpha, share=share, together=together)
    return _planned(goals, table, loss_of(plain["spend"]), alpha)
