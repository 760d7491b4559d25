"""Values that are not what belongs where they stand, as what was meant by them.

Rules of this module:
- only what was typed decides: of objects that can hold data nothing is read;
- what says nothing for sure is nothing, and its place stays a question mark.
"""

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import isfinite

from .fix import BLANK, Call, Set, Way, call

_OPEN = BLANK  # an end that is not there
BOUNDS = call("discreet.bounds", _OPEN, _OPEN)
_NUMBERS = (int, float, Fraction, Decimal)
_NUMERAL = r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?(?:/\d+)?"
_DAY = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?"
_END = re.compile(rf"{_NUMERAL}|{_DAY}", re.IGNORECASE)
_RANGE = re.compile(  # as people write one: "18-90", "18 to 90", "[18, 90]", "18..90"
    rf"[\[(]?\s*({_DAY}|{_NUMERAL})\s*(?:-|–|to|\.\.\.?|:|;|,)\s*({_DAY}|{_NUMERAL})\s*[\])]?",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d][\w.]*")
_PAIR = ("lower", "upper")
_LOWER = ("lower", "low", "min", "minimum", "ge", "from", "start")
_UPPER = ("upper", "high", "max", "maximum", "le", "to", "stop")
_STEP = ("step", "granularity", "resolution")
_SAID = re.compile(rf"\s*(epsilon|eps|rho|mu2|delta)\s*[=:]?\s*({_NUMERAL})\s*", re.IGNORECASE)
_MADE = re.compile(r"\s*(?:\w+\.)?(zcdp|pure|approx)\s*\((.*)\)\s*", re.IGNORECASE | re.DOTALL)
_PLACES = {"zcdp": ("rho", "delta"), "pure": ("epsilon",), "approx": ("epsilon", "delta")}


def bounds_meant(value: object) -> Call | None:
    """Return the bounds that a value says in another form; None where it says none.

    Example:
        >>> from discreet.fix import python_of
        >>> python_of(bounds_meant(range(18, 91)))
        'discreet.bounds(18, 90, step=1)'
        >>> python_of(bounds_meant("0 to 1")), python_of(bounds_meant((0, None)))
        ('discreet.bounds(0, 1)', 'discreet.bounds(0, ?)')
    """
    if isinstance(value, range):
        steps = sorted(value[:: max(1, len(value) - 1)])  # its two ends
        return call("discreet.bounds", *steps, step=abs(value.step)) if len(steps) > 1 else None
    if isinstance(value, str):
        pair = _RANGE.fullmatch(value.strip())
        return bounds_meant([*map(_whole, pair.groups())]) if pair else None
    if isinstance(value, Mapping):
        low, high, step = (_of(value, names) for names in (_LOWER, _UPPER, _STEP))
        known = sum(end is not None for end in (low, high, step))
        value = () if known < len(value) else (low, high) if step is None else (low, high, step)
    if isinstance(value, slice):
        value = (value.start, value.stop)
    if not isinstance(value, (list, tuple)) or len(value) not in (2, 3):
        return None
    ends = [_end(end) for end in value[:2]]
    if all(end is _OPEN for end in ends) or None in ends:
        return None
    if _OPEN not in ends:
        ends.sort(key=_size)
        if _size(ends[0]) == _size(ends[1]) or len({_is_day(end) for end in ends}) > 1:
            return None
    step = _end(value[2]) if len(value) > len(ends) else None
    return call("discreet.bounds", *ends, **({} if step in (_OPEN, None) else {"step": step}))


def _of(value: Mapping[object, object], names: tuple[str, ...]) -> object:
    return next((value[name] for name in names if name in value), None)


def _end(value: object) -> object:
    """Return one end as a fix types it; a blank where it is open, None where it is no end."""
    if value is None or (type(value) in (float, Decimal) and not isfinite(value)):  # type: ignore[arg-type]
        return _OPEN
    if type(value) in (Fraction, Decimal):
        return str(value)
    if isinstance(value, str):
        return value if _END.fullmatch(value) and "/0" not in value else None
    if type(value) is date:
        return value.isoformat()
    return value if type(value) in (int, float) else None


def _is_day(end: object) -> bool:
    return re.fullmatch(_DAY, str(end), re.IGNORECASE) is not None


def _size(end: object) -> tuple[Fraction, str]:
    return (Fraction(0), str(end)) if _is_day(end) else (Fraction(str(end)), "")


