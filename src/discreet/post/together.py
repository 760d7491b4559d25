"""One chance of missing for many intervals at once, by the exact maximum of independent noise.

Rules of this module:
- numbers with independent noise all lie within their half-widths with the product of their chances:
  that product, and no sum of chances, is held against 1 - alpha;
- a level is rounded down, and a product is a lower end: all together miss with at most alpha;
- the list of the numbers is public, or was found by noise that is not used here: a number that is
  looked at because its noise was large misses far more often.

Proof. Let number i have noise X_i, independent of the others, and half-width a_i. All hold with
probability prod(Pr[|X_i| <= a_i]). With one level t for all, Pr[|X_i| > a_i] <= t, so that t =
1 - (1 - alpha)^(1/N) does for N numbers. Noise is whole numbers, and mostly misses with less than
t: `common_level` raises t as long as the product itself, made of the a_i, stays at 1 - alpha.
"""

from collections.abc import Sequence
from fractions import Fraction

from ..exact.enclosure import ball, enclosed, round_down
from ..noise.law import Errs

_BITS = 192
_RAISES = 16  # halvings of what a level may still grow by
_HALVINGS = 48  # of a level of groups

Several = Sequence[tuple[Errs, int]]  # laws, and how many independent numbers have each


def level_for(numbers: int, alpha: Fraction) -> Fraction:
    """Return the chance of missing that each of some independent intervals may have, rounded down.

    Example:
        >>> float(level_for(51, Fraction(1, 20)))
        0.0010052452...
    """
    if numbers <= 1:
        return alpha
    low, _ = enclosed(lambda: -((ball(-alpha).log1p() / numbers).expm1()), _BITS)
    return round_down(low)


def level_among(groups: Sequence[tuple[int, int]], alpha: Fraction) -> Fraction:
    """Return the chance of missing that each interval of independent groups may have, rounded down.

    Args:
        groups: how many groups there are, and how many numbers in each, that depend on each other.
        alpha: the chance that any of them misses.

    Example: ten counts, and five groups of two numbers, which are added up.

        >>> float(level_among([(10, 1), (5, 2)], Fraction(1, 20)))
        0.0025597...
    """
    sizes = {size for _, size in groups}
    if len(sizes) == 1:
        return level_for(sum(count for count, _ in groups), alpha) / sizes.pop()
    low = alpha / sum(count * size for count, size in groups)
    high = alpha / max(sizes)
    for _ in range(_HALVINGS):
        middle = round_down((low + high) / 2)
        held = _all_hold([(size * middle, count) for count, size in groups], alpha)
        low, high = (middle, high) if held else (low, middle)
    return low


def common_level(laws: Several, alpha: Fraction, *, others: int = 0) -> Fraction:
    """Return a level for all numbers, at which together they miss with probability at most alpha.

    It is the largest that was found: at least `level_for` of all numbers.

    Args:
        laws: how numbers err whose interval is the half-width of their own noise.
        alpha: the chance that any of them misses.
        others: how many independent intervals of another make there are, which miss with
            probability at most the level.
    """
    low = level_for(sum(count for _, count in laws) + others, alpha)
    high = alpha
    for _ in range(_RAISES):
        middle = round_down((low + high) / 2)
        if _holds(laws, middle, alpha, others):
            low = middle
        else:
            high = middle
    return low


def half_widths(laws: Several, alpha: Fraction) -> tuple[int, ...]:
    """Return a half-width for each law, which all its numbers and all others keep at once.

    Example: ten numbers of one noise, where one alone keeps 20.

        >>> from ..noise.discrete_gaussian import DiscreteGaussian
        >>> half_widths([(DiscreteGaussian(Fraction(100)), 10)], Fraction(1, 20))
        (28,)
    """
    level = common_level(laws, alpha)
    return tuple(law.half_width(level) for law, _ in laws)


def _holds(laws: Several, level: Fraction, alpha: Fraction, others: int) -> bool:
    """Tell whether all together surely miss with probability at most alpha at a level."""
    missed = [(law.tail_up(law.half_width(level)), count) for law, count in laws]
    return _all_hold([*missed, (level, others)], alpha)


def _all_hold(missed: Sequence[tuple[Fraction, int]], alpha: Fraction) -> bool:
    """Tell whether so many independent events of each chance surely happen with at most alpha."""
    if any(chance >= 1 for chance, count in missed if count):
        return False
    low, _ = enclosed(
        lambda: (
            sum((count * ball(-chance).log1p() for chance, count in missed), ball(Fraction(0)))
            - ball(-alpha).log1p()
        ),
        _BITS,
    )
    return low >= 0
