"""`python -m poison [--share N] [GROUP ...]`: tries one of N cases, prints what is wrong, ends 1 if any."""

import os
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from tempfile import TemporaryDirectory

from .groups import ALL, tried
from .harness import Found

AT_ONCE = 2


def main(arguments: list[str]) -> int:
    """Run the groups that are named, or all; two at a time, in processes of their own."""
    of = 1
    if arguments[:1] == ["--share"]:
        of, arguments = int(arguments[1]), arguments[2:]
    found: list[Found] = []
    names = arguments or [*ALL]
    with ProcessPoolExecutor(AT_ONCE, mp_context=get_context("spawn")) as pool:
        for name, (some, what) in zip(
            names, pool.map(tried, names, [of] * len(names)), strict=True
        ):
            found += some
            print(f"{name}: {len(some)} wrong; {what}", flush=True)
    by_finding: dict[str, list[Found]] = defaultdict(list)
    for one in found:
        by_finding[one.finding or "other"].append(one)
    for finding, some in sorted(by_finding.items()):
        print(f"{finding}: {len(some)} cases")
        kinds: dict[str, Found] = {}
        for one in some:
            kinds.setdefault(one.case.split(",")[0] + one.what.split(" of ")[0][:30], one)
        for one in list(kinds.values())[:12]:
            print(f"  {one.case}: {one.what}")
    print(f"{len(found)} wrong in all")
    return 1 if found else 0


if __name__ == "__main__":
    with TemporaryDirectory() as state:  # the anchors of its ledgers are not the user's
        os.environ["XDG_STATE_HOME"] = state
        sys.exit(main(sys.argv[1:]))
