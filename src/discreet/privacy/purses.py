"""Three purses: how a ledger keeps (epsilon, delta) for pure acts, Gaussian acts and chances.

Rules of this module:
- the borders between the purses are set when a ledger is started. One that moves, so that what
  was saved in one purse may be spent from another, breaks the promise: whoever watches the noise
  chooses when to change, and gets many times delta (docs/laws/gdp.md).

Decision 30.
"""

from fractions import Fraction
from functools import lru_cache

from ..errors import InputError
from ..exact.number import few_down, text_of
from ..fix import BLANK, Set
from .gdp import keeps, mu2_down
from .loss import Loss


def purses_of(promise: Loss, *, pure: Fraction, chance: Fraction) -> Loss:
    """Return three purses that together keep (epsilon, delta), the Gaussian one as large as it can.

    Args:
        promise: (epsilon, delta).
        pure: of the first purse, in epsilon, at most that of the promise.
        chance: of the third, at most delta.

    Raises:
        InputError: a purse is larger than the promise, or nothing could be spent.

    Source: Theorem 4 of docs/laws/gdp.md.
    """
    for name, purse, whole in (
        ("pure", pure, promise.epsilon),
        ("chance", chance, promise.delta),
    ):
        if not 0 <= purse <= whole:
            raise InputError(
                f"{name} = {text_of(purse)} must lie between 0 and {text_of(whole)}.",
                why=f"it is the part of {'epsilon' if name == 'pure' else 'delta'} that is set "
                "aside for its purse, once and for ever",
                fix=Set({name: BLANK}, note=", a part of the budget"),
            )
    rest = promise.epsilon - pure
    delta = promise.delta - chance
    buys = rest or (not promise.epsilon and delta)  # a delta alone buys Gaussian noise, too
    mu2 = few_down(mu2_down(rest, delta)) if buys else Fraction(0)
    return Loss("purses", (pure, mu2, chance))


@lru_cache(maxsize=64)
def kept(purses: Loss, promise: Loss) -> bool:
    """Tell whether three purses certainly keep (epsilon, delta), however they are spent."""
    pure, mu2, chance = purses.numbers
    epsilon, delta = promise.epsilon - pure, promise.delta - chance
    return epsilon >= 0 and delta >= 0 and (mu2 == 0 or keeps(mu2, epsilon, delta))
