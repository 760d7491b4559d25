"""`python -m mutants [--share N] [CLAIM ...]`: tries mutants, and ends with 1 if one lives.

Of N shares it tries the one whose turn it is at this commit, as `make test` does with exhaustive
cases (`tests/shares.py`): N commits in a row try all.
"""

import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from tests.shares import turn

from .listed import Mutant, claims, mutants
from .trial import LIMIT, Verdict, copied, failed, ran, refuse_installed, tried

AT_ONCE = 2
SECONDS = 10  # that a test may take on the honest code, on a busy machine


def main(arguments: Sequence[str]) -> int:
    """Try the mutants of the claims that are named, or all, or a share of them; two at a time."""
    share, wanted = 1, list(arguments)
    if wanted[:1] == ["--share"]:
        share, wanted = int(wanted[1]), wanted[2:]
    start, all_of_them = time.monotonic(), mutants(wanted)
    lost = sorted(set(wanted or claims()) - {mutant.claim for mutant in all_of_them})
    chosen = drawn(all_of_them, share, turn(share))
    for claim in lost:
        print(f"{claim} has no mutant")
    with copied() as root:
        refuse_installed(root)
    found: list[Verdict] = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for verdict in pool.map(tried, chosen):
            found.append(verdict)
            print(said(verdict), flush=True)
    alive = [verdict for verdict in found if verdict.word != "killed"]
    for test in (false := false_killers(found)):
        print(f"FAILS ON THE HONEST CODE, TOO: {test}")
    seconds = time.monotonic() - start
    print(f"{len(found)} mutants, {len(found) - len(alive)} killed, {seconds:.0f} s")
    return 1 if alive or lost or false else 0


def drawn(mutants: Sequence[Mutant], share: int, turn: int | None) -> list[Mutant]:
    """Return the mutants that have this turn, each one of `share`; all where there is no turn."""
    return [mutant for at, mutant in enumerate(mutants) if turn is None or at % share == turn]


def said(verdict: Verdict) -> str:
    """Return a line about a mutant."""
    mutant = verdict.mutant
    by = f" by {verdict.by}" if verdict.by else ""
    return f"{mutant.claim} {verdict.word}, {verdict.seconds:.0f} s: {mutant.name}{by}"


def false_killers(found: Sequence[Verdict]) -> list[str]:
    """Return the killers that fail on an honest copy too: then what they killed means nothing."""
    killers = sorted({verdict.by for verdict in found if verdict.word == "killed"})
    if not killers:
        return []
    with copied() as root:
        words = ["-n", str(AT_ONCE), "--dist", "loadgroup", *killers]
        code, text = ran(root, words, limit=LIMIT + len(killers) * SECONDS)
    if code is None:
        return ["all of them: they were stopped after the time that they may take"]
    return [] if code == 0 else failed(text) or text.splitlines()[-1:]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
