"""The refusals of the language, each with its reason, and the place in the text marked.

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

NOT_READ = "expression-not-read"  # the kind of error where no other fits
_TRUTHS = {"0": "FALSE", "1": "TRUE"}
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
_SEVERAL = re.compile(r"\(([^()]*,[^()]*)\)")  # arguments


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
    if "spreadsheet" in what:
        year, *rest = re.findall(r"\d+", text[start:end])
        full = f"DATE({', '.join([str(int(year) + 1900), *rest])})"
        why, fix = "it adds 1900 to a year below 1900", f"write the year in full: {full}"
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
        columns = _SEVERAL.match(text[end:])
        among = shown(columns[1], 60) if columns else "x, y"
        if name in _OF_ROW:
            fix += f"; among columns of one row write {_OF_ROW[name]}({among})"
        if name == "sum" and columns:
            fix += f"; of columns of one row write {' + '.join(re.split(', *', among))}"
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
    from .instead import instead  # only where it is needed

    if (line := instead(name, text[:start], text[end:])) is not None:
        fix = f"write {line}"
    return refused(
        text,
        start,
        end,
        "there is no such function.",
        kind="expression-function",
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
        kind="expression-types",
        why="engines order text in different ways; text is compared by = <> and IN",
        fix=written or "list the values, as in name IN ('a', 'b')",
    )


def mismatch(text: str, part: Piece, own: Kind, want: Kind) -> InputError:
    """Return the error for a part of one type in the place of another."""
    fix = "compare numbers with numbers, text with text in ' ', days with DATE '2026-11-03'"
    if want == "truth":
        fix = "compare it with a value, as in age >= 18"
        if part.value in _TRUTHS and text[: part.start].rstrip()[-1:] in ("=", ">"):
            fix = f"write {_TRUTHS[part.value]} in its place, or the condition alone"
        elif part.op in ("number", "text"):
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
