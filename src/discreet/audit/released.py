"""Whether each number that is released has noise of its own: its size, its sign, and beside others.

Real runs, with fresh coins, of made-up rows in which no limit binds: what was counted is known, and
noise is what was released less that. While the laws are right, how often it is large follows from
the law; it is as often above 0 as below; and two numbers, or one number in two runs, agree in that
as often as independent ones do. So noise that is drawn once for two vectors, that repeats, or that
one number of many does not get is seen, although each draw alone is right.

Rules of this module:
- the coins are those of a release; where rows hang on the salt, it is fixed, and nothing else is;
- choices and cells that are told sparsely are left out: their noise is not seen.

Decision 132.
"""

import builtins
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import log
from time import process_time
from typing import Any

from ..entropy import Coins, Keyed
from ..exact.enclosure import enclosed
from ..noise.law import CoinSource
from ..plans.plan import Plan
from ..privacy.loss import Loss
from ..releases.run import prepared_for, released
from .bets import Bets
from .laws import ALARM
from .replay import counted
from .sources import Place, as_they_are
from .worlds import FAMILIES, Layout, pair_of

_CALM = FAMILIES.index("calm")
_ENDS, _LEAST, _OFTEN = 40, 200, 10  # numbers of a vector's ends; runs; between two looks
_SALTS, _PAIRS, _BITS = (1, 2, 3), 2_000, 192


class _OneSalt:
    """Fresh coins, and a salt that is known."""

    __slots__ = ("_coins", "_keyed")

    def __init__(self) -> None:
        self._coins, self._keyed = Coins(), Keyed()

    def bytes(self, n: int) -> builtins.bytes:
        return self._coins.bytes(n)

    def salt(self) -> int:
        return _SALTS[0]

    def stream(self, name: builtins.bytes) -> CoinSource:
        return self._keyed.stream(name)

    def blocks(self, prefix: builtins.bytes, names: Iterable[builtins.bytes]) -> builtins.bytes:
        return self._keyed.blocks(prefix, names)


@dataclass(frozen=True, slots=True)
class Noises:
    """The noise of whole releases as it was seen: how often, of how many numbers; what is wrong.

    Attributes:
        evidence: ln of it; above ln of the alarm `wrong` says what it stands for.
    """

    runs: int
    numbers: int
    evidence: float
    wrong: str

    def words(self) -> str:
        """Return what was seen, for people."""
        return (
            f"of {self.runs:,} releases, the sizes and signs of {self.numbers:,} numbers, alone, "
            f"beside each other and from run to run: evidence of 10^{self.evidence / log(10):.1f} "
            "against the laws (alarm at 10^6)"
        )


def noises_of(
    plan: Plan, layout: Layout, place: Place, seconds: float, paid: Loss
) -> Noises | None:
    """Return what real releases of made-up rows show of their noise; None where none is seen."""
    seen = [
        number
        for number, item in enumerate(plan.aggregates)
        if item.choice is None and item.sparse is None
    ]
    if not seen:
        return None
    world = pair_of(layout, _CALM).before
    here = replace(plan, table=place(layout, world, as_they_are))
    opened, exact = prepared_for(here), [counted(here, salt) for salt in _SALTS]
    fixed = bool(plan.table.joins) or exact[0] != exact[1] or exact[0] != exact[2]
    looks: _Looks | None = None
    end = process_time() + seconds
    while looks is None or process_time() < end or looks.runs < _LEAST:
        _, noisy = released(here, opened, paid=paid, secrets=_OneSalt() if fixed else None)
        if looks is None:
            numbers = [(n, at) for n in seen for at in _some(len(noisy[n].values))]
            looks = _Looks(plan, numbers)
        looks.add([noisy[n].values[at] - exact[0][n].get(at, 0) for n, at in looks.numbers])
        if looks.runs % _OFTEN == 0 and looks.bets.evidence()[0] > log(ALARM):
            break
    evidence, worst = looks.bets.evidence()
    return Noises(looks.runs, len(looks.numbers), evidence, looks.words(worst))


