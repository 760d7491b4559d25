"""Audits of random plans of the library as it is: each fault that one finds is a false alarm.

    python -m bench.audits --plans 1000 --seconds 2

A plan has one to three questions of any kind of the catalog, over a table with units of any kind,
in either relation, with limits, filters, derived columns, keys that nobody knows, owners or second
tables, in each kind of loss. What a table cannot be asked is left out, and another plan is made. It
prints each fault with its plan, and how many pairs, draws and runs there were.
"""

import argparse
import re
import sys
from collections import Counter
from random import Random
from time import perf_counter, process_time
from typing import Any

import discreet as dp
from discreet.audit.audit import Audit, audit
from discreet.errors import DiscreetError
from discreet.statistic.catalog import LISTED, STATISTICS, statistic_of

SPENDS = (
    lambda: dp.pure(1),
    lambda: dp.pure("1/10"),
    lambda: dp.zcdp("1/8"),
    lambda: dp.gdp(mu2="1/4"),
    lambda: dp.approx(1, "1e-6"),
    lambda: dp.approx("1/2", "1e-9"),
)


def table(chance: Random) -> Any:
    """A random declaration, of files that are not there."""
    joined = chance.random() < 0.2
    unit = (
        "row"
        if not joined and chance.random() < 0.25
        else dp.unit("who", max_rows=chance.choice([1, 2, 3, 7]))
    )
    found = chance.random() < 0.15 and not joined
    keys: dict[str, Any] = {"ward": ["A", "B", "C"], "floor": range(1, 5)}
    if found and unit != "row":
        keys["film"] = dp.unknown(max_groups=chance.choice([1, 3]))
    made = dp.table(
        "facts.csv",
        unit=unit,
        columns={
            "cost": dp.bounds(0, 50, step=1),
            "age": dp.bounds(-5, 9, step="1/2", missing=0),
        },
        keys=keys,
        neighbors=chance.choice(["add_remove", "replace"]),
    )
    if chance.random() < 0.25:
        made = made.where("cost > 3 OR ward = 'A'")
    if chance.random() < 0.25:
        made = made.derive(decade=dp.derived("floor(cost / 10)", keys=range(6)))
    if joined:
        made = made.joined(
            chance.choice(
                [
                    dp.owner("owners.csv", on="visit", gives=["who"]),
                    dp.join("more.csv", gives=["age"]),
                ]
            )
        )
    return made


def questions(declared: Any, chance: Random) -> list[Any]:
    """Some questions of the catalog that this table can be asked."""
    asked = list[Any]()
    while len(asked) < chance.choice([1, 1, 2, 3]):
        name = chance.choice([*STATISTICS])
        plain = {"statistic": name, **chance.choice([*LISTED[name].examples(declared)])}
        keys = [key for key in declared.keys if key not in declared.unknown or name == "count"]
        plain.setdefault("by", chance.sample(keys, chance.randrange(min(3, len(keys) + 1))))
        if chance.random() < 0.15 and name == "count":
            plain["between"] = [0, 20]
        try:
            one = statistic_of(plain)
            if not declared.unknown:
                one.aggregates(declared)
        except DiscreetError:
            continue
        if str(one) not in map(str, asked):
            asked.append(one)
    return asked


def plan(chance: Random) -> Any:
    """A random plan."""
    while True:
        declared = table(chance)
        try:
            return dp.plan(declared, *questions(declared, chance), spend=chance.choice(SPENDS)())
        except DiscreetError:
            continue


def counts(result: Audit) -> Counter[str]:
    """How many pairs, draws and runs an audit had."""
    numbers = Counter[str]()
    for check in result.checks:
        for word in ("pairs", "draws", "whole runs"):
            if (match := re.search(rf"([\d,]+) {word}", check.words)) is not None:
                numbers[word] += int(match[1].replace(",", ""))
        if "failed" in check.words:
            numbers["audits with failed pairs"] += 1
    return numbers


def main(arguments: list[str] | None = None) -> int:
    """Audit random plans, and return how many had a fault."""
    parser = argparse.ArgumentParser(prog="python -m bench.audits", description=__doc__)
    parser.add_argument("--plans", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--engine", default="memory")
    parser.add_argument("--from", type=int, default=0, dest="first")
    wishes = parser.parse_args(arguments)
    alarms, numbers, started, used = 0, Counter[str](), perf_counter(), process_time()
    for number in range(wishes.first, wishes.first + wishes.plans):
        asked = plan(Random(number))
        result = audit(asked, engine=wishes.engine, seconds=wishes.seconds)
        numbers += counts(result)
        if result.fault is not None:
            alarms += 1
            print(f"plan {number}: {asked!r}\n  {result.fault.layer}: {result.fault.what}")
            print(
                f"  case {result.fault.case}: {result.fault.before} {result.fault.after}",
                flush=True,
            )
        if number % 25 == 24:
            print(f"{number + 1 - wishes.first} audits, {alarms} with a fault", file=sys.stderr)
    print(f"{wishes.plans:,} audits of random plans: {alarms} with a fault")
    print(", ".join(f"{many:,} {what}" for what, many in numbers.items()))
    print(f"{perf_counter() - started:,.0f} s, {process_time() - used:,.0f} s of CPU")
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())
