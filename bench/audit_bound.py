"""What whole runs of an audit show of a plan's loss: `python -m bench.audit_bound [SECONDS]`.

One count, where one cell takes the whole move, at epsilon = 1; and one row that moves ten counts by
1 each, of which an event tells less. Whole runs on the reference engine, with fresh noise each.
"""

import sys
from time import process_time
from typing import Any

import discreet as dp
from discreet.audit import sampled
from discreet.audit.replay import replayed
from discreet.audit.sources import placed
from discreet.audit.worlds import layout_of, pair_of


def plans() -> dict[str, Any]:
    """One count, and ten that one unit moves."""
    rows = dp.table("people.csv", unit="row", keys={"ward": ["A", "B"]})
    units = dp.table("people.csv", unit=dp.unit("who", max_rows=10), keys={"ward": range(10)})
    ten = dp.count(by="ward", max_groups=10, max_rows_per_group=1)
    return {
        "one count": dp.plan(rows, dp.count(), spend=dp.pure(1)),
        "ten counts": dp.plan(units, ten, spend=dp.pure(1)),
    }


def main(seconds: float) -> None:
    """Draw whole runs on the first pair of each plan, and print what they show."""
    with placed("memory") as place:
        for name, plan in plans().items():
            layout, start = layout_of(plan), process_time()
            pair = pair_of(layout, 0)
            both = replayed(plan, layout, pair, place, "memory-0", plan.cost)
            exact = both.before.exact, both.after.exact
            bound = sampled.bound_of(plan, layout, pair, exact, place, seconds, plan.cost)
            words = "too few runs" if bound is None else bound.words(plan.cost)
            print(f"{name}: {words}; {process_time() - start:.0f} CPU s", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 600)
