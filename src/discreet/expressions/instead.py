"""The line to type in the place of a function of another language that is not here.

Rules of this module:
- a line is made of what stands in the text, where that tells it: the columns that it is called of.
"""

import re

from ..errors import shown

_QUOTED = re.compile(r"""['"]([^'"]*)['"]""")
_PUBLIC = "CASE state WHEN 'MA' THEN 'East' END, or look it up: discreet.levels"
_MOVED = "the day it comes to, as in d <= DATE '2026-11-03'; d less a day is days(d) - days(other)"
_INSTEAD = {
    **dict.fromkeys(("strftime", "to_char", "date_format"), "year(d), month(d) or day(d)"),
    "age": "days(d) - days(other), or days(d, DATE '2026-11-03') up to a day",
    **dict.fromkeys(
        ("to_date", "make_date", "date", "str_to_date", "parse_date"), "DATE '2026-11-03'"
    ),
    "format_date": "year(d), month(d) or day(d)",
    "bool": "the column itself, which is true or false",
    **dict.fromkeys(("to_timestamp", "timestamp"), "TIMESTAMP '2026-11-03 10:30:00'"),
    **dict.fromkeys(
        ("concat", "concat_ws", "concatenate"), "a condition on each column, joined by AND"
    ),
    **dict.fromkeys(("ltrim", "rtrim"), "trim(s), of blanks at both ends"),
    "replace": "IN with each way to write it",
    **dict.fromkeys(("week", "weeknum"), "isoweek(d), whose weeks begin on Monday"),
    **dict.fromkeys(
        ("exists", "any", "all", "some"), "a public value or a list: there are no sub-queries"
    ),
    "decode": "CASE WHEN ... THEN ... ELSE ... END",
    **dict.fromkeys(("trimws", "strtrim", "str_trim", "str_squish"), "trim(s), of blanks"),
    "initcap": "lower(s), and compare it with small letters",
    "width_bucket": "band(x, 0, 10, 20)",
    "max_horizontal": "greatest(x, y), which is missing where one is",
    "min_horizontal": "least(x, y), which is missing where one is",
    **dict.fromkeys(("exp", "log1p"), "log2(x) of the other side, of a column with bounds"),
    "monthname": "month(d) = 5",
    **dict.fromkeys(("dayname", "day_name"), "weekday(d) = 1, which is Monday"),
    **dict.fromkeys(("timestampdiff", "months_between"), "days(d) - days(other)"),
    **dict.fromkeys(("date_add", "dateadd"), "DATE '2026-11-03', the day itself"),
    "isnumeric": "x IS NOT NULL: what is no number is missing",
    **dict.fromkeys(("query", "eval", "filter", "expr"), "the condition itself, as in age >= 18"),
    **dict.fromkeys(("epoch", "unix_timestamp"), "seconds(t)"),
    **dict.fromkeys(
        ("regexp_matches", "regexp_like", "rlike", "regexm", "find"), "contains(s, 'a')"
    ),
    **dict.fromkeys(("match", "fullmatch"), "starts_with(s, 'a'), or s = 'a' of the whole text"),
    "search": "contains(lower(s), 'a'), whatever the case of its letters",
    "log": "ln(x), log2(x) or log10(x), of a column with bounds",
    "format": "year(d), month(d) or date_trunc('month', d)",
    "to_period": "date_trunc('month', d), date_trunc('quarter', d) or year(d)",
    "wday": "weekday(d): Monday is 1, Sunday 7",
    "weekdays": "weekday(d) = 1, which is Monday",
    "months": "month(d)",
    **dict.fromkeys(("paste", "paste0", "cat"), "a condition on each column, joined by AND"),
    **dict.fromkeys(
        ("lpad", "rpad", "zfill", "str_pad", "sprintf"),
        "IN with each way to write it; or declare these as one key: "
        'keys={"zip": {"02139": ["02139", "2139"]}}',
    ),
    **dict.fromkeys(
        ("split_part", "string_split", "substring_index", "split", "str_split"),
        "starts_with(s, 'a'), ends_with(s, 'a') or contains(s, 'a')",
    ),
    **dict.fromkeys(("apply", "map", "transform", "pipe"), "what it gives, as in floor(age / 10)"),
    **dict.fromkeys(("recode", "choose"), "CASE sex WHEN 1 THEN 'm' WHEN 2 THEN 'f' END"),
    **dict.fromkeys(("vlookup", "xlookup", "hlookup", "lookup"), _PUBLIC),
    **dict.fromkeys(("factor", "character", "text", "value"), "the column alone, as in age >= 18"),
    **dict.fromkeys(("dateoffset", "timedelta", "date_sub"), _MOVED),
    **dict.fromkeys(("edate", "add_months"), _MOVED.partition(";")[0]),
    **dict.fromkeys(("dofc", "datepart", "convert"), "CAST(d AS DATE)"),
    **dict.fromkeys(("try_to_number", "to_number"), "CAST(x AS DOUBLE)"),
    "range": "x BETWEEN 18 AND 65",
    "is_leap_year": "mod(year(d), 4) = 0, of the years 1901 to 2099",
    **dict.fromkeys(("eomonth", "last_day"), "date_trunc('month', d), the first of the month"),
    **dict.fromkeys(
        ("datedif", "yearfrac", "intck"), "days(other) - days(d), or year(other) - year(d)"
    ),
    "difftime": "days(d) - days(other), or year(d) - year(other)",
    **dict.fromkeys(("iserror", "isnumber", "null", "finite"), "x IS NOT NULL or x IS NULL"),
    **dict.fromkeys(("num_nonnulls", "cases"), "x IS NOT NULL AND y IS NOT NULL"),
    **dict.fromkeys(("if_any", "if_all", "across"), "a condition on each column, with AND or OR"),
    **dict.fromkeys(("average", "rowmeans"), "(x + y) / 2"),
    **dict.fromkeys(("product", "rowsums"), "x * y or x + y"),
    **dict.fromkeys(("findinterval", "mround"), "floor(x / 10) * 10, or band(x, 0, 18, 65)"),
    **dict.fromkeys(("c", "list", "array"), "x IN (1, 2) for a list, band(x, 18, 65) for bands"),
    "everything": "a condition on each column, with AND or OR",
    "iferror": "coalesce(x / y, 0): x / 0 is missing here",
    "ifna": "coalesce(x, 0)",
    "rounddown": "trunc(x), or trunc(x * 100) / 100",
    "roundup": "ceil(x), or -floor(-x) of numbers below 0 as well",
    "iseven": "mod(x, 2) = 0",
    "isodd": "mod(x, 2) = 1",
    "proper": "lower(s), and compare it with small letters",
    "near": "abs(x - y) < 0.001",
    **dict.fromkeys(("nmiss", "cmiss"), "x IS NOT NULL AND y IS NOT NULL"),
    "sysmis": "x IS NULL: whoever declares codes as missing has both kinds here",
    "strip": "trim(s), of blanks",
    "propcase": "lower(s), and compare it with small letters",
    **dict.fromkeys(
        ("scan", "strmatch", "prxmatch", "regexp_substr", "regexp_extract", "regexs"),
        "starts_with(s, 'a'), ends_with(s, 'a') or contains(s, 'a')",
    ),
    **dict.fromkeys(("regexp_replace", "tranwrd", "subinstr"), "IN with each way to write it"),
    **dict.fromkeys(("input", "real", "destring"), "CAST(x AS DOUBLE)"),
    "put": "the column alone, as in age >= 18",
    "intnx": "date_trunc('month', d), the first of the month",
    "interval": "days(other) - days(d), or year(other) - year(d)",
    "mday": "day(d)",
    "wkday": "weekday(d): Monday is 1, Sunday 7",
    "istrue": "the condition itself: rows of which it is unknown do not count",
}
_MONTH = "date_trunc('month', d)"
_FORMATS = {  # of a day or a moment as a text: what says the same without one
    "%Y": "year(d)",
    **dict.fromkeys(("YYYY", "yyyy"), "year(d)"),
    "%m": "month(d)",
    "MM": "month(d)",
    "%H": "hour(d)",
    "HH24": "hour(d)",
    **dict.fromkeys(("%Y-%m", "YYYY-MM", "yyyy-MM", "yyyy-mm", "%Y%m", "YYYYMM"), _MONTH),
    **dict.fromkeys(("%Y-%m-%d", "YYYY-MM-DD", "yyyy-MM-dd", "%F"), "CAST(d AS DATE)"),
}
_FORMATTED = ("format_date", "strftime", "to_char", "date_format", "format", "text")
_MARKS = "\"'"
_ANY = re.compile(r"(?<![\w'])[sdtx](?![\w'])")  # the column, in what is written instead
_METHOD = re.compile(r"""([A-Za-z_]\w*)(?:["']?[\])]+\.(?:dt\.|str\.)?|\.(?:dt|str)\.)$""")
_OTHER = re.compile(r"(?<![\w'])(?:y|other)(?![\w'])")  # a second one
_UNITS = {"date", "year", "quarter", "month", "week", "day", "hour", "minute", "second"}


