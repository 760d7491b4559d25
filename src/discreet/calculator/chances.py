"""What a law of a short list does, case by case: bounded counts, a private choice, proportions.

Rules of this module:
- scores, counts and proportions are made up by whoever asks: no data is here, and nothing is drawn;
- chances are decimals of 17 digits, nearest; a sensitivity is an exact rational.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import get_args

from ..errors import InputError, shown
from ..exact.number import Number, rational, whole
from ..fix import write
from ..noise.reals import decimal_down, decimal_near
from .formulas import proportions
from .formulas.exponential import Exponential
from .formulas.proportions import Empty, Neighbors, ProportionMoves, Way
from .formulas.truncated_factor import any_width_epsilon_down, loss_ratio, note_ratio_not_private
from .formulas.truncated_geometric import masses_made_at
from .inputs import above_zero, bounds_in, loss
from .laws import LAWS

_LONG = 1 << 63


def chances_of(
    law: str,
    *,
    truth: int,
    bounds: tuple[int, int],
    epsilon: Number | None = None,
    made_at: Number | None = None,
    sensitivity: int = 1,
) -> list[Decimal]:
    """Return the chance of each released count, from the lower bound on, at a made-up true count.

    Args:
        law: "clamped_geometric" or "truncated_geometric".
        truth: the true count.
        bounds: the public bounds of the count.
        epsilon: what a release costs.
        made_at: for truncated noise in its place: the epsilon' of the noise before it is redrawn.
        sensitivity: how far one unit moves the count.

    Example:
        >>> [float(c) for c in chances_of("clamped_geometric", truth=0, bounds=(0, 1), epsilon=1)]
        [0.7310585786300049, 0.2689414213699951]
    """
    counts = LAWS.get(law)
    if counts is None or not counts.bounded:
        raise InputError(
            f"the chances of {shown(law)} noise are not listed.",
            kind="not-calculated",
            why="a list needs bounds: there are clamped_geometric and truncated_geometric",
            fix=write(law="clamped_geometric"),
        )
    if (epsilon is None) == (made_at is None) or (made_at is not None and not counts.redrawn):
        raise InputError(
            f"the size of the {law} noise is missing.",
            kind="noise-size-missing",
            why="its size follows from epsilon, or that of truncated noise from made_at",
            fix=write(epsilon="0.1"),
        )
    lower, upper = bounds_in(bounds, law)
    at, moved = whole(truth, "truth", least=-_LONG), whole(sensitivity, "sensitivity", least=1)
    if made_at is not None:
        rate = above_zero(loss(made_at, "made_at"), "made_at")
        known = {"truth": min(max(at, lower), upper), "lower": lower, "upper": upper}
        return list(map(decimal_near, masses_made_at(rate, **known, sensitivity=moved)))
    size = above_zero(loss(epsilon or 0), "epsilon")
    return list(map(decimal_near, counts.between(size, moved, lower, upper).masses(truth=at)))


def safe_at_any_width(epsilon: Number) -> Decimal:
    """Return an epsilon' at which noise, redrawn between any bounds, loses at most epsilon.

    It is asinh((e^epsilon - 1) / 2), rounded down, for counts that one unit moves by 1.

    Example:
        >>> safe_at_any_width("0.1")
        Decimal('0.052561253992830937')
    """
    return decimal_down(any_width_epsilon_down(above_zero(loss(epsilon), "epsilon")))


def redrawing_ratio(q: Number, *, width: int) -> tuple[Fraction, Fraction]:
    """Return e^loss of redrawing geometric noise of the ratio q, and what document 003 prints.

    Both are exact rationals, for counts that one unit moves by 1; the printed one is no bound.

    Args:
        q: the chance of an error over that of an error of one less, in (0, 1).
        width: the upper bound of the count less the lower, at least 1.

    Example:
        >>> redrawing_ratio("9/10", width=2)
        (Fraction(2800, 2439), Fraction(16561, 14661))
    """
    ratio, steps = _inside(q, "q", ends=False), whole(width, "width", least=1)
    return loss_ratio(q=ratio, width=steps), note_ratio_not_private(q=ratio, width=steps)


def chances_of_choice(
    scores: Sequence[int], *, epsilon: Number, bounds: tuple[int, int], sensitivity: int = 1
) -> list[Decimal]:
    """Return the chance of each entry of a public list under the exponential mechanism.

    Args:
        scores: made-up whole scores, one for each entry.
        epsilon: what one choice costs.
        bounds: the public range of the scores; those outside are clamped.
        sensitivity: how far one unit moves any one score.

    Source: McSherry and Talwar 2007, Theorem 6.

    Example: of three scores 2 apart.

        >>> [round(float(c), 4) for c in chances_of_choice([0, 2, 4], epsilon=2, bounds=(0, 10))]
        [0.0159, 0.1173, 0.8668]
    """
    lower, upper = bounds_in(bounds, "exponential")
    rate, moved = above_zero(loss(epsilon), "epsilon"), whole(sensitivity, "sensitivity", least=1)
    law = Exponential(rate, sensitivity=moved, lower=lower, upper=upper)
    listed = [whole(score, "a score", least=-_LONG) for score in scores]
    return list(map(decimal_near, law.masses(listed)))


def proportion_moves(
    *,
    size: int | None = None,
    least: int | None = None,
    labels: int = 2,
    neighbors: Neighbors = "replace",
    empty: Empty = "excluded",
) -> ProportionMoves:
    """Return how far one record moves the proportions k / n, in three norms, exactly.

    Args:
        size: n, where it is public; `neighbors` then says what is done with the record.
        least: where n is private: how many records there are at least, publicly.
        labels: of how many labels.
        neighbors: "replace", or "add_remove" while still dividing by the public n.
        empty: what an empty data set is answered with: see `mechanism.proportions`.

    Example:
        >>> proportion_moves(size=1000).l1
        Fraction(1, 500)
    """
    if (size is None) == (least is None):
        raise InputError(
            "the number of records is missing.",
            kind="setting-missing",
            why="give the public size; if the size is private, give a public lower bound of it",
            fix=(write(size=1000), write(least=1)),
        )
    _check_word(neighbors, get_args(Neighbors), "neighbors")
    _check_word(empty, get_args(Empty), "empty")
    if size is not None:
        records = whole(size, "size", least=1)
        return proportions.moves_public_size(size=records, neighbors=neighbors)
    return proportions.moves_private_size(
        least=whole(least, "least", least=0), labels=whole(labels, "labels", least=2), empty=empty
    )


def proportion_deviation(
    way: Way,
    *,
    epsilon: Number,
    proportion: Number,
    size: int,
    labels: int = 2,
    share: Number = "1/2",
) -> Decimal:
    """Return the standard deviation of a released proportion, to first order in 1 / size.

    Args:
        way: "public_size" (divided by n), "normalized" (the noisy histogram by its own total) or
            "plug_in" (by a noisy n, for which 1 - share of epsilon is kept).
        epsilon: what the release costs.
        proportion: a made-up true proportion.
        size: a made-up number of records.
        labels: of how many labels.
        share: of epsilon, what "plug_in" spends on the counts.

    Example:
        >>> round(proportion_deviation("normalized", epsilon=1, proportion="0.1", size=1000), 5)
        Decimal('0.00128')
    """
    _check_word(way, get_args(Way), "way")
    deviation = proportions.release_deviation(
        way=way,
        epsilon=above_zero(loss(epsilon), "epsilon"),
        proportion=_inside(proportion, "proportion", ends=True),
        size=whole(size, "size", least=1),
        labels=whole(labels, "labels", least=2),
        share=_inside(share, "share", ends=False),
    )
    return decimal_near(deviation)


def _inside(value: Number, name: str, *, ends: bool) -> Fraction:
    number = rational(value, name)
    if not (0 <= number <= 1 if ends else 0 < number < 1):
        raise InputError(
            f"{name} = {shown(value)} is no part of a whole.",
            kind="out-of-range",
            why=f"it lies between 0 and 1{'' if ends else ', and is neither'}",
            fix=write(**{name: "0.5"}),
        )
    return number


def _check_word(word: object, words: tuple[str, ...], name: str) -> None:
    if word not in words:
        raise InputError(
            f"{name} = {shown(word)} is not known here.",
            kind="unknown-choice",
            why=f"it can be {', '.join(words)}",
            fix=write(**{name: words[0]}),
        )
