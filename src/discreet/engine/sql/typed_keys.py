"""A public key in the one way in which all keys of a column's type are written.

Rules of this module:
- what the type cannot hold is None: no cell could equal it.
"""

from fractions import Fraction

from .. import spelled

_UUID_DIGITS = (8, 4, 4, 4, 12)
MICRO = 1_000  # nanoseconds


def digits_of(number: Fraction | None, most: int, places: int) -> str | None:
    """Return a number with so many decimals; None if it has more, or more digits, or is none."""
    if number is None:
        return None
    scaled = number * 10**places
    if scaled.denominator != 1 or (most and abs(scaled) >= 10**most):
        return None
    sign, digits = (
        "-" * (scaled < 0),
        spelled.digits_of(abs(scaled.numerator)).rjust(places + 1, "0"),
    )
    return f"{sign}{digits[: len(digits) - places]}.{digits[len(digits) - places :]}".rstrip(".")


def clock_of(nanoseconds: int | None, kind: str) -> str | None:
    """Return a time of day in the one way in which all keys of a column are written."""
    if nanoseconds is None or (kind == "TIME" and nanoseconds % MICRO):
        return None
    seconds, fraction = divmod(nanoseconds, spelled.SECOND)
    minutes, second = divmod(seconds, 60)
    digits = f"{fraction:09d}"[: 6 if kind == "TIME" else 9]
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}.{digits}"


def is_uuid(key: str) -> bool:
    """Say whether a text is a UUID as engines write it."""
    parts = key.split("-")
    return tuple(map(len, parts)) == _UUID_DIGITS and not set(key) - set("0123456789abcdef-")
