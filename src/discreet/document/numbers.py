"""Numbers as people read them.

Rules of this module:
- a number alone shows as many digits as its interval allows: two of the half-width, no more; all
  numbers of a column have the decimals of its median interval;
- the ends of a shown interval are rounded outward, so that it covers no less than the exact one.
"""

from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import floor, log10

from ..exact.number import in_digits
from ..expressions.kinds import DAY_SECONDS, FIRST_DAY, LAST_DAY
from ..schema import ValueKind, end_text

Figure = int | float
Cell = bool | int | float | str | None

TOO_FEW = "too few to say"
_MOST_DECIMALS = 12
_LARGE = 10**15
_LARGE_DIGITS = 6
_OWN = Context(prec=400, rounding=ROUND_HALF_EVEN)  # whatever a caller has set for its decimals


def spoken(
    value: Figure | None,
    low: Figure | None,
    high: Figure | None,
    kind: ValueKind = "number",
    decimals: int | None = None,
) -> tuple[str, str, str]:
    """Return a number and the ends of its interval as text.

    Args:
        value: the released number; None where there are too few rows to say.
        low, high: the ends of its interval, low <= high; None where it has no end.
        kind: where they count days or seconds from 1970-01-01, days and moments are told, and the
            ends are rounded outward.
        decimals: the places of all numbers of a column, of `decimals_of`; else the number's own.

    Example:
        >>> spoken(6.1284, 6.0807, 6.1762)
        ('6.128', '6.080', '6.177')
        >>> spoken(12345, 12300, 12390)
        ('12,345', '12,300', '12,390')
        >>> spoken(10957.4, 10956.5, 10958.2, "day")
        ('2000-01-01', '1999-12-31', '2000-01-03')
    """
    if low is None or high is None:
        return TOO_FEW, "-∞" if low is None else _text(low, 0, ROUND_FLOOR), "∞"
    if kind != "number":
        figure = TOO_FEW if value is None else _time(value, ROUND_HALF_EVEN, kind)
        return figure, _time(low, ROUND_FLOOR, kind), _time(high, ROUND_CEILING, kind)
    decimals = _decimals(low, high) if decimals is None else decimals
    return (
        TOO_FEW if value is None else _text(value, decimals, ROUND_HALF_EVEN),
        _text(low, decimals, ROUND_FLOOR),
        _text(high, decimals, ROUND_CEILING),
    )


def decimals_of(numbers: Iterable[tuple[Figure | None, Figure | None, Figure | None]]) -> int:
    """Return how many decimals the median interval of a column has, of numbers that are told.

    Example:
        >>> decimals_of([(577.2, 489.1, 683.2), (664.31, 661.12, 667.55), (785.4, 766.2, 804.1)])
        0
        >>> spoken(664.31, 661.12, 667.55, decimals=0)
        ('664', '661', '668')
    """
    of = [
        (low == high, _decimals(low, high))
        for value, low, high in numbers
        if value is not None and low is not None and high is not None
    ]
    noisy = sorted(decimals for is_exact, decimals in of if not is_exact)
    return noisy[len(noisy) // 2] if noisy else max((decimals for _, decimals in of), default=0)


def plainly(value: Cell, kind: ValueKind = "number") -> str:
    """Return a key or a bin's edge as text, exactly; an edge of days or moments as such.

    Example:
        >>> plainly(5000.0), plainly(0.5), plainly(1999), plainly("A"), plainly("")
        ('5,000', '0.5', '1999', 'A', '""')
        >>> plainly(10957.0, "day"), plainly("A", "day")
        ('2000-01-01', 'A')
    """
    if isinstance(value, float) and kind != "number":
        return _time(value, ROUND_FLOOR, kind)
    if isinstance(value, float):
        return f"{int(value):,}" if value.is_integer() and abs(value) < _LARGE else repr(value)
    return "all" if value is None else str(value) or '""'


def bin_text(start: Cell, end: Cell, kind: ValueKind = "number") -> str:
    """Return the words for a bin.

    Example:
        >>> bin_text(0.0, 2.5)
        '0 to 2.5'
    """
    return f"{plainly(start, kind)} to {plainly(end, kind)}"


def group_text(index: Sequence[Cell], *, bins: bool, kind: ValueKind = "number") -> str:
    """Return the words for a group: its keys, and its bin where there is one.

    Args:
        index: the cells of the axes.
        bins: whether the last two are the ends of a bin.
        kind: what ends of bins, and values that shares are told below, are.
    """
    if not bins:
        return ", ".join([plainly(key, kind) for key in index]) or "all"
    start, end = index[-2:]
    return ", ".join([*map(plainly, index[:-2]), bin_text(start, end, kind)])


def percent(alpha: Decimal) -> str:
    """Return the coverage that an alpha leaves, for example 95 %."""
    with in_digits():
        return f"{(100 * (1 - alpha)).normalize():f} %"


def _time(value: Figure, rounding: str, kind: ValueKind) -> str:
    """Return the day or the moment of a number; beyond the years 1 to 9999 the nearest of these."""
    size = DAY_SECONDS if kind == "moment" else 1
    whole = Decimal(repr(value)).to_integral_value(rounding, _OWN)
    inside = min(max(whole, Decimal(FIRST_DAY * size)), Decimal((LAST_DAY + 1) * size - 1))
    return end_text(Fraction(inside), kind)


def _decimals(low: Figure, high: Figure) -> int:
    half = (float(high) - float(low)) / 2
    if isinstance(low, int) and isinstance(high, int):
        return 0
    if half <= 0:  # a value of a grid, told exactly
        return min(
            _MOST_DECIMALS, max(0, -int(Decimal(repr(low)).normalize(_OWN).as_tuple().exponent))
        )
    return min(_MOST_DECIMALS, max(0, 1 - floor(log10(half))))


def _text(value: Figure, decimals: int, rounding: str) -> str:
    if abs(value) >= _LARGE:
        return f"{Decimal(value).normalize(Context(prec=_LARGE_DIGITS, rounding=rounding)):e}"
    if isinstance(value, int):
        return f"{value:,}"
    cut = Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals, _OWN), rounding, _OWN)
    return f"{_OWN.plus(cut):,f}"
