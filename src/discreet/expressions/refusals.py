"""What the language refuses, each with its reason, and the place in the text marked.

Rules of this module:
- an expression was typed by the caller, so it may be quoted; no data is known here.
"""

import re
from difflib import get_close_matches

from ..errors import InputError, shown
from ..fix import Fix
from .as_written import advice
from .kinds import WORDS, Kind, Piece
from .literals import number

_QUOTED = re.compile(r"""['"]([^'"]*)['"]""")
NOT_READ = "expression-not-read"  # the kind of error where no other fits
_NEAR = 0.8  # exact: of names; how alike one is to be to one that is suggested
_AROUND = 30  # letters shown before and behind the place

OTHER_ROWS = {
    *("avg", "count", "max", "median", "min", "mode", "quantile", "quantile_cont", "rank"),
    *("row_number", "stddev", "stddev_pop", "sum", "variance", "var_pop", "first", "last"),
    *("lag", "lead", "any_value", "string_agg", "listagg", "array_agg"),
    *("approx_count_distinct", "dense_rank", "ntile", "percent_rank", "bool_and", "bool_or"),
    *(
        "qcut",
        "groupby",
        "value_counts",
        "nunique",
        "n_distinct",
        "n",
        "countif",
        "sumif",
        "averageif",
    ),
    *("every", "corr", "covar_pop", "regr_slope", "mean", "std", "cumsum", "shift", "diff"),
}
OUTSIDE = {
    *("random", "rand", "now", "today", "current_date", "current_timestamp", "getenv"),
    *("getdate", "curdate", "sysdate", "sysdatetime"),
    *("current_time", "localtime", "localtimestamp", "session_user"),
    *("uuid", "gen_random_uuid", "nextval", "pg_sleep", "sleep", "read_text", "read_csv"),
    *("read_blob", "read_parquet", "glob", "pg_read_file", "current_user", "current_setting"),
    *("set_config", "rowid", "ctid", "error", "version"),
}
_OF_ROW = {"min": "least", "max": "greatest"}
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
    "rounddown": "trunc(x), or trunc(x * 100) / 100",
    "roundup": "ceil(x), or -floor(-x) of numbers below 0 as well",
    "iseven": "mod(x, 2) = 0",
    "isodd": "mod(x, 2) = 1",
    "proper": "lower(s), and compare it with small letters",
    "near": "abs(x - y) < 0.001",
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
_SEVERAL = re.compile(r"\(([^()]*,[^()]*)\)")  # arguments
_ANY = re.compile(r"(?<![\w'])[sdtx](?![\w'])")  # the column, in what is written instead
_OTHER = re.compile(r"(?<![\w'])(?:y|other)(?![\w'])")  # a second one
_UNITS = {"date", "year", "quarter", "month", "week", "day", "hour", "minute", "second"}


def marked(text: str, start: int, end: int) -> str:
    """Return a text with a place in it marked.

    Example:
        >>> marked("age >> 18", 5, 6)
        'age >»>« 18'
    """
    before, there, after = text[:start], text[start:end], text[end:]
    before = before if len(before) <= _AROUND else f"…{before[-_AROUND:]}"
    after = after if len(after) <= _AROUND else f"{after[:_AROUND]}…"
    there = there if len(there) <= _AROUND else f"{there[: _AROUND - 1]}…"
    return shown(f"{before}»{there}«{after}", 3 * _AROUND + 9)


def refused(
    text: str, start: int, end: int, what: str, *, why: str, fix: Fix, kind: str = NOT_READ
) -> InputError:
    """Return the error for a place of a text; `what` follows the marked text."""
    return InputError(f"{marked(text, start, end)}: {what}", kind=kind, why=why, fix=fix)


def two_meanings(text: str, part: Piece, without: str, with_them: str) -> InputError:
    """Return the error for a negation in an expression that is spelled as data frames are asked.

    Args:
        without: the same in SQL, where a missing cell makes it unknown.
        with_them: the same in pandas, where a missing cell makes it true.
    """
    return refused(
        text,
        part.start,
        part.end,
        "rows with a missing cell have two meanings here.",
        kind="expression-two-meanings",
        why="pandas counts them, as a missing cell is unlike every value; SQL and Polars do not",
        fix=f"write {without} without them, or {with_them} with them, in SQL's spelling throughout",
    )


def no_value(text: str, start: int, end: int, what: str) -> InputError:
    """Return the error for a number, a day or a moment that is none."""
    is_number = "number" in what
    why = "a day is one of the calendar, of the years 1 to 9999"
    fix = "write such as DATE '2026-11-03' or TIMESTAMP '2026-11-03 10:30:00'"
    if is_number:
        why, fix = "numbers are 0 or of a size from 1e-150 to 1e150", "write such as 1000.5 or 1e3"
    return refused(
        text, start, end, f"this is not {what}.", why=why, kind="expression-types", fix=fix
    )


