"""Numbers and days as people and other tools write them: which literals they may mean.

Rules of this module:
- it advises and decides nothing: what has two meanings is shown in both, and nobody guesses.
"""

import re

from .literals import day_of, moment_of, number

_MONEY = "(?:[€$£¥]|[A-Z]{3})?"
_NUMBER = re.compile(rf"{_MONEY}\s*([+-]?)(\d[\d.,'’_\s]*?)\s*{_MONEY}", re.ASCII)
_GROUPED = re.compile(r"\d{1,3}(?:([.,'’_\s])\d{3})(?:\1\d{3})*", re.ASCII)
_TWICE = re.compile(r"[1-9]\d{0,2}[.,]\d{3}", re.ASCII)  # 2,000: two thousand, or two
_DAY = re.compile(r"(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})", re.ASCII)
_PLAIN = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d{1,4})?", re.ASCII)
_YEAR = 4


def literals_of(text: str) -> tuple[str, ...]:
    """Return the literals of the language that a text may mean; none where it is text.

    Example:
        >>> literals_of("2.000,5"), literals_of("2,000"), literals_of("€ 1 200"), literals_of("a 1")
        (('2000.5',), ('2000', '2'), ('1200',), ())
        >>> literals_of("31.1.1990"), literals_of("01/02/2020")
        (("DATE '1990-01-31'",), ("DATE '2020-02-01'", "DATE '2020-01-02'"))
    """
    plain = text.strip()
    if day_of(plain) is not None:
        return (f"DATE '{plain}'",)
    if moment_of(plain) is not None:
        return (f"TIMESTAMP '{plain}'",)
    return _numbers(plain) or _days(plain)


def is_plain(text: str) -> bool:
    """Tell whether a text is a number or a day as the language writes it.

    Example:
        >>> [is_plain(text) for text in ("2000", "-0.5", "2020-01-05", "2,000", "a")]
        [True, True, True, False, False]
    """
    return bool(_PLAIN.fullmatch(text)) or day_of(text) is not None or moment_of(text) is not None


def advice(text: str) -> str | None:
    """Return the line that says which literals a text may mean, if any."""
    meant = literals_of(text)
    ending = ", whichever is meant" if meant[1:] else ""
    return f"write {' or '.join(meant)}{ending}" if meant else None


def _numbers(text: str) -> tuple[str, ...]:
    whole = _NUMBER.fullmatch(text)
    if whole is None:
        power = number(text) if _PLAIN.fullmatch(text) else None
        return () if power is None else (power,)
    sign, digits = whole[1].replace("+", ""), "".join(whole[2].split(" "))
    readings = [digits.replace(",", ""), digits.replace(",", ".")]
    if not _TWICE.fullmatch(digits):
        readings = [_one_reading(digits)]
    elif "." in digits:
        readings = [digits.replace(".", ""), digits]
    elif "," not in digits:
        readings = [digits]
    plain = [number(piece) if re.fullmatch(r"\d+(\.\d+)?", piece) else None for piece in readings]
    return tuple(sign + piece for piece in plain if piece is not None)


def _one_reading(digits: str) -> str:
    """Return digits that have one meaning, written with a point; "" where they have none."""
    last = max(digits.rfind(","), digits.rfind("."))
    if last < 0 or digits.count(digits[last]) > 1:
        last = len(digits)
    whole, rest = digits[:last], digits[last + 1 :]
    if not whole.isdecimal() and not _GROUPED.fullmatch(whole):
        return ""
    return re.sub(r"\D", "", whole) + (f".{rest}" if rest else "")


def _days(text: str) -> tuple[str, ...]:
    """Return the days that a text may mean: behind a point the month is second, else perhaps."""
    parts = _DAY.fullmatch(text)
    if parts is None:
        return ()
    first, sign, second, third = parts.groups()
    orders = [(third, second, first)]
    if len(first) == _YEAR:
        orders = [(first, second, third)]
    elif sign != ".":
        orders.append((third, first, second))
    days = [f"{year}-{month:0>2}-{day:0>2}" for year, month, day in orders]
    return tuple(f"DATE '{piece}'" for piece in dict.fromkeys(days) if day_of(piece) is not None)
