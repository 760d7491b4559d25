"""The remap of a clamped count whose largest mean error is smallest, bracketed from both sides.

Rules of this module:
- a remap may be random here; it sees only what was released, so it costs no privacy;
- the bracket is proved, up to rounding: what the remap found does at its worst truth, and what the
  best remap for the prior found does on average, which by Ghosh, Roughgarden and Sundararajan
  (2012, Theorem 1.1) no epsilon-DP mechanism beats;
- floats, for display: nothing is released with this remap.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.calculator.formulas.clamped_geometric import ClampedGeometric

_ROUNDS = 4000  # the bracket is then narrower than a thousandth of its ends

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Minimax:
    """What was found: the mean error at each truth, and a lower bound on the largest of them."""

    errors: list[float]
    at_least: float


def minimax(law: ClampedGeometric) -> Minimax:
    """Return nearly the smallest largest mean error, and a bound below which none is.

    A game is played: one side remaps each outcome, the other chooses the truth; both follow their
    regrets (regret matching with the last regret counted twice), later rounds weigh more, and both
    averages approach the game's value.
    """
    outcomes = range(law.lower, law.upper + 1)
    chance = np.array([[float(p) for p in law.masses(truth=t)] for t in outcomes])
    size = len(chance)
    error = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(float)
    prior_regret, prior_last = np.zeros(size), np.zeros(size)
    remap_regret, remap_last = np.zeros((size, size)), np.zeros((size, size))
    priors, remaps = np.zeros(size), np.zeros((size, size))
    for weight in (i * i for i in range(1, _ROUNDS + 1)):
        prior = _played(prior_regret + prior_last)
        remap = _played(remap_regret + remap_last)
        at_truth = (chance @ remap * error).sum(axis=1)
        of_choice = (chance * prior[:, None]).T @ error
        prior_last = at_truth - prior @ at_truth
        remap_last = (remap * of_choice).sum(axis=1, keepdims=True) - of_choice
        prior_regret = np.maximum(0, prior_regret + prior_last)
        remap_regret = np.maximum(0, remap_regret + remap_last)
        priors += weight * (prior + prior[::-1])  # the law is symmetric, and so is its best remap
        remaps += weight * (remap + remap[::-1, ::-1])
    remap, prior = _played(remaps), _played(priors)
    errors: Floats = (chance @ remap * error).sum(axis=1)
    at_least = ((chance * prior[:, None]).T @ error).min(axis=1).sum()
    return Minimax([float(found) for found in errors], float(at_least))


def _played(regret: Floats) -> Floats:
    """Return the shares in proportion to the regrets above zero, equal where there are none."""
    kept = np.maximum(0, regret)
    total = kept.sum(axis=-1, keepdims=True)
    shares: Floats = np.where(total > 0, kept / np.where(total > 0, total, 1), 1 / kept.shape[-1])
    return shares