def no_null(text: str, start: int, end: int) -> InputError:
    """Return the error for NULL where a value belongs."""
    return refused(
        text, start, end, "NULL is not a value to compare with.",
        why="no comparison with a missing cell is true",
        fix="write x IS NULL; behind THEN and ELSE it may stand",
    )  # fmt: skip


def too_many(text: str, start: int, end: int, what: str) -> InputError:
    """Return the error for an expression that is too long, or too deep."""
    is_deep = "deep" in what
    return refused(
        text, start, end, f"the expression {what}",
        why="engines limit how deep they read" if is_deep
        else "each part is worked out for each row",
        fix="derive columns for parts of it, and use their names" if is_deep
        else "write it shorter, with IN and band, or derive columns for parts of it",
    )  # fmt: skip


def two_casts(text: str, part: Piece, *, is_number: bool) -> InputError:
    """Return the error for a cast to whole numbers or to text that is made in several ways."""
    inner = part.args[0]
    said = text[inner.start : inner.end]
    what, fix = "a fraction becomes whole in several ways.", f"floor({said}) or trunc({said})"
    why = "2.5 is 2 or 3, and -2.5 is -3 or -2, as a language has it"
    if is_number:
        return refused(
            text, part.start, part.end, "there are several ways to write this as text.",
            kind="expression-two-meanings",
            why="1 is also written 1.0, and a day in as many ways as there are countries",
            fix=f"compare {said} itself, as in {said} = 1 or {said} = DATE '2026-11-03'",
        )  # fmt: skip
    return refused(
        text, part.start, part.end, what, kind="expression-two-meanings", why=why,
        fix=f"write round({said}), {fix}; or declare bounds with a whole step",
    )  # fmt: skip


def two_rests(text: str, part: Piece, *, is_fraction: bool) -> InputError:
    """Return the error for a rest, or a whole quotient, of numbers that may be below 0."""
    one, other = (text[of.start : of.end] for of in part.args)
    python, sql = (
        (f"{one} - {other} * {way}({one} / {other})" if part.op == "mod" else
         f"{way}({one} / {other})")
        for way in ("floor", "trunc")
    )  # fmt: skip
    why = (
        "-7 % 3 is 2 in Python and -1 in SQL, -7 // 3 is -3 or -2; nothing declared says that "
        "both sides are at least 0"
    )
    if is_fraction:
        why = "libraries differ in the last digit of a rest of fractions"
    return refused(
        text, part.start, part.end, "this has two meanings.", why=why,
        kind="expression-two-meanings",
        fix=f"write {python} as Python has it, {sql} as SQL has it"
        + ("" if is_fraction else "; or declare bounds from 0 on"),
    )  # fmt: skip


def no_list(text: str, start: int, end: int) -> InputError:
    """Return the error for IN without a list of values."""
    return refused(
        text,
        start,
        end,
        "IN takes a list of values.",
        why="what a row is compared with must be public",
        fix="list them, as in IN (1, 2) or IN ('a', 'b'); compare columns by = and OR",
    )


def unknown_function(text: str, start: int, end: int, known: str) -> InputError:
    """Return the error for a function that is not of the language."""
    name = text[start:end].lower()
    if name in OTHER_ROWS:
        why = f"{name} looks at other rows, so one row could move everybody's answer"
        fix = "compare with a public number, as in income > 30000"
        if name in _OF_ROW:
            columns = _SEVERAL.match(text[end:])
            among = shown(columns[1], 60) if columns else "x, y"
            fix += f"; among columns of one row write {_OF_ROW[name]}({among})"
        return refused(
            text, start, end, "this is not a question about one row.",
            kind="expression-other-rows", why=why, fix=fix,
        )  # fmt: skip
    if name in OUTSIDE:
        why = f"{name} looks beyond the row, so that its cells alone would not decide"
        return refused(
            text,
            start,
            end,
            "this does not look at the row.",
            kind="expression-function",
            why=why,
            fix="write a public value",
        )
    near = get_close_matches(name, known.split(", "), 1, _NEAR)
    fix = f"write {near[0]}, or use {known}" if near else f"use {known}"
    if name in _INSTEAD:
        fix = f"write {_instead(name, text[:start], text[end:])}"
    return refused(
        text,
        start,
        end,
        "there is no such function.",
        kind="expression-function",
        why="what engines answer differently, or fail on, is not in the language",
        fix=fix,
    )


def _instead(name: str, before: str, after: str) -> str:
    """Return what to type in the place of a function that is called so."""
    args = _arguments(after)
    if name == "iferror" and len(args) == 2:
        return f"coalesce({shown(', '.join(args), 100)}): x / 0 is missing here"
    written = next((text for text in _QUOTED.findall(after) if text in _FORMATS), "")
    is_day = name in _FORMATTED and written
    return _of_columns(_FORMATS[written] if is_day else _INSTEAD[name], before, after)


def _of_columns(line: str, before: str, after: str) -> str:
    """Return what to type, of what a function is called of, where that is told."""
    words = [word.strip("[@]") for word in _arguments(after)]
    own = [word for word in words if word and word.lower() not in _UNITS and word[0] not in _MARKS]
    if not own or before.endswith(".") or not own[0].isidentifier():
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