def instead(name: str, before: str, after: str) -> str | None:
    """Return what to type in the place of a function that is called so; None where none is known.

    Args:
        name: of the function, in small letters.
        before: the text before it.
        after: the text behind it, which begins with its arguments.
    """
    args = _arguments(after)
    if name not in _INSTEAD:
        return None
    if name in ("iferror", "ifna") and len(args) == 2:
        end = ": x / 0 is missing here" if name == "iferror" else ""
        return f"coalesce({shown(', '.join(args), 100)}){end}"
    if name in ("nmiss", "cmiss") and args:
        return shown(" AND ".join(f"{arg} IS NOT NULL" for arg in args), 100)
    if name in ("any", "all") and len(args) == 1 and not args[0].upper().startswith("SELECT"):
        return "the condition alone, of one row"
    if name == "any" and len(args) > 1:
        return shown(f"{args[0]} IN ({', '.join(args[1:])})".replace('"', "'"), 100)
    written = next((text for text in _QUOTED.findall(after) if text in _FORMATS), "")
    is_day = name in _FORMATTED and written
    return _of_columns(_FORMATS[written] if is_day else _INSTEAD[name], before, after)


def _of_columns(line: str, before: str, after: str) -> str:
    """Return what to type, of what a function is called of, where that is told."""
    words = [word.strip("[@]") for word in _arguments(after)]
    own = [word for word in words if word and word.lower() not in _UNITS and word[0] not in _MARKS]
    if before.endswith("."):
        method = _METHOD.search(before)
        own = [method[1], *own] if method else []
    if not own or not own[0].isidentifier():
        return line
    line = _ANY.sub(lambda _: shown(own[0], 60), line)
    return _OTHER.sub(lambda _: shown(own[1], 60), line) if own[1:] else line


def _arguments(text: str) -> list[str]:
    """Return what stands between the parentheses of a call, at its commas."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if not depth:
            break
        if depth == 1 and letter == ",":
            parts.append("")
        elif depth > 1 or letter not in "([":
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]
