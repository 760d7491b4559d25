"""The day or moment that a text of a CSV file tells in a declared form: the reference, in Python.

`sql.written_times` says the same in a query; a differential test compares.
"""

import re
from collections.abc import Sequence
from datetime import date
from functools import cache

from ..expressions import Kind
from ..expressions.kinds import DAY_SECONDS
from ..expressions.literals import day_of
from ..schema.csv_options import CsvOptions
from ..schema.time_forms import MONTHS, TimeForm, forms

_EPOCH = date(1970, 1, 1).toordinal()


def is_declared(csv: CsvOptions) -> bool:
    """Say whether a declaration says how days or times are written."""
    return bool(csv.days or csv.times)


def are_written(keys: Sequence[object], csv: CsvOptions) -> bool:
    """Say whether keys are days, and a declaration says how cells write them."""
    return is_declared(csv) and all(isinstance(k, str) and day_of(k) is not None for k in keys)


def day_text(text: str, csv: CsvOptions) -> str:
    """Return the day that a text tells as a key is written; the text itself where it tells none.

    Example:
        >>> day_text("2.1.1970", CsvOptions(days="%d.%m.%Y"))
        '1970-01-02'
    """
    days = counted(text, "day", csv)
    return text if days is None else date.fromordinal(days + _EPOCH).isoformat()


def counted(text: str, kind: Kind, csv: CsvOptions) -> int | None:
    """Return the day or the second, counted from 1970-01-01, that a text tells; None for others.

    Example:
        >>> csv = CsvOptions(days="%d.%m.%Y", times="%I:%M%p")
        >>> counted("2.1.1970", "day", csv), counted("12:01AM", "moment", csv)
        (1, 60)
        >>> counted("12:01AM", "day", csv), counted("31.2.2024", "day", csv)
        (None, None)
    """
    for form in forms(csv.days, csv.times):
        if not form.has_day and kind == "day":
            continue
        match = _compiled(form).fullmatch(text)
        if match is not None and (kind == "day" or {"H", "I"} & {*form.signs}):
            parts = dict(zip(form.signs, match.groups(), strict=True))
            days = _days(parts) if form.has_day else 0
            if days is not None:
                return days if kind == "day" else days * DAY_SECONDS + _seconds(parts)
    return None


@cache
def _compiled(form: TimeForm) -> re.Pattern[str]:
    return re.compile(form.pattern, re.ASCII)


def _days(parts: dict[str, str]) -> int | None:
    name = parts.get("b")
    month = int(parts["m"]) if name is None else MONTHS.index(name.lower()) + 1
    try:
        return date(int(parts["Y"]), month, int(parts["d"])).toordinal() - _EPOCH
    except ValueError:
        return None


def _seconds(parts: dict[str, str]) -> int:
    hour = int(parts["H"]) if "H" in parts else int(parts["I"]) % 12
    hour += 12 * (parts.get("p", "am").lower() == "pm")
    return hour * 3600 + int(parts["M"]) * 60 + int(parts.get("S") or 0)
