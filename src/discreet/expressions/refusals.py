"""What the language refuses, each with its reason, and the place in the text marked.

Rules of this module:
- an expression was typed by the caller, so it may be quoted; no data is known here.
"""

from ..errors import InputError, shown
from ..fix import Fix
from .as_written import advice
from .kinds import WORDS, Kind, Piece
from .literals import number

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
    *("current_time", "localtime", "localtimestamp", "session_user"),
    *("uuid", "gen_random_uuid", "nextval", "pg_sleep", "sleep", "read_text", "read_csv"),
    *("read_blob", "read_parquet", "glob", "pg_read_file", "current_user", "current_setting"),
    *("set_config", "rowid", "ctid", "error", "version"),
}
_OF_ROW = {"min": "least(x, y)", "max": "greatest(x, y)"}
_INSTEAD = {
    **dict.fromkeys(
        ("date_trunc", "strftime", "to_char", "date_format"), "year(d), month(d) or day(d)"
    ),
    **dict.fromkeys(("date_diff", "datediff", "date_sub", "age"), "days(d, DATE '2026-11-03')"),
    **dict.fromkeys(("dayofweek", "dow", "isodow"), "weekday(d)"),
    **dict.fromkeys(("to_date", "make_date", "date", "str_to_date"), "DATE '2026-11-03'"),
    **dict.fromkeys(("to_timestamp", "timestamp"), "TIMESTAMP '2026-11-03 10:30:00'"),
    **dict.fromkeys(("concat", "concat_ws"), "a condition on each column, joined by AND"),
    **dict.fromkeys(("trim", "ltrim", "rtrim", "replace"), "IN with each way to write it"),
    **dict.fromkeys(
        ("exists", "any", "all", "some"), "a public value or a list: there are no sub-queries"
    ),
    "decode": "CASE WHEN ... THEN ... ELSE ... END",
    "iif": "CASE WHEN ... THEN ... ELSE ... END",
    "length": "s <> '' where no text is empty, or compare it with the texts that are meant",
    "sign": "CASE WHEN x > 0 THEN 1 WHEN x < 0 THEN -1 ELSE 0 END",
    "sqrt": "the other side times itself, as in x > 4 in the place of sqrt(x) > 2",
    **dict.fromkeys(("epoch", "unix_timestamp"), "seconds(t)"),
    **dict.fromkeys(("left", "substr", "substring", "startswith"), "starts_with(s, 'a')"),
    **dict.fromkeys(("position", "strpos", "instr", "regexp_matches"), "contains(s, 'a')"),
    **dict.fromkeys(("isna", "isnan"), "x IS NULL"),
    "mod": "x - n * floor(x / n)",
    "ceil": "-floor(-x)",
    "ceiling": "-floor(-x)",
    "cast": "the column itself: it is read as what it is compared with",
    "date_part": "year(d), month(d), day(d) or weekday(d)",
    "extract": "year(d), month(d), day(d) or weekday(d)",
    "if": "CASE WHEN ... THEN ... ELSE ... END",
    "iff": "CASE WHEN ... THEN ... ELSE ... END",
    "ifnull": "coalesce(x, ...)",
    "isnull": "x IS NULL",
    "ln": "log2(x) * 0.6931471805599453",
    "log": "log2(x) or log10(x)",
    "lower": "IN with each way to write it",
    "nvl": "coalesce(x, ...)",
    "pow": "x * x",
    "power": "x * x",
    "trunc": "floor(x)",
    "try_cast": "the column itself: it is read as what it is compared with",
    "upper": "IN with each way to write it",
}


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


def refused(text: str, start: int, end: int, what: str, *, why: str, fix: Fix) -> InputError:
    """Return the error for a place of a text; `what` follows the marked text."""
    return InputError(f"{marked(text, start, end)}: {what}", why=why, fix=fix)


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
            fix += f"; among columns of one row write {_OF_ROW[name]}"
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


def no_order(text: str, part: Piece, kind: Kind) -> InputError:
    """Return the error for text, or truth values, that are to have an order."""
    written = next((line for piece in part.args if (line := _unquoted(piece))), None)
    return refused(
        text,
        part.start,
        part.end,
        f"{WORDS[kind]} has no order here.",
        why="engines order text in different ways; text is compared by = <> and IN",
        fix=written or "list the values, as in name IN ('a', 'b')",
    )


def mismatch(text: str, part: Piece, own: Kind, want: Kind) -> InputError:
    """Return the error for a part of one type in the place of another."""
    fix = "compare numbers with numbers, text with text in ' ', days with DATE '2026-11-03'"
    if want == "truth":
        fix = "compare it with a value, as in age >= 18"
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
        "day": f"DATE '2026-11-03', or make a number of it with year({name}) or days({name})",
        "moment": f"TIMESTAMP '2026-11-03 10:30:00', or make a number of it with hour({name})",
        "text": f"text, as in {name} = '{shown(value)}'",
    }
    return refused(
        text,
        part.start,
        part.end,
        f"this is {WORDS[kind]}, as {name} is declared, where a number belongs.",
        why="no cell of it would be a number, so that all would be missing",
        fix=f"compare it with {fixes[kind]}",
    )


def spells_number(text: str) -> bool:
    """Say whether a text may be read as a number."""
    said = text.strip().lower()
    if said in ("true", "false"):
        return True
    try:
        return number(said) is not None
    except ValueError:
        return False


def nothing_said(text: str, part: Piece, other: Piece | None = None) -> InputError:
    """Return the error for a part of which nothing says what it is.

    Args:
        other: what it is compared with.
    """
    name = shown(part.value) if part.op == "column" else "this"
    fix = "declare its bounds or its keys, or compare it with a number or a text"
    if other is not None and {part.op, other.op} == {"column"}:
        fix = f"write '{shown(other.value)}' if that is text, or declare bounds or keys of {name}"
    return refused(
        text,
        part.start,
        part.end,
        f"nothing says what {name} is.",
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
        f"this names a column, and {name} is a value of {shown(other.value)}.",
        why="SQL writes text in ' '; a word without them, or in \" \", is a column",
        fix=f"write '{name}'",
    )


def no_text(text: str, part: Piece, column: str, kind: Kind, fix: str) -> InputError:
    """Return the error for a number or a day in quotation marks, beside a column of such."""
    return refused(
        text,
        part.start,
        part.end,
        f"this is text, and {shown(column)} is declared as {WORDS[kind]}.",
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
        why='what stands in " " is the name of a column, and a number stands alone',
        fix=f"write {name}; or declare bounds of that column",
    )


def _unquoted(part: Piece) -> str | None:
    """Return the advice to write the literal that a text was meant to be, if it looks like one."""
    return advice(part.value) if part.op == "text" else None
