"""Audits of random plans of the library as it is: each fault that one finds is a false alarm.

    python -m bench.audits --plans 1000 --seconds 2

Which plans: `bench/audits_plans.py`. It prints each fault with its plan, how many plans found keys,
told cells sparsely, joined tables and so on, and how many pairs, draws and runs there were.
"""

import argparse
import re
import sys
from collections import Counter
from random import Random
from time import perf_counter, process_time

from discreet.audit.audit import Audit, audit

from .audits_plans import plan


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
    alarms, numbers, steps = 0, Counter[str](), Counter[str]()
    started, used = perf_counter(), process_time()
    for number in range(wishes.first, wishes.first + wishes.plans):
        asked = plan(Random(number))
        result = audit(asked, engine=wishes.engine, seconds=wishes.seconds)
        numbers += counts(result)
        steps += Counter({"in all": 1, **dict.fromkeys(asked.steps, 1)})
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
    for each in (steps, numbers):
        print(", ".join(f"{many:,} {what}" for what, many in each.items()))
    print(f"{perf_counter() - started:,.0f} s, {process_time() - used:,.0f} s of CPU")
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())
