"""The error that a question must keep: a half-width, or a part of a public size.

Rules of this module:
- an error is an exact rational, in the question's own measure, or a share of what is public;
- nothing here knows noise: what an error costs is found where plans are made.

Decision 31.
"""

from dataclasses import dataclass
from fractions import Fraction

from ..errors import InputError, as_given, shown
from ..exact.number import Number, rational, text_of
from ..fix import BLANK, leave_out, write

_LONG = 2**128


@dataclass(frozen=True, slots=True)
class Within:
    """A wanted half-width.

    Attributes:
        amount: above 0; in the question's own measure, or a share.
        relative: whether it is a share of a public size: of `rows` for counts, of the range that
            its answer can have for means and their like.
    """

    amount: Fraction
    relative: bool = False

    def plain(self) -> str:
        """Return it as it is typed: "20" or "5%"."""
        return f"{text_of(100 * self.amount)}%" if self.relative else text_of(self.amount)

    def wider(self, factor: Fraction) -> "Within":
        """Return the same error, so many times as wide."""
        return Within(self.amount * factor, self.relative)


def within_of(given: Number | Within) -> Within:
    """Return the error that somebody typed: a number, or a text such as "5%".

    Raises:
        InputError: it is no finite number above 0.

    Example:
        >>> within_of("0.5").amount, within_of("5%")
        (Fraction(1, 2), Within(amount=Fraction(1, 20), relative=True))
    """
    if isinstance(given, Within):
        return given
    relative = isinstance(given, str) and given.rstrip().endswith("%")
    amount = rational(str(given).rstrip().removesuffix("%") if relative else given, "within")
    if amount >= _LONG:
        raise InputError(
            "within is longer than any sum that is counted.",
            why="sums are kept in 128 bits",
            fix=write(", such as 20", within=BLANK),
        )
    if amount <= 0:
        raise InputError(
            f"within = {as_given(given, bare=True)} must be above 0.",
            why="it is the half-width of an interval; no noise at all is not private",
            fix=write(", such as 20", within=BLANK),
        )
    return Within(amount / 100 if relative else amount, relative)  # exact: rationals


def refuse_weight(weight: int) -> None:
    """Refuse a weight beside a wanted error."""
    if weight != 1:
        raise InputError(
            f"weight = {weight} and within are both given.",
            why="a question with a wanted error gets its least price; weights share out the rest "
            "of a spend among the others",
            fix=(leave_out("weight"), leave_out("within")),
            at="weight",
        )


def is_true(together: object) -> bool:
    """Return whether intervals shall hold together, or refuse what is neither yes nor no."""
    if not isinstance(together, bool):
        raise InputError(
            f"together = {as_given(together)} is neither true nor false.",
            why="all intervals hold at once, or each by itself",
            fix=(write(together=True), leave_out("together")),
        )
    return together


def is_sample(sample: object) -> bool:
    """Return whether a variance is divided by one row less, or refuse what is neither."""
    if not isinstance(sample, bool):
        raise InputError(
            f"sample = {as_given(sample)} is neither true nor false.",
            why="a variance is divided by the number of rows, or as a sample's by one less",
            fix=(write(sample=True), leave_out("sample")),
        )
    return sample


def needs_rows(label: str, within: Within) -> InputError:
    """Return the error that a mean's wanted error names no size of group."""
    return InputError(
        f"{shown(label)} has within = {within.plain()} and no rows.",
        why="the error of a mean is that of its sum divided by the rows of its group, which are "
        "private",
        fix=write(", with the rows of the smallest group that matters to you", rows=BLANK),
        at="within",
    )


def needs_size(label: str, within: Within, *, counts: bool) -> InputError:
    """Return the error that a relative error has nothing public to be a part of."""
    if counts:
        return InputError(
            f"within = {within.plain()} of {shown(label)} has no size to be a part of.",
            why="how many there are in a group is private",
            fix=write(", with the size of the smallest group that matters to you", rows=BLANK),
            at="within",
        )
    return InputError(
        f"within = {within.plain()} of {shown(label)} has no size to be a part of.",
        why="how large it is, is private, and no public range bounds it",
        fix=write(", with a number in the measure of what is asked", within=BLANK),
        at="within",
    )