def no_order(text: str, part: Piece, kind: Kind) -> InputError:
    """Return the error for text, or truth values, that are to have an order."""
    written = next((line for piece in part.args if (line := _unquoted(piece))), None)
    return refused(
        text,
        part.start,
        part.end,
        f"{WORDS[kind]} has no order here.",
        kind="expression-types",
        why="engines order text in different ways; text is compared by = <> and IN",
        fix=written or "list the values, as in name IN ('a', 'b')",
    )


def mismatch(text: str, part: Piece, own: Kind, want: Kind) -> InputError:
    """Return the error for a part of one type in the place of another."""
    fix = "compare numbers with numbers, text with text in ' ', days with DATE '2026-11-03'"
    if want == "truth":
        fix = "compare it with a value, as in age >= 18"
        if part.op in ("number", "text"):
            fix += f"; one of several values is x IN (1, {part.value})"
    elif want == "number" and own in ("day", "moment"):
        fix = "count the days between with days(d, DATE '2026-11-03'), or take year(d)"
    elif want == "text" and part.op == "number":
        fix = f"write '{part.value}'"
    elif (written := _unquoted(part)) is not None:
        fix = written
    return refused(
        text,
        part.start,
        part.end,
        f"this is {WORDS[own]}, where {WORDS[want]} belongs.",
        kind="expression-types",
        why="there are no conversions: engines differ in each of them",
        fix=fix,
    )


def no_number(text: str, part: Piece, kind: Kind, value: str) -> InputError:
    """Return the error for a column of days, moments or text that is to be read as a number.

    Args:
        value: one of its public values, if it is text.
    """
    name = shown(part.value)
    fixes: dict[Kind, str] = {
        "day": f"DATE '2026-11-03', or make a number of it with year({name}) or days({name}); "
        f"days({name}, DATE '2026-11-03') counts days between",
        "moment": f"TIMESTAMP '2026-11-03 10:30:00', or make a number of it with hour({name})",
        "text": f"text, as in {name} = '{shown(value)}'",
    }
    return refused(
        text,
        part.start,
        part.end,
        f"this is {WORDS[kind]}, as {name} is declared, where a number belongs.",
        kind="expression-types",
        why="no cell of it would be a number, so that all would be missing",
        fix=f"compare it with {fixes[kind]}",
    )


def spells_number(text: str) -> bool:
    """Say whether a text may be read as a number."""
    word = text.strip().lower()
    if word in ("true", "false"):
        return True
    try:
        return number(word) is not None
    except ValueError:
        return False


def nothing_said(text: str, part: Piece, other: Piece | None = None) -> InputError:
    """Return the error for a part of which nothing says what it is.

    Args:
        other: what it is compared with.
    """
    name = shown(part.value) if part.op == "column" else "this"
    fix = "declare its bounds or its keys, or compare it with a number or a text"
    texts = [piece.value for piece in (part, *part.given()) if piece.op == "column"]
    if part.op == "case" and texts:
        fix = f"write '{shown(texts[0])}' if that is text, or declare its bounds or its keys"
    if other is not None and {part.op, other.op} == {"column"}:
        fix = f"write '{shown(other.value)}' if that is text, or declare bounds or keys of {name}"
    return refused(
        text,
        part.start,
        part.end,
        f"nothing says what {name} is.",
        kind="expression-column",
        why="a column is read as what it is compared with, or as what is declared of it",
        fix=fix,
    )


def no_column(text: str, part: Piece, other: Piece) -> InputError:
    """Return the error for a text that was written as the name of a column."""
    name = shown(part.value)
    return refused(
        text,
        part.start,
        part.end,
        f"this names a column, and {name} is a value of {_called_so(text, other)}.",
        kind="expression-column",
        why="SQL writes text in ' '; a word without them, or in \" \", is a column",
        fix=f"write '{name}'",
    )


def _called_so(text: str, part: Piece) -> str:
    return shown(part.value if part.op == "column" else text[part.start : part.end])


def no_text(text: str, part: Piece, column: str, kind: Kind, fix: str) -> InputError:
    """Return the error for a number or a day in quotation marks, beside a column of such."""
    return refused(
        text,
        part.start,
        part.end,
        f"this is text, and {shown(column)} is declared as {WORDS[kind]}.",
        kind="expression-types",
        why="cells that say it otherwise, or that are no text, would not be equal to it",
        fix=fix,
    )


def no_number_column(text: str, part: Piece) -> InputError:
    """Return the error for a number that was written as the name of a column."""
    name = shown(part.value)
    return refused(
        text,
        part.start,
        part.end,
        f"this names a column called {name}, of which nothing is declared.",
        kind="expression-column",
        why='what stands in " " is the name of a column, and a number stands alone',
        fix=f"write {name}; or declare bounds of that column",
    )


def _unquoted(part: Piece) -> str | None:
    """Return the advice to write the literal that a text was meant to be, if it looks like one."""
    return advice(part.value) if part.op == "text" else None
