"""The day or moment that a text of a CSV file tells in a declared form, as parts of a query.

`engine/written_times.py` says the same in Python; a differential test compares.

Rules of this module:
- a text has the form before a part of it is taken; a day that the calendar has not is missing.
"""

from sqlglot import exp

from ...expressions import Kind
from ...expressions.kinds import DAY_SECONDS
from ...schema import CsvOptions
from ...schema.time_forms import MONTHS, TimeForm, forms
from .dialect import Dialect
from .tree import called, matches, paren, to_type, whole


def counted(cell: exp.Expression, kind: Kind, csv: CsvOptions, dialect: Dialect) -> exp.Expression:
    """Return the day or the second, counted from 1970-01-01, that a text tells; else NULL."""
    case = exp.Case()
    for form in forms(csv.days, csv.times):
        if not (form.has_day if kind == "day" else {"H", "I"} & {*form.signs}):
            continue
        value: exp.Expression = whole(0)
        if form.has_day:
            value = to_type(dialect.days(written_day(cell, form)), "BIGINT")
        if kind == "moment":
            value = exp.Add(this=_times(value, DAY_SECONDS), expression=_seconds(cell, form))
        case = case.when(matches(cell.copy(), f"^{form.pattern}$"), value)
    return case


def day_text(cell: exp.Expression, csv: CsvOptions, dialect: Dialect) -> exp.Expression:
    """Return the day that a text tells as a key is written; the text itself where it tells none."""
    day = called("MAKE_DATE", to_type(counted(cell, "day", csv, dialect), "INT"))
    return exp.Coalesce(this=to_type(day, "TEXT"), expressions=[cell.copy()])


def written_day(cell: exp.Expression, form: TimeForm) -> exp.Expression:
    """Return the day of a text that has a form, as a DATE; NULL if the calendar has no such day."""
    month = _text(cell, form, "m")
    if "b" in form.signs:
        name = _lower(_text(cell, form, "b"))
        letters_before = called("INSTR", exp.Literal.string("".join(MONTHS)), name)
        behind = paren(exp.Add(this=letters_before, expression=whole(2)))
        place = exp.IntDiv(this=behind, expression=whole(3))
        month = to_type(paren(place), "TEXT")
    parts = [_text(cell, form, "Y"), month, _text(cell, form, "d")]
    written = called("CONCAT_WS", exp.Literal.string("-"), *parts)
    return exp.TryCast(this=written, to=exp.DataType.build("DATE"))


def _text(cell: exp.Expression, form: TimeForm, sign: str) -> exp.Expression:
    """Return the part of a text that stands for a sign."""
    place = whole(form.signs.find(sign) + 1)
    pattern = exp.Literal.string(f"^{form.pattern}$")
    return called("REGEXP_EXTRACT", cell.copy(), pattern, place)


def _lower(text: exp.Expression) -> exp.Expression:
    return called("LOWER", text)


def _number(cell: exp.Expression, form: TimeForm, sign: str) -> exp.Expression:
    """Return the number that stands for a sign; 0 where the form, or the text, leaves it out."""
    if sign not in form.signs:
        return whole(0)
    digits = exp.TryCast(this=_text(cell, form, sign), to=exp.DataType.build("BIGINT"))
    return exp.Coalesce(this=digits, expressions=[whole(0)])


def _seconds(cell: exp.Expression, form: TimeForm) -> exp.Expression:
    hour = _number(cell, form, "H")
    if "I" in form.signs:
        late = exp.EQ(this=_lower(_text(cell, form, "p")), expression=exp.Literal.string("pm"))
        half = exp.Case().when(late, whole(12)).else_(whole(0))
        early = exp.Mod(this=_number(cell, form, "I"), expression=whole(12))
        hour = exp.Add(this=paren(early), expression=half)
    total = _times(hour, 3600)
    for sign, seconds in (("M", 60), ("S", 1)):
        part = _times(_number(cell, form, sign), seconds)
        total = paren(exp.Add(this=total, expression=part))
    return total


def _times(value: exp.Expression, factor: int) -> exp.Expression:
    return exp.Mul(this=paren(value), expression=whole(factor))