def _whole(text: str) -> object:
    """Return a whole number for its digits, and any other text as it stands."""
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else text


def formula(value: object) -> tuple[str, tuple[str, ...]] | None:
    """Return the column that a formula of R explains, and by which others; None where it is none.

    The intercept is always there: "1 +" adds nothing. Products and functions are no columns.

    Example:
        >>> formula("pay ~ 1 + age + educ"), formula("pay ~ log(age)"), formula("pay")
        (('pay', ('age', 'educ')), None, None)
    """
    left, sign, right = value.partition("~") if isinstance(value, str) else ("", "", "")
    names = [name.strip() for name in (left, *right.split("+"))]
    names = [name for name in names if name != "1"]
    if not sign or len(names) < len(_PAIR) or not all(map(_NAME.fullmatch, names)):
        return None
    return names[0], tuple(dict.fromkeys(names[1:]))


def losses_meant(name: str, value: object) -> tuple[Way, ...]:
    """Return what to write for a loss that was given in another form; nothing where none is named.

    A bare number may be an epsilon or a rho: both are shown.

    Example:
        >>> from discreet.fix import in_python
        >>> in_python(losses_meant("spend", 1))
        'write spend=discreet.pure(1) for epsilon = 1, or spend=discreet.zcdp(1) for rho = 1'
        >>> in_python(losses_meant("spend", (1, "1e-6")))
        'write spend=discreet.approx(1, "1e-6")'
    """
    named: Mapping[str, object] = {}
    if isinstance(value, Mapping):
        named = {str(key).casefold(): part for key, part in value.items()}
    elif isinstance(value, (list, tuple)) and len(value) == len(_PLACES["approx"]):
        named = dict(zip(_PLACES["approx"], value, strict=True))
    elif isinstance(value, str):
        if re.fullmatch(_NUMERAL, value.strip()):
            return _of_number(name, value.strip())
        named = _in_text(value)
    elif type(value) in _NUMBERS:
        return _of_number(name, value)
    meant = _loss(named)
    return (Set({name: meant}),) if meant else ()


def _of_number(name: str, value: object) -> tuple[Way, ...]:
    number = _positive(value)
    if number is None:
        return ()
    return (
        Set({name: call("discreet.pure", number)}, note=f"for epsilon = {number}"),
        Set({name: call("discreet.zcdp", number)}, note=f"for rho = {number}"),
    )


def _positive(value: object) -> object:
    """Return a number above 0 as a fix types it, or None."""
    number = _end(value)
    try:
        is_above = number not in (None, _OPEN) and Fraction(str(number)) > 0
    except (ValueError, ZeroDivisionError):
        return None
    return number if is_above else None


def _in_text(text: str) -> Mapping[str, object]:
    """Return the parts of a loss that a text says: "epsilon=1, delta=1e-6" or "zcdp(1/50)"."""
    made = _MADE.fullmatch(text)
    parts = [part.strip(" '\"") for part in (made[2] if made else text).split(",")]
    pairs = [match for part in parts if (match := _SAID.fullmatch(part))]
    named: dict[str, object] = {match[1].casefold(): match[2] for match in pairs}
    if len(named) == len(parts):
        return named
    places = _PLACES[made[1].casefold()] if made else ()
    return dict(zip(places, parts, strict=False)) if len(parts) <= len(places) else {}


def _loss(named: Mapping[str, object]) -> Call | None:
    """Return the call that makes a loss of named numbers; None where they are no loss."""
    numbers = {"epsilon" if key == "eps" else key: _positive(part) for key, part in named.items()}
    if not numbers or None in numbers.values():
        return None
    delta = {"delta": numbers["delta"]} if "delta" in numbers else {}
    kinds = {
        ("epsilon",): call("discreet.pure", numbers.get("epsilon")),
        ("delta", "epsilon"): call("discreet.approx", numbers.get("epsilon"), delta.get("delta")),
        **dict.fromkeys(
            [("rho",), ("delta", "rho")], call("discreet.zcdp", numbers.get("rho"), **delta)
        ),
        **dict.fromkeys(
            [("mu2",), ("delta", "mu2")], call("discreet.gdp", mu2=numbers.get("mu2"), **delta)
        ),
    }
    return kinds.get(tuple(sorted(numbers)))
