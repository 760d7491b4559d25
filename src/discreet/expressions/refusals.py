"""What the language refuses, each with its reason, and the place in the text marked.

Rules of this module:
- an expression was typed by the caller, so it may be quoted; no data is known here.
"""

from ..errors import InputError, shown
from ..fix import Fix

_AROUND = 30  # letters shown before and behind the place

OTHER_ROWS = {
    *("avg", "count", "max", "median", "min", "mode", "quantile", "quantile_cont", "rank"),
    *("row_number", "stddev", "stddev_pop", "sum", "variance", "var_pop", "first", "last"),
    *("lag", "lead", "any_value", "string_agg", "listagg", "array_agg"),
    *("approx_count_distinct", "dense_rank", "ntile", "percent_rank", "bool_and", "bool_or"),
    *("every", "corr", "covar_pop", "regr_slope"),
}
OUTSIDE = {
    *("random", "rand", "now", "today", "current_date", "current_timestamp", "getenv"),
    *("uuid", "gen_random_uuid", "nextval", "pg_sleep", "sleep", "read_text", "read_csv"),
    *("read_blob", "read_parquet", "glob", "pg_read_file", "current_user", "current_setting"),
    *("set_config", "rowid", "ctid", "error", "version"),
}
_INSTEAD = {
    "ceil": "-floor(-x)",
    "ceiling": "-floor(-x)",
    "cast": "the column itself: it is read as what it is compared with",
    "date_part": "year(d), month(d), day(d) or weekday(d)",
    "extract": "year(d), month(d), day(d) or weekday(d)",
    "if": "CASE WHEN ... THEN ... ELSE ... END",
    "iff": "CASE WHEN ... THEN ... ELSE ... END",
    "ifnull": "coalesce(x, ...)",
    "isnull": "x IS NULL",
    "ln": "log2(x)",
    "log": "log2(x) or log10(x)",
    "lower": "IN with each way to write it",
    "nullif": "CASE WHEN x <> ... THEN x END",
    "nvl": "coalesce(x, ...)",
    "pow": "x * x",
    "power": "x * x",
    "trunc": "floor(x)",
    "try_cast": "the column itself: it is read as what it is compared with",
    "upper": "IN with each way to write it",
}


_PATTERNS = ("like", "ilike", "similar", "regexp", "rlike", "glob")


def marked(text: str, start: int, end: int) -> str:
    """Return a text with a place in it marked.

    Example:
        >>> marked("age >> 18", 5, 6)
        'age >»>« 18'
    """
    before, there, after = text[:start], text[start:end], text[end:]
    before = before if len(before) <= _AROUND else f"…{before[-_AROUND:]}"
    after = after if len(after) <= _AROUND else f"{after[:_AROUND]}…"
    return shown(f"{before}»{there[:_AROUND]}«{after}", 3 * _AROUND + 9)


def refused(text: str, start: int, end: int, what: str, *, why: str, fix: Fix) -> InputError:
    """Return the error for a place of a text; `what` follows the marked text."""
    return InputError(f"{marked(text, start, end)}: {what}", why=why, fix=fix)


def unexpected(text: str, start: int, end: int, wanted: str) -> InputError:
    """Return the error for a word or a sign that cannot stand where it does."""
    is_end = start >= len(text)
    there = "the end" if is_end else shown(text[start:end], _AROUND)
    if there.lower() in _PATTERNS:
        return refused(
            text,
            start,
            end,
            "patterns are not of the language.",
            why="engines differ in what they escape, and in which letters are alike",
            fix="write starts_with(name, 'a') or contains(name, 'a')",
        )
    return refused(
        text,
        start,
        end,
        f"{wanted} belongs here, not {there}.",
        why="an expression says something of one row: comparisons, AND, OR, NOT, CASE, + - * / and "
        "the functions of docs/rows.md",
        fix="write what is missing at the mark" if is_end else "write the marked place otherwise",
    )


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
        return refused(text, start, end, "this is not a question about one row.", why=why, fix=fix)
    if name in OUTSIDE:
        why = f"{name} looks beyond the row, so that its cells alone would not decide"
        return refused(
            text, start, end, "this does not look at the row.", why=why, fix="write a public value"
        )
    fix = f"write {_INSTEAD[name]}" if name in _INSTEAD else f"use {known}"
    return refused(
        text,
        start,
        end,
        "there is no such function.",
        why="what engines answer differently, or fail on, is not in the language",
        fix=fix,
    )
