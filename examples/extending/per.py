"""Released numbers over a public number, such as per 1,000 inhabitants.

Rules of this module:
- the half-width is that of the number itself, over what it is divided by.
"""

from fractions import Fraction

from discreet.derive.derivation import derivation
from discreet.derive.derived import DerivedNumbers, chance_of, derived, rounded, said, scaled
from discreet.document.document import Document
from discreet.exact.number import Number, whole
from discreet.post.together import level_for
from discreet.report.additive import numbers_of


@derivation("per", of=1)
def per(
    document: Document,
    name: str,
    *,
    size: int,
    times: int = 1,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers:
    """Return each number of a count or a sum over a public number; free.

    Args:
        name: the statistic.
        size: how many there are in all, where that is public.
        times: for how many of them it is told.
        alpha, together: as for `total`.
    """
    numbers, chance = numbers_of(document, name), chance_of(document, alpha)
    size, times = whole(size, "size", least=1), whole(times, "times", least=1)
    level = level_for(len(numbers.noisy), chance) if together else chance
    worths = [numbers.step * Fraction(times, size)] * len(numbers.noisy)
    low, values, high = scaled(numbers, worths, level)
    recipe = {"derive": "per", "of": name, "size": size, "times": times}
    return derived(
        document,
        f"{name}, of {size:,} per {times:,}",
        recipe | said(alpha=chance, together=together),
        axes=numbers.released.answer.axes,
        index=numbers.parts(),
        numbers=rounded(values, low, high),
        measure="sum",
    )
