"""From the errors wanted to the loss they cost: the other direction of a plan.

Rules of this module:
- each question gets the least loss of three digits that keeps its wanted half-width;
- the losses become weights, so that the plan is one of the ordinary kind: a spend and its shares.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm

from ..errors import InputError, as_given
from ..exact.number import Number, few_up, is_short, rational, text_of
from ..fix import BLANK, write
from ..privacy.loss import Kind, Loss, total
from ..statistic.statistic import Expected

ROWS = 1_000  # a mean's error bar is meant, and shown, for a group of this many rows
KINDS: dict[str, Kind] = {"zcdp": "zcdp", "pure": "pure"}  # of losses of one number
_DIGITS = range(100, 1000)
_SHOWN = 8  # questions that a fix has a place for
_POWERS = range(-18, 8)
_ROOM = Fraction(50_001, 50_000)  # twice as much as rounding a share to six digits takes away

Expect = Callable[[Loss], Expected]


def wanted(within: Number | Sequence[Number], questions: int) -> list[Fraction]:
    """Return one wanted half-width for each question, or raise InputError."""
    given = list(within) if isinstance(within, (list, tuple)) else [within] * questions
    if len(given) != questions:
        raise InputError(
            f"within has {len(given)} errors for {questions} questions.",
            why="each question has its own scale: rows, units, or what its column is measured in",
            fix=(
                write(", for all questions", within=BLANK),
                write(", for each, in their order", within=[BLANK] * min(questions, _SHOWN)),
            ),
        )
    found = [rational(item, "within") for item in given]
    for item in found:
        if item <= 0:
            raise InputError(
                f"within = {text_of(item)} must be above 0.",
                why="it is the half-width of an interval; no noise at all is not private",
                fix=write(", such as 20", within=BLANK),
            )
    return found


def cheapest(expect: Expect, half_width: Fraction, kind: str) -> Loss:
    """Return the least loss of three digits whose expected half-width is at most the wanted one.

    Args:
        expect: the expected half-width of the question at a loss; it falls as the loss grows.
        half_width: the wanted one, in the question's unit; a mean's in a group of `ROWS` rows.
        kind: "zcdp" or "pure".
    """
    priced = KINDS.get(kind) if isinstance(kind, str) else None
    if priced is None:
        raise InputError(
            f"kind = {as_given(kind)} is not a kind of loss that noise is priced in.",
            why="within= is priced in zCDP, or in pure epsilon",
            fix=(write(kind="zcdp"), write(kind="pure")),
        )

    def keeps(size: Fraction) -> bool:
        try:
            expected = expect(Loss(priced, (size,)))
        except InputError:  # so little noise that no law of ours has it
            return True
        return expected.half_width <= half_width * (ROWS if expected.per_row else 1)

    power = _first(_POWERS, lambda power: keeps(_DIGITS[-1] * Fraction(10) ** power))
    unit = Fraction(10) ** power
    found = Loss(priced, (unit * _first(_DIGITS, lambda digits: keeps(digits * unit)),))
    try:
        expect(found)
    except InputError:
        raise InputError(
            f"no noise keeps within = {text_of(half_width)}.",
            why="noise on a grid is never narrower than one step, and never nearly nothing",
            fix="ask for a wider interval, or declare the column with a smaller step",
        ) from None
    return found


def together(losses: Sequence[Loss]) -> Loss:
    """Return the losses of one kind added up, or a little more, so that few digits say it.

    Each share of it, rounded down, is then still at least its loss.
    """
    whole = total(losses)
    (size,) = whole.numbers
    return Loss(whole.kind, (size if is_short(size) else few_up(size * _ROOM),))


def weights(losses: Sequence[Loss]) -> list[int]:
    """Return whole numbers in the proportion of the losses."""
    sizes = [size for loss in losses for size in loss.numbers]
    common = lcm(*(size.denominator for size in sizes))
    return [int(size * common) for size in sizes]


def _first(values: range, holds: Callable[[int], bool]) -> int:
    """Return the first value that holds, where all after it hold too; the last if none does."""
    return values[bisect_left(values[:-1], x=True, key=holds)]
