"""`python -m poison [--share N] [GROUP ...]`: tries one of N cases, prints what is wrong, ends 1 if any."""

import sys
import time
from collections import defaultdict

from .cases import GROUPS, Share
from .differential import differential
from .expressions import expressions
from .harness import Found
from .maps import files, maps
from .meanings import meanings
from .servers import servers

ALL = {
    **GROUPS,
    "expressions": expressions,
    "heat maps": maps,
    "heat maps of files": files,
    "meanings": meanings,
    "random tables": differential,
    "cells of servers": servers,
}


def main(arguments: list[str]) -> int:
    """Run the groups that are named, or all."""
    share = Share()
    if arguments[:1] == ["--share"]:
        share, arguments = Share(int(arguments[1])), arguments[2:]
    found: list[Found] = []
    for name in arguments or ALL:
        start = time.monotonic()
        some = list(ALL[name](share))
        found += some
        print(f"{name}: {len(some)} wrong, {time.monotonic() - start:.0f} s", flush=True)
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
    sys.exit(main(sys.argv[1:]))
