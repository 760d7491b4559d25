"""Rates: released numbers of groups over public numbers of the same groups, such as per 1,000.

Rules of this module:
- what is divided by is public, is typed, and stands in the recipe: it adds no noise and costs
  nothing; a noisy number is no such number (`ratio` divides by those);
- a rate and its ends are those of the number itself, times one exact rational, ends rounded
  outward: it misses no more often than the number does. (C463)

Decision 100.
"""

from collections.abc import Mapping
from fractions import Fraction

from ..document.document import Document, Released
from ..document.numbers import plainly
from ..errors import InputError, names_shown, shown
from ..exact.number import Number, rational
from ..post.together import level_for
from ..report.additive import numbers_of, parts_of, several
from .derivation import PublicNumbers, derivation
from .derived import DerivedNumbers, chance_of, derived, rounded, said, scaled

_ALL = ""  # the name of a number that is the same for all groups
_PUBLIC = "What it is divided by is public, as stated, and is taken as exact."


@derivation("rate", of=1, words={"per": "The public number of a group.", "scale": "Per how many."})
def rate(
    document: Document,
    name: str,
    per: PublicNumbers,
    *,
    scale: Number = 1000,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers:
    """Return each number divided by a public number of its group, per 1,000; free.

    Args:
        name: the statistic: a count or a sum.
        per: the public number of each group: {"A": 5200, "B": 880}, of two axes as dicts in a dict
            or as {"A=f": 2600}; or one number for all.
        scale: per how many.
        alpha: the chance that an interval misses; by default the release's own.
        together: whether all intervals hold at once, with probability 1 - alpha.

    Returns: derived numbers, with value, low and high for each group, per `scale` of the public
        number.

    Raises:
        InputError: the statistic does not exist, its numbers cannot be added, or `per` gives no
            public number for a group.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> release.rate("count by ward", {"A": 12_000, "B": 7_000}).values
        [49.25, 58.42]
    """
    numbers, chance = numbers_of(document, name), chance_of(document, alpha)
    sizes = sizes_of(numbers.released, per)
    many = above_zero(scale, "scale")
    level = level_for(len(sizes), chance) if together else chance
    each = [numbers.step * many / size for size in sizes.values()]
    low, values, high = scaled(numbers, each, level)
    if numbers.counted:
        low, high = ([max(end, Fraction(0)) for end in ends] for ends in (low, high))
    public = {text: str(size) for text, size in sizes.items()}
    recipe = {"derive": "rate", "of": name, "per": public, "scale": str(many)}
    return derived(
        document,
        f"{name} per {plainly(float(many))}",
        recipe | said(alpha=chance, together=together),
        axes=numbers.released.answer.axes,
        index=numbers.parts(),
        numbers=rounded(values, low, high),
        measure="rate",
        notes=[_PUBLIC, *several(document, numbers, 1)],
    )


def sizes_of(released: Released, per: object) -> dict[str, Fraction]:
    """Return the public number of each group, by its keys as text, in the order of the answer."""
    texts = [
        "=".join(" to ".join(map(plainly, part)) for part in parts) for parts in parts_of(released)
    ]
    typed = public_numbers(per) if isinstance(per, Mapping) else {_ALL: per}
    if len({*texts}) < len(texts):
        raise InputError(
            f"the groups of {shown(released.label)} have keys that are the same as text.",
            kind="public-numbers",
            why="a public number is said with the key of its group, and two keys print alike",
            fix="take the rate of a statistic whose keys print differently",
            at="per",
        )
    if {*typed} == {_ALL}:
        typed = dict.fromkeys(texts, typed[_ALL])
    lacking = [text for text in texts if text not in typed]
    more = [text for text in typed if text not in {*texts}]
    if lacking or more:
        what = f"has no number for {names_shown(lacking)}"
        if not lacking:
            what = f"names {names_shown(more)}, which is no group"
        raise InputError(
            f"per {what}.",
            kind="public-numbers",
            why=f"each group of {shown(released.label)} has its own: {names_shown(texts)}",
            fix="say in per the public number of each group, and of no other",
            at="per",
        )
    return {text: above_zero(typed[text], "per") for text in texts}


def public_numbers(per: Mapping[object, object], before: str = "") -> dict[str, object]:
    """Return numbers by keys as text, of dicts in dicts by all keys on the way."""
    flat: dict[str, object] = {}
    for key, value in per.items():
        text = before + (plainly(key) if isinstance(key, (bool, int, float)) else str(key))
        flat |= public_numbers(value, f"{text}=") if isinstance(value, Mapping) else {text: value}
    return flat


def above_zero(value: object, setting: str) -> Fraction:
    """Return a number that is above 0, or raise InputError."""
    number = rational(value, setting)
    if number <= 0:
        raise InputError(
            f"{setting} has a number that is not above 0.",
            kind="public-numbers",
            why="nothing can be divided by it, or told per so many",
            fix="give a number above 0; a group in which nobody can be has no rate",
            at=setting,
        )
    return number
