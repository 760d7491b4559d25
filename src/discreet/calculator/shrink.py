"""What can be done with numbers that are public already, and what it is expected to cost: textbook.

Noisy numbers of any tree, made to add up: least squares under the sums of all parents.

Rules of this module:
- everything is a function of public numbers and of the noise, so it costs no privacy;
- numbers are exact rationals where the formula is rational, else decimals of 17 digits;
- the noise is Gaussian of a known sigma, the same on every number; `discreet.denoise` takes the
  laws of a release as they are, and chooses;
- with V the variances and K x = 0 what the tree asks of the truth, the numbers nearest to y, each
  weighted by the inverse of its variance, are y - V K' (K V K')^+ K y, and V - V K' (K V K')^+ K V
  is their covariance; no unbiased linear rule has less error (Gauss and Markov);
- what has variance 0 is a known fact, and stays; what was not released is the sum of its children.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from ..errors import InputError, shown
from ..exact.number import Number, rational, text_of, whole
from ..fix import write
from ..noise.reals import decimal_near
from .formulas import shrinkage
from .inputs import noise_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_MOST = 10**6


def shrunk(
    rule: str,
    values: Sequence[Number],
    *,
    sigma: Number,
    threshold: Number | None = None,
    prior_variance: Number | None = None,
    center: Number = 0,
) -> list[Fraction]:
    """Return noisy numbers, shrunk by a textbook rule.

    Args:
        rule: "james_stein" (its positive part), "james_stein_plain", "soft_threshold" or
            "posterior_mean".
        values: the noisy numbers.
        sigma: the deviation of the noise of each.
        threshold: of "soft_threshold"; by default the universal one, sigma sqrt(2 ln d).
        prior_variance: of "posterior_mean": of each truth, which was Gaussian around `center`.
        center: of "posterior_mean".

    Raises:
        InputError: a number is out of its range or does not belong to the rule.

    Source: James and Stein 1961; Donoho and Johnstone 1994; the posterior mean is that of a
        Gaussian prior.

    Example:
        >>> [float(value) for value in shrunk("james_stein", [10, 0, 0], sigma=2)]
        [9.6, 0.0, 0.0]
    """
    noisy, size = _numbers(values), noise_in(sigma, "sigma")
    _check_only(rule, "soft_threshold", "threshold", threshold)
    _check_only(rule, "posterior_mean", "prior_variance", prior_variance)
    if rule in ("james_stein", "james_stein_plain"):
        return shrinkage.james_stein(noisy, size, positive_part=rule == "james_stein")
    if rule == "soft_threshold":
        return shrinkage.soft_threshold(noisy, _threshold(threshold, len(noisy), size))
    if rule == "posterior_mean":
        prior = rational(_given(prior_variance, "prior_variance"), "prior_variance")
        return shrinkage.posterior_mean(
            noisy, size, prior_variance=prior, center=rational(center, "center")
        )
    raise _no_rule(rule, "james_stein, james_stein_plain, soft_threshold, posterior_mean")


def risk_of(
    rule: str,
    *,
    sigma: Number,
    coordinates: int = 1,
    square: Number | None = None,
    prior_variance: Number | None = None,
    truth: Number | None = None,
    values: Sequence[Number] | None = None,
    threshold: Number | None = None,
) -> Fraction | Decimal:
    """Return the expected squared error, added up over all numbers, that a rule leaves.

    Args:
        rule: "james_stein_plain" (with `coordinates`, and `square` or `prior_variance`),
            "posterior_mean" (with `coordinates` and `prior_variance`), or "soft_threshold" (with
            `threshold`, and one `truth`, or the noisy `values`: then it is Stein's unbiased
            estimate).
        sigma: the deviation of the noise of each number.
        coordinates: how many numbers there are.
        square: the sum of the squared truths.
        prior_variance: of each truth, which was Gaussian around 0.
        truth: one true number.
        values: the noisy numbers.
        threshold: of "soft_threshold"; by default the universal one.

    Source: James and Stein 1961; Stein 1981; Donoho and Johnstone 1994, Appendix 1.

    Example: where all truths are 0, James and Stein leave 2 sigma^2 of d sigma^2.

        >>> risk_of("james_stein_plain", sigma=1, coordinates=10, square=0)
        Decimal('2')
    """
    size, d = noise_in(sigma, "sigma"), whole(coordinates, "coordinates", least=1)
    if rule == "soft_threshold":
        return _soft_risk(size, d, truth, values, threshold)
    prior = None if prior_variance is None else _at_least_zero(prior_variance, "prior_variance")
    if rule == "posterior_mean":
        known = {"prior_variance": _given(prior, "prior_variance"), "noise_variance": size**2}
        return shrinkage.bayes_risk(dimensions=d, **known)
    if rule != "james_stein_plain":
        raise _no_rule(rule, "james_stein_plain, soft_threshold, posterior_mean")
    whole(coordinates, "coordinates", least=3)
    if prior is not None:
        known = {"prior_variance": prior, "noise_variance": size**2}
        return shrinkage.james_stein_bayes_risk(dimensions=d, **known)
    length = _at_least_zero(_given(square, "square"), "square")
    return decimal_near(shrinkage.james_stein_risk(dimensions=d, theta_squared=length, sigma=size))


def adding_up(
    values: Sequence[float], variances: Sequence[float], parents: Sequence[int]
) -> tuple[list[float], list[float]]:
    """Return noisy numbers of a tree so that each parent is the sum of its children.

    Args:
        values: one number a node.
        variances: of each node's noise; 0 for a known fact, infinite where nothing was released.
        parents: the parent of each node, -1 for a root; a parent stands before its children.

    Returns: the numbers, and the variance of each; no unbiased linear rule has a smaller one.

    Source: generalized least squares; Hay, Rastogi, Miklau and Suciu 2010 for trees.

    Example: a total of 10 and two halves of 4, all with the same noise.

        >>> found, variances = adding_up([10, 4, 4], [1, 1, 1], [-1, 0, 0])
        >>> [round(value, 4) for value in found]
        [9.3333, 4.6667, 4.6667]
    """
    import numpy as np

    noisy, spread = _floats(values, "values"), _floats(variances, "variances")
    totals, final = added_up(noisy, spread, np.array(_whole(parents), dtype=np.int64))
    return totals.tolist(), final.tolist()


def in_order(values: Sequence[float], way: Literal["rising", "falling"]) -> list[float]:
    """Return the nearest numbers that never fall, or never rise; that is a public fact of them.

    Source: Barlow and others 1972.

    Example:
        >>> in_order([1, 3, 2], "rising")
        [1.0, 2.5, 2.5]
    """
    from ..post.denoise.known_facts import monotone

    if way not in ("rising", "falling"):
        raise InputError(
            f"numbers are not {shown(way)}.",
            kind="wrong-numbers",
            why='"rising" numbers never fall, "falling" ones never rise',
            fix=write(way="rising"),
        )
    return [float(value) for value in monotone(_floats(values, "values"), way)]


def _soft_risk(
    size: Fraction,
    d: int,
    truth: Number | None,
    values: Sequence[Number] | None,
    threshold: Number | None,
) -> Fraction | Decimal:
    if values is not None:
        noisy = _numbers(values)
        cut = _threshold(threshold, len(noisy), size)
        return shrinkage.soft_threshold_sure(noisy, size, cut)
    cut = _threshold(threshold, d, size)
    at = rational(_given(truth, "truth"), "truth")
    return decimal_near(shrinkage.soft_threshold_risk(theta=at, sigma=size, threshold=cut))


def _threshold(threshold: Number | None, count: int, sigma: Fraction) -> Fraction:
    if threshold is None:
        return shrinkage.universal_threshold(count, sigma)
    return _at_least_zero(threshold, "threshold")


def _numbers(values: object) -> list[Fraction]:
    return _each(values, lambda value: rational(value, "a value"))


def _whole(parents: object) -> list[int]:
    return _each(parents, lambda parent: whole(parent, "a parent", least=-1))


def _each(values: object, read: Callable[[object], Any]) -> list[Any]:
    listed = list(values) if isinstance(values, Sequence) and not isinstance(values, str) else []
    if not 0 < len(listed) <= _MOST:
        raise InputError(
            "these are not numbers of one vector.",
            kind="wrong-numbers",
            why=f"a vector is a list of 1 to {_MOST:,} numbers",
            fix="write [10, 0, 3], for example",
        )
    return [read(value) for value in listed]


def _floats(values: object, name: str) -> Any:
    import numpy as np

    def one(value: object) -> float:
        if isinstance(value, float) and value == float("inf") and name == "variances":
            return value
        return float(rational(value, name))

    return np.array(_each(values, one), dtype=float)


def _at_least_zero(value: Number, name: str) -> Fraction:
    number = rational(value, name)
    if number < 0:
        raise InputError(
            f"{name} = {text_of(number)} must be at least 0.",
            kind="out-of-range",
            why="it is a square, a variance or a distance",
            fix=write(**{name: "1"}),
        )
    return number


def _given(value: Any, name: str) -> Any:
    if value is None:
        raise InputError(
            f"{name} is missing.",
            kind="setting-missing",
            why="this rule follows from it, and it cannot be guessed from the noisy numbers",
            fix=write(" too, with the number that is publicly known", **{name: "1"}),
        )
    return value


def _check_only(rule: str, owner: str, name: str, value: object) -> None:
    if value is not None and rule != owner:
        raise InputError(
            f"{name} has nothing to do with {shown(rule)}.",
            kind="setting-out-of-place",
            why=f"it belongs to {owner}",
            fix=f"leave {name} out",
        )


def _no_rule(rule: object, rules: str) -> InputError:
    return InputError(
        f"there is no rule {shown(rule)}.",
        kind="unknown-choice",
        why=f"there are {rules}",
        fix="name one of them",
    )


_MOST_NODES = 3_000  # nodes: a matrix of the squares of all parents is inverted
_RANK = 1e-12  # of the largest singular value, all sums being on one scale
_CLOSE = 1e-9  # of the numbers: rounding


def added_up(
    noisy: "NDArray[np.float64]",
    variances: "NDArray[np.float64]",
    parents: "NDArray[np.int64]",
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return numbers that add up along a tree, and the variance of each.

    Args:
        noisy: one number a node.
        variances: of each node's noise, at least 0; infinite for a node that was not released.
        parents: the parent of each node, -1 for a root; a parent stands before its children.

    Raises:
        InputError: the lengths differ, there are too many, a variance is negative, a parent does
            not stand before its child, a leaf was not released, or known numbers contradict.
    """
    import numpy as np

    _check(noisy, variances, parents)
    released = np.isfinite(variances)
    every = np.diag(released.astype(float))  # each node as a sum of those that were released
    for node in np.flatnonzero(~released)[::-1]:
        every[node] = every[parents == node].sum(axis=0)
    above = [node for node in np.unique(parents[parents >= 0]) if released[node]]
    gaps = np.array([every[n] - every[parents == n].sum(axis=0) for n in above])
    gaps = gaps.reshape(-1, noisy.size)
    own, spread = np.where(released, noisy, 0.0), np.where(released, variances, 0.0)
    scale = np.sqrt(gaps**2 @ spread)
    gaps = gaps / np.where(scale > 0, scale, 1.0)[:, None]
    pulled = np.linalg.pinv((gaps * spread) @ gaps.T, rcond=_RANK, hermitian=True)
    values = own - spread * (gaps.T @ (pulled @ (gaps @ own)))
    size = float(np.abs(own).max())
    if np.abs(gaps @ values).max(initial=0.0) > _CLOSE * max(1.0, size):
        raise _refused("its known numbers contradict each other")
    moved = (every * spread) @ gaps.T
    final = every**2 @ spread - ((moved @ pulled) * moved).sum(axis=1)
    return every @ values, np.maximum(final, 0.0)


def _check(noisy: Any, variances: Any, parents: Any) -> None:
    import numpy as np

    why = None
    if not noisy.size == variances.size == parents.size:
        why = "numbers, variances and parents must be as many"
    elif noisy.size > _MOST_NODES:
        why = f"at most {_MOST_NODES:,} are solved for together"
    elif np.any(np.isnan(variances)) or np.any(variances < 0):
        why = "a variance is at least 0"
    elif np.any(parents >= np.arange(parents.size)) or np.any(parents < -1):
        why = "a parent must stand before its children, and a root has the parent -1"
    elif not set(np.flatnonzero(np.isinf(variances))) <= set(parents):
        why = "a leaf that was not released can be anything"
    if why:
        raise _refused(why)


def _refused(why: str) -> InputError:
    return InputError(
        "these numbers are not a tree that can be made to add up.",
        kind="wrong-numbers",
        why=why,
        fix=write(", the nodes from the root down", parents=[-1, 0, 0]),
    )