def _some(many: int) -> list[int]:
    """Return the first places of a vector, the last ones, and some between."""
    between = range(_ENDS, many - _ENDS, max(1, (many - 2 * _ENDS) // _ENDS))
    return sorted({*range(min(many, _ENDS)), *between, *range(max(0, many - _ENDS), many)})


class _Looks:
    """Counts of how noise fell: of each number, of pairs of them, and of two runs."""

    def __init__(self, plan: Plan, numbers: Sequence[tuple[int, int]]) -> None:
        self.numbers, self.runs = numbers, 0
        laws = [plan.laws[n] for n, _ in numbers]
        self._wide = [law.half_width(Fraction(1, 2)) for law in laws]
        large = {
            (law, a): 2 * float(enclosed(lambda law=law, a=a: law.tail(a + 1), _BITS)[0])  # type: ignore[misc]
            for law, a in zip(laws, self._wide, strict=True)
        }
        chances = [large[each] for each in zip(laws, self._wide, strict=True)]
        self._pairs = self._beside()
        first, second = ([chances[pair[side]] for pair in self._pairs] for side in (0, 1))
        both = [p * q + (1 - p) * (1 - q) for p, q in zip(first, second, strict=True)]
        even = [0.5] * len(numbers)
        self.bets = Bets([*chances, *even, *([0.5] * len(self._pairs)), *both, *even])
        self._before: Any = 0

    def _beside(self) -> list[tuple[int, int]]:
        """Return pairs of numbers: neighbors, some further apart, and equal places of vectors."""
        many, starts = len(self.numbers), dict[int, int]()
        for place, (vector, _) in enumerate(self.numbers):
            starts.setdefault(vector, place)
        pairs = {
            (place, other)
            for place in range(many)
            for other in (place + 1, place + max(2, many // 2))
            if other < many
        }
        ends = [*starts.values(), many]
        for at, (one, end) in enumerate(pairwise(ends)):
            for other, last in pairwise(ends[at + 1 :]):
                pairs |= {(one + k, other + k) for k in range(min(end - one, last - other))}
        return sorted(pairs)[:_PAIRS]

    def add(self, noise: Sequence[int]) -> None:
        """Count one run."""
        import numpy as np

        signs = np.array([(z > 0) - (z < 0) for z in noise])
        large = np.array([abs(z) > a for z, a in zip(noise, self._wide, strict=True)])
        pairs = np.array(self._pairs, dtype=int).reshape(-1, 2)
        one, other = signs[pairs[:, 0]], signs[pairs[:, 1]]
        alike = large[pairs[:, 0]] == large[pairs[:, 1]]
        before = self._before
        ones, there = np.ones(len(signs)), abs(signs)
        hits = [large, signs > 0, one * other > 0, alike, signs * before > 0]
        trials = [ones, there, abs(one * other), np.ones(len(pairs)), abs(signs * before)]
        self.bets.add(np.concatenate(hits), np.concatenate(trials))
        self._before, self.runs = signs, self.runs + 1

    def words(self, look: int) -> str:
        """Return what a look has seen, and what it should have."""
        many, pairs = len(self.numbers), len(self._pairs)
        share = self.bets.hits[look] / max(1, self.bets.trials[look])
        seen = f"in {share:.0%} of releases, where {self.bets.chances[look]:.0%} is right"
        if look < 2 * many:
            what = "is large" if look < many else "is above 0"
            return f"the noise of {self._named(look % many)} {what} {seen}"
        if look >= 2 * (many + pairs):
            number = self._named(look - 2 * (many + pairs))
            return f"the noise of {number} has the sign that it had before {seen}"
        one, other = map(self._named, self._pairs[(look - 2 * many) % pairs])
        what = "one sign" if look < 2 * many + pairs else "a size alike"
        return f"the noise of {one} and of {other} has {what} {seen}"

    def _named(self, place: int) -> str:
        vector, at = self.numbers[place]
        return f"number {at + 1} of vector {vector + 1}"
