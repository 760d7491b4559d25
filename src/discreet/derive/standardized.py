"""Standardised rates: a mean of rates over an axis, by public weights (direct standardisation).

Wards of different ages are compared as if all had the ages of one standard population.

Rules of this module:
- what is divided by, and the weights, are public, are typed, and stand in the recipe;
- a standardised rate is a sum of numbers, each times one exact rational. Its interval is made by
  the law of that sum of unequal terms, ends rounded outward: it misses with at most alpha. (C464)

Decision 103.
"""

from collections.abc import Mapping
from fractions import Fraction

from ..document.document import Document
from ..document.numbers import plainly
from ..errors import InputError, names_shown, shown
from ..exact.number import Number
from ..post.tables.interval import NoisePart, half_width
from ..post.together import level_for
from ..report.additive import Numbers, Part, axes_in, numbers_of, several
from .derivation import Axes, PublicNumbers, derivation
from .derived import DerivedNumbers, axes_of, chance_of, derived, rounded, said
from .rates import above_zero, public_numbers, sizes_of

_SLACK = Fraction(1, 2**40)  # of a half-width: more than all rounding of its terms
_PUBLIC = "What it is divided by, and the weights, are public, as stated, and are taken as exact."
_WORDS = {
    "per": "The public number of a group.",
    "weights": "The public weight of each key of the axis.",
    "over": "The axis that is standardised.",
    "scale": "Per how many.",
}


@derivation("standardized", of=1, words=_WORDS)
def standardized(
    document: Document,
    name: str,
    per: PublicNumbers,
    weights: PublicNumbers,
    *,
    over: Axes = None,
    scale: Number = 1000,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers:
    """Return standardised rates per 1,000: the mean over an axis with public weights; free.

    Args:
        name: the statistic: a count or a sum.
        per: the public number of each group, as {"A": 5200, "B": 880};
            or one number for all.
        weights: the public weight of each key of the axis: {"0-17": 20, "18+": 80}.
        over: the axis of the weights, such as age; by default the only axis.
        scale: per how many.
        alpha: the chance that an interval misses; by default the release's own.
        together: whether all intervals hold at once, with probability 1 - alpha.

    Returns: derived numbers, with value, low and high for each group of the other axes, per `scale`
        of the public number.

    Raises:
        InputError: there is no such statistic or axis, its numbers cannot be added, or a public
            number is missing.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> people_of, weights = {"A": 12_000, "B": 7_000}, {"A": 60, "B": 40}
        >>> release.standardized("count by ward", people_of, weights).values
        [52.9]
    """
    numbers, chance = numbers_of(document, name), chance_of(document, alpha)
    axis = _axis(numbers, over)
    sizes, many = sizes_of(numbers.released, per), above_zero(scale, "scale")
    parts, place = numbers.parts(), numbers.axes.index(axis)
    by_key = _weights(name, weights, [_text(each[place]) for each in parts])
    whole = sum(by_key.values())
    groups: dict[tuple[Part, ...], list[tuple[int, Fraction]]] = {}
    for each, noisy, size in zip(parts, numbers.noisy, sizes.values(), strict=True):
        factor = numbers.step * many * by_key[_text(each[place])] / (whole * size)
        groups.setdefault((*each[:place], *each[place + 1 :]), []).append((noisy, factor))
    level = level_for(len(groups), chance) if together else chance
    values = [sum((n * f for n, f in terms), Fraction(0)) for terms in groups.values()]
    halves = [_half(numbers, [f for _, f in terms], level) for terms in groups.values()]
    low = [value - half for value, half in zip(values, halves, strict=True)]
    high = [value + half for value, half in zip(values, halves, strict=True)]
    if numbers.counted:
        low, high = ([max(end, Fraction(0)) for end in ends] for ends in (low, high))
    kept = [other for other in numbers.axes if other != axis]
    return derived(
        document,
        f"{name} per {plainly(float(many))}, standardised over {axis}",
        {
            "derive": "standardized",
            "of": name,
            "per": {text: str(size) for text, size in sizes.items()},
            "weights": {text: str(weight) for text, weight in by_key.items()},
            "scale": str(many),
            **said(over=[axis], alpha=chance, together=together),
        },
        axes=axes_of(numbers.released, kept),
        index=list(groups),
        numbers=rounded(values, low, high),
        measure="rate",
        notes=[_PUBLIC, *several(document, numbers, len(by_key))],
    )


def _half(numbers: Numbers, factors: list[Fraction], level: Fraction) -> Fraction:
    """Return how far a sum of so weighted noises is off at most, but with a chance."""
    most = max(factors)  # in parts of it, whatever doubles can hold
    parts = [NoisePart(numbers.law, float(factor / most), 1.0) for factor in factors]
    return Fraction(half_width(parts, float(level) * (1 - 2.0**-40))) * most * (1 + _SLACK)


def _axis(numbers: Numbers, over: Axes) -> str:
    """Return the axis that is standardised, or raise InputError."""
    named = axes_in(numbers.released, () if over is None else over, "over")
    axes = named or numbers.axes
    if len(axes) != 1:
        raise InputError(
            "over does not name one axis.",
            kind="unknown-axis",
            why=f"a rate is standardised over one of {names_shown(numbers.axes) or 'none'}",
            fix="name one axis in over, such as age",
            at="over",
        )
    return axes[0]


def _text(part: Part) -> str:
    return " to ".join(map(plainly, part))


def _weights(name: str, weights: object, keys: list[str]) -> dict[str, Fraction]:
    """Return the weight of each key, by the key as text, in the order of the answer."""
    typed = public_numbers(weights) if isinstance(weights, Mapping) else {}
    texts = [*dict.fromkeys(keys)]
    wrong = [text for text in texts if text not in typed] or [t for t in typed if t not in texts]
    if wrong:
        raise InputError(
            f"weights are not those of the axis: {names_shown(wrong)}.",
            kind="public-numbers",
            why=f"each key of the axis of {shown(name)} has its own: {names_shown(texts)}",
            fix="say in weights the public weight of each key, and of no other",
            at="weights",
        )
    return {text: above_zero(typed[text], "weights") for text in texts}
