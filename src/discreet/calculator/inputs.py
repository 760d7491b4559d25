"""What a caller of the calculator typed, checked once.

What the calculator refuses, with the true reason, and what to type instead.

Rules of this module:
- every number becomes an exact rational (see `exact.number`), or an InputError of three lines;
- what may not be combined is refused, never ignored;
- nothing is computed here;
- a fix names what `calculator` takes; the command line shows it as options (`app.options`).
"""

from fractions import Fraction

from ..errors import InputError, shown
from ..exact.number import Number, rational, text_of, whole
from ..fix import Fix, Set, write
from ..noise.geometric_accuracy import Convention

_CONVENTIONS = frozenset({"gt", "ge"})
_LONG = 1 << 63
_LARGEST_EPSILON = 10**6
_LARGEST_NOISE = Fraction(10) ** 100


def loss(value: Number, name: str = "epsilon") -> Fraction:
    """Return an epsilon of at least 0 that promises something."""
    number = rational(value, name)
    if number < 0:
        raise _range(name, number, "at least 0", "a loss of privacy cannot be negative", "0.1")
    if number > _LARGEST_EPSILON:
        why = "a loss of a million nats promises nothing, so it is likely mistyped"
        raise _range(name, number, f"at most {_LARGEST_EPSILON}", why, "0.1")
    return number


def delta_in(value: Number, name: str = "delta") -> Fraction:
    """Return a delta in [0, 1)."""
    number = rational(value, name)
    if not 0 <= number < 1:
        why = f"{name} is the chance that the protection fails; at 1 nothing is promised"
        raise _range(name, number, "in [0, 1)", why, "1e-6")
    return number


def left_of(delta: Fraction, chance: Fraction) -> Fraction:
    """Return the delta of what is kept but for a chance, where both together have a delta.

    Source: where P >= (1 - chance) P' and so with Q, (epsilon, x) of P' and Q' is (epsilon, chance
        + (1 - chance) x) of P and Q (docs/laws/gdp.md).
    """
    if chance and chance >= delta:
        why = "this chance leaves no delta for the noise"
        raise _range("chance", chance, f"below delta = {text_of(delta)}", why, "0")
    return (delta - chance) / (1 - chance)  # exact: rationals


def positive_delta(number: Fraction) -> Fraction:
    """Return a delta above 0, which every Gaussian needs."""
    if number == 0:
        why = "no finite Gaussian noise keeps delta = 0; geometric noise does"
        raise _range("delta", number, "above 0", why, "1e-6")
    return number


def alpha_in(value: Number) -> Fraction:
    """Return an alpha in (0, 1]."""
    number = rational(value, "alpha")
    if not 0 < number <= 1:
        why = "alpha is the chance that an error exceeds the bound; no finite bound holds always"
        raise _range("alpha", number, "in (0, 1]", why, "0.05")
    return number


def noise_in(value: Number, name: str) -> Fraction:
    """Return a size of noise or a sensitivity: above 0, and within 10^-100 to 10^100."""
    number = above_zero(rational(value, name), name)
    if not 1 / _LARGEST_NOISE <= number <= _LARGEST_NOISE:
        raise _range(name, number, "in 1e-100 to 1e100", "it is likely mistyped", "1")
    return number


_SIZED = "noise is in proportion to it"
_PROPORTION = dict.fromkeys(("epsilon", "rho"), "noise that loses nothing has no finite size")
_PROPORTION["accuracy"] = "an error of exactly 0 has no chance in continuous noise"


def above_zero(number: Fraction, name: str) -> Fraction:
    """Return a number above 0."""
    if number <= 0:
        raise _range(name, number, "above 0", _PROPORTION.get(name, _SIZED), "1")
    return number


def accuracy_in(value: Number, *, convention: str | None) -> Fraction:
    """Return a promised accuracy of at least 0; whole for a law on whole numbers.

    An error is whole, so that "above 2.5" is "above 2" and "2.5 or more" is "3 or more".
    """
    number = rational(value, "accuracy")
    if number < 0:
        why = "an accuracy is the size of an error"
        raise _range("accuracy", number, "at least 0", why, "10")
    if convention is None:
        return number
    down = number.numerator // number.denominator
    accuracy = down if convention == "gt" or number == down else down + 1
    if accuracy >= _LONG:
        why = "counts are kept in 64 bits"
        raise _range("accuracy", number, "below 2^63", why, "10")
    return Fraction(accuracy)


def convention_in(convention: str) -> Convention:
    """Return "gt" or "ge"."""
    if convention not in _CONVENTIONS:
        raise InputError(
            f"there is no convention {shown(convention)!r}.",
            kind="unknown-choice",
            why='"gt" bounds the chance of an error above a, "ge" that of an error of a or more',
            fix=write(convention="gt"),
        )
    return "gt" if convention == "gt" else "ge"


def counted(value: object, name: str, *, most: int = 10**6) -> int:
    """Return a count of coordinates or releases, from 1 to `most`."""
    number = whole(value, name, least=1)
    if number > most:
        raise _range(name, Fraction(number), f"at most {most}", "it is likely mistyped", "1")
    return number


def bounds_in(bounds: object, law: str) -> tuple[int, int]:
    """Return public bounds (lower, upper) of a count, each a whole number of 64 bits."""
    if bounds is None:
        raise bounds_missing(law)
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise InputError(
            f"bounds = {shown(bounds)} is not a lower and an upper count.",
            kind="bounds-wrong",
            why="a clamped count needs public bounds",
            fix=write(bounds=(0, 100)),
        )
    lower, upper = (whole(value, "a bound", least=1 - _LONG) for value in bounds)
    if lower > upper:
        raise InputError(
            f"the lower bound {shown(lower)} is above the upper bound {shown(upper)}.",
            kind="bounds-wrong",
            why="a count is clamped to lower..upper, and these bounds hold no number",
            fix=write(bounds=(upper, lower)),
        )
    return lower, upper


def _range(name: str, number: Fraction, range_: str, why: str, example: str) -> InputError:
    return InputError(
        f"{name} = {shown(text_of(number))} must be {range_}.",
        kind="out-of-range",
        why=why,
        fix=Set({name: example}),
    )


ONE: Fix = (write(releases=1), write(law="geometric"))


def delta_missing(law: str) -> InputError:
    """Return the error that an epsilon of a Gaussian stands alone."""
    return InputError(
        f"{law} noise with an epsilon needs a delta too.",
        kind="noise-size-missing",
        why="noise of any size loses more than epsilon with some chance, and delta limits it",
        fix=write("too", delta="1e-6"),
    )


def epsilon_missing(law: str) -> InputError:
    """Return the error that there is no epsilon for the size of the noise to follow from."""
    return InputError(
        f"{law} noise needs an epsilon.",
        kind="noise-size-missing",
        why="the size of the noise follows from it",
        fix=write("too", epsilon="0.1"),
    )


def bounds_missing(law: str) -> InputError:
    """Return the error that a bounded count has no bounds."""
    return InputError(
        f"{law} noise needs the public bounds of the count.",
        kind="noise-size-missing",
        why="they limit which errors can happen, and which count is the worst",
        fix=write("too", bounds=(0, 100)),
    )


def no_size(law: str, wanted: str, size: str, *, says: str = "has no") -> InputError:
    """Return the error that a law is not sized by what was asked for."""
    return InputError(
        f"{law} noise {says} {wanted}.",
        kind="noise-size-missing",
        why=f"its size is its {size}",
        fix=f"ask for {size}",
    )
