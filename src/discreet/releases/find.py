"""Finding keys that nobody knows beforehand: round after round, each with its own noise.

Rules of this module:
- the secret of the noise is drawn before data is read; a key's noise follows from it and the key;
- what leaves the rounds is which keys were found; which were set aside is known to the next round
  alone, and is shown to nobody;
- which keys may stand in a pool is settled before the first round, and never refilled: without
  that the proof in docs/laws/unknown_keys.md does not hold.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial

from ..aggregate import Exact
from ..engine.protocol import Pool, Pooling
from ..entropy import Keyed
from ..errors import InternalError
from ..finding.finding import Finding
from ..noise.law import Streams
from ..plans.plan import Plan
from ..plans.size import most_found
from ..privacy.loss import Loss
from .door import reached
from .price import covered
from .sealed import Aside, missed, noise_of, sums_of, with_noise

_ROUND = 4  # bytes of the number of a round, and of that of an act, before the key in a name

_CHUNK = 1 << 15  # keys whose noise is drawn at once

Draw = Callable[[int, Sequence[bytes]], Sequence[int]]  # the noise of a round, for some keys


def keyed_noise(finding: Finding, secret: Streams, act: int = 0) -> Draw:
    """Return the noise of each round and key, a function of the secret; nothing is drawn yet.

    The name of a stream is the act, the round and the key, the first two of fixed length: two acts,
    rounds or keys never share one.
    """
    laws, first = finding.laws, act.to_bytes(_ROUND, "big")

    def draw(number: int, keys: Sequence[bytes]) -> Sequence[int]:
        prefix = first + number.to_bytes(_ROUND, "big")
        parts = (keys[start : start + _CHUNK] for start in range(0, len(keys), _CHUNK))
        return [value for part in parts for value in laws[number].named(secret, prefix, part)]

    return draw


def find(finding: Finding, pool: Pool, draw: Draw) -> list[str]:
    """Return the keys that a finding shows, ordered by their bytes: public.

    Args:
        finding: its noise and thresholds.
        pool: the pairs of unit and key, read and fixed.
        draw: the noise of a round (from 0), for some keys.
    """
    shown: frozenset[int] = frozenset()
    aside = Aside()
    total: Exact | None = None
    rounds = zip(finding.precisions, finding.thresholds, (*finding.levels, None), strict=True)
    for number, (precision, threshold, level) in enumerate(rounds):
        noise = noise_of(pool, partial(draw, number), shown, aside)
        total = with_noise(total, sums_of(pool, shown, aside), noise, precision)
        shown |= reached(total, threshold, aside)
        if level is not None:
            aside = missed(total, level, shown, aside)
    return pool.names(shown)


def keys_found(
    plan: Plan,
    poolings: Sequence[Pooling],
    salt: int,
    *,
    paid: Loss,
    secrets: Streams | None = None,
) -> Plan:
    """Return a plan over the keys that are found of its unknown columns.

    Args:
        plan: what is released; each finding looks at its own pooling.
        salt: chooses which keys of a unit stay.
        paid: what stands in the ledger, for finding and for the questions together.
        secrets: by which the noise of a key is named; fresh ones without.
    """
    if not covered(plan.acts, paid):
        raise InternalError(
            f"finding keys and the questions cost {plan.cost}, but {paid} was paid.",
            kind="charge-mismatch",
            why="a plan's noise, thresholds and price do not belong together",
            fix="please report it, with the plan",
        )
    secret, most = secrets or Keyed(), most_found(plan)
    acts = zip(plan.findings, poolings, strict=True)
    keys = {}
    for act, (finding, pooling) in enumerate(acts):
        with closing(pooling.read(salt)) as pool:
            keys[finding.column] = find(finding, pool, keyed_noise(finding, secret, act))[:most]
    return plan.found(keys)
