"""Numbers as people read them.

Rules of this module:
- a number shows as many digits as its interval allows: two of the half-width, no more;
- the ends of a shown interval are rounded outward, so that it covers no less than the exact one.
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from math import floor, log10

Figure = int | float
Cell = bool | int | float | str | None

TOO_FEW = "too few to say"
_MOST_DECIMALS = 12
_LARGE = 10**15
_LARGE_DIGITS = 6


def spoken(value: Figure | None, low: Figure | None, high: Figure | None) -> tuple[str, str, str]:
    """Return a number and the ends of its interval as text.

    Args:
        value: the released number; None where there are too few rows to say.
        low, high: the ends of its interval, low <= high; None where it has no end.

    Example:
        >>> spoken(6.1284, 6.0807, 6.1762)
        ('6.128', '6.080', '6.177')
        >>> spoken(12345, 12300, 12390)
        ('12,345', '12,300', '12,390')
    """
    if low is None or high is None:
        return TOO_FEW, "-∞" if low is None else _text(low, 0, ROUND_FLOOR), "∞"
    decimals = _decimals(low, high)
    return (
        TOO_FEW if value is None else _text(value, decimals, ROUND_HALF_EVEN),
        _text(low, decimals, ROUND_FLOOR),
        _text(high, decimals, ROUND_CEILING),
    )


def plainly(value: Cell) -> str:
    """Return a key or a bin's edge as text, exactly.

    Example:
        >>> plainly(5000.0), plainly(0.5), plainly(1999), plainly("A"), plainly("")
        ('5,000', '0.5', '1999', 'A', '""')
    """
    if isinstance(value, float):
        return f"{int(value):,}" if value.is_integer() and abs(value) < _LARGE else repr(value)
    return "all" if value is None else str(value) or '""'


def bin_text(start: Cell, end: Cell) -> str:
    """Return the words for a bin.

    Example:
        >>> bin_text(0.0, 2.5)
        '0 to 2.5'
    """
    return f"{plainly(start)} to {plainly(end)}"


def group_text(index: Sequence[Cell], *, bins: bool) -> str:
    """Return the words for a group: its keys, and its bin where there is one."""
    keys, edges = (index[:-2], index[-2:]) if bins else (index, ())
    words = [plainly(key) for key in keys]
    return ", ".join([*words, bin_text(*edges)] if bins else words) or "all"


def percent(alpha: Decimal) -> str:
    """Return the coverage that an alpha leaves, for example 95 %."""
    return f"{(100 * (1 - alpha)).normalize():f} %"


def _decimals(low: Figure, high: Figure) -> int:
    half = (float(high) - float(low)) / 2
    if isinstance(low, int) and isinstance(high, int):
        return 0
    if half <= 0:  # a value of a grid, told exactly
        return min(_MOST_DECIMALS, max(0, -int(Decimal(repr(low)).normalize().as_tuple().exponent)))
    return min(_MOST_DECIMALS, max(0, 1 - floor(log10(half))))


def _text(value: Figure, decimals: int, rounding: str) -> str:
    if abs(value) >= _LARGE:
        return f"{Decimal(value).normalize(Context(prec=_LARGE_DIGITS, rounding=rounding)):e}"
    if isinstance(value, int):
        return f"{value:,}"
    cut = Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), rounding=rounding)
    return f"{cut + 0:,f}"
