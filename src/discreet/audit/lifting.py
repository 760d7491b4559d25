"""Whether cells that noise alone shows are drawn by the chances of their law: exactly, by words.

A word decides how many cells stay below a threshold before one that does not, and the next word how
far that one is. Both fall with their word. So the words at which they change are found by halving,
and their share is compared with p (1 - p)^g and with Pr[Z = z] / Pr[Z >= t].

Decision 126.
"""

from collections.abc import Sequence

from ..exact.enclosure import enclosed
from ..noise.law import Law
from ..noise.threshold import Lifted
from .laws import NEAR, Words, segments

_BITS, _WORD = 192, 1 << 64
_CELLS, _MOST = 10**9, 12
_LAST = 1 << 28  # words near U = 0, which lead as far as one likes, are left out
_LEAST = 1e-6  # a chance to be lifted, from which gaps are told apart by a word


def exactly(law: Law, threshold: int) -> str | None:
    """Return what is wrong with how cells are lifted over a threshold; None where nothing is.

    Raises:
        NotImplementedError: the threshold is so far that hardly a cell is lifted.
    """
    low, high = enclosed(lambda: law.tail(threshold), _BITS)
    p = float((low + high) / 2)
    if p < _LEAST:
        raise NotImplementedError(law.name)
    lifted = Lifted(law, threshold)
    gaps = segments(lambda word: lifted.gap(_CELLS, Words(_WORD - 1 - word)), most=_MOST)
    values = segments(
        lambda word: None if word > _WORD - _LAST else lifted.value(Words(_WORD - 1 - word)),
        most=_MOST,
    )
    wrong = _apart("lifted after {} cells", [(gap, of, p * (1 - p) ** gap) for gap, of, _ in gaps])
    return wrong or _apart("{} once lifted", [(z, of, _mass(law, z) / p) for z, of, _ in values])


def _mass(law: Law, z: int) -> float:
    low, high = enclosed(lambda: law.mass(z), _BITS)
    return float((low + high) / 2)


def _apart(how: str, each: Sequence[tuple[int, float, float]]) -> str | None:
    """Return what happens by another chance than it must."""
    for outcome, seen, chance in each:
        if abs(seen / chance - 1) > NEAR:
            what = how.format(outcome)
            return f"noise over a threshold: {what} {seen / chance:.6g} times as often as it must"
    return None
