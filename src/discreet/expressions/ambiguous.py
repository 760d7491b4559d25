"""Forms that two languages read in two ways: each error types a line for one of them.

Rules of this module:
- a line that is typed is made of what stands in the text, so that it can be copied.
"""

import re
from collections.abc import Sequence

from ..errors import InputError, shown
from .kinds import Piece
from .literals import named_day
from .reading import Making, Reading
from .refusals import refused
from .tokens import Token

_OF_SAS = re.compile(
    r"([0-9]{1,2})[- /]?([A-Za-z]{3})[- /]?([0-9]{4})(?:[: ]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?))?\Z",
    re.ASCII,
)


def no_range(
    make: Making, part: Piece, ends: tuple[int, int], negative: Token | None
) -> InputError:
    """Return the error for IN with a range, 18:64 or range(18, 65), which stands behind a part."""
    typed = make.text[part.start : part.end]
    no = "NOT " if negative else ""
    low, high = ends
    return refused(
        make.text,
        part.start,
        part.end,
        "this compares it with a range of whole numbers.",
        why="18.5 is none of them, and lies between its ends",
        fix=f"write {typed} {no}BETWEEN {low} AND {high} with its ends; floor({typed}) = {typed} "
        "beside it leaves fractions out",
    )


def no_ranges(
    make: Making, part: Piece, some: Sequence[Piece], negative: Token | None
) -> InputError:
    """Return the error for ranges of whole numbers in a list, behind what may be a fraction."""
    typed, first = make.text[part.start : part.end], some[0]
    alone = [make.text[entry.start : entry.end] for entry in some if entry.op != "range"]
    ranges = [entry.value.split(":") for entry in some if entry.op == "range"]
    asked = [f"{typed} BETWEEN {low} AND {high}" for low, high in ranges]
    asked += [f"{typed} IN ({', '.join(alone)})"] * bool(alone)
    line = " OR ".join(asked)
    line = f"NOT ({line})" if negative else line
    return refused(
        make.text, first.start, some[-1].end, "this compares it with ranges of whole numbers.",
        why="18.5 is none of them, and lies between their ends",
        fix=f"write {shown(line, 200)}",
    )  # fmt: skip


def open_ends(
    make: Making, part: Piece, ends: Sequence[Piece], *, of_all: bool = False
) -> InputError:
    """Return the error for ends of a range that may be missing, with a line for each meaning.

    Args:
        make: the reader.
        part: the left side.
        ends: the lower and the upper one.
        of_all: whether data.table looks at the ends of all rows.
    """
    typed, *texts = (make.text[piece.start : piece.end] for piece in (part, *ends))
    asked = list[str]()
    for sign, end, text in zip((">=", "<="), ends, texts, strict=True):
        is_sure = end.op in ("number", "text", "date", "timestamp", "neg")
        if end.op != "null":
            asked.append(f"{typed} {sign} {text}" if is_sure
                         else f"({text} IS NULL OR {typed} {sign} {text})")  # fmt: skip
    fix = f"write {' AND '.join(asked) or f'{typed} IS NOT NULL'}"
    if all(end.op != "null" for end in ends):
        fix = f"write {typed} BETWEEN {' AND '.join(texts)}, or with missing ends " + fix[6:]
    return refused(
        make.text, ends[0].start, ends[1].end, "an end that is missing has two meanings.",
        kind="expression-two-meanings",
        why="data.table and Stata take it as open; in SQL such a row does not count"
        + "; and data.table's inrange looks at the ends of all rows" * of_all,
        fix=fix,
    )  # fmt: skip


def binds_first(reader: Reading, start: int, place: int) -> InputError:
    """Return the error for %in% and its like behind + - * / of R, where they bind before these.

    Args:
        reader: the reader, at a left side without parentheses.
        start: of the left side.
        place: of the sign among the words.
    """
    sign, end, depth = reader.tokens[place], place + 1, 0
    if reader.tokens[end + 1].says("("):
        end += 1
    while end < len(reader.tokens) - 1:
        depth += reader.tokens[end].says("(") - reader.tokens[end].says(")")
        if depth <= 0:
            break
        end += 1
    if end < len(reader.tokens) - 2 and reader.tokens[end + 1].says(":"):
        end += 2
    text, last = reader.text, reader.sum[1]
    right = text[sign.start : reader.tokens[end].end]
    whole = f"({text[start : sign.start].rstrip()}) {right}"
    of_r = f"{text[start:last]}({text[last : sign.start].rstrip()} {right})"
    return refused(
        text, start, sign.end, "R binds this in another way.",
        kind="expression-two-meanings",
        why=f"in R {sign.text} binds before * / + -: it reads {shown(of_r, 100)}",
        fix=f"write {shown(whole, 100)}, or {shown(of_r, 100)} where that is meant",
    )  # fmt: skip


def no_day_of_sas(text: str, token: Token, behind: Token) -> InputError:
    """Return the error for a text with d, dt or t of SAS behind it that is no day of a year."""
    said = token.text[1:-1]
    match = _OF_SAS.match(said)
    day = named_day("".join(match.groups()[:3])) if match else None
    time = match[4] if match else None
    fix = f"write DATE '{day or '1990-01-01'}'"
    if behind.says("DT", "T"):
        fix = f"write TIMESTAMP '{day or '1990-01-01'} {time or '10:30:00'}'"
    return refused(
        text, token.start, behind.end, "this is no day.",
        why="a day of SAS is taken as it is in '01JAN1990'd: of the calendar, its year in full",
        fix=fix,
    )  # fmt: skip


def no_package(make: Making, part: Piece, token: Token, start: int) -> InputError:
    """Return the error for a function of a package of R that is not known here: one::two(x)."""
    return refused(
        make.text, start, token.end, "this package of R is not known.", kind="expression-function",
        why="its functions may mean something else than those that are called so here",
        fix=f"write {token.text} alone, without {part.value}::, where that is a function of "
        "docs/rows.md",
    )  # fmt: skip


def bits_first(text: str, part: Piece) -> InputError:
    """Return the error for a comparison beside `&` or `|` that stands in no parentheses."""
    sign = "&" if part.op == "and" else "|"
    return refused(
        text,
        part.start,
        part.end,
        "Python would join these before it compares.",
        why="& and | bind before = and >=, and in SQL they are operations on bits",
        fix=f"write {part.op.upper()} in the place of {sign}, or each condition in parentheses, as "
        f"in (age >= 18) {sign} (sex = 1)",
    )


def not_first(text: str, sign: Token, here: Token) -> InputError:
    """Return the error for a comparison behind `!` and a part that stands in no parentheses."""
    return refused(
        text,
        sign.start,
        here.end,
        "this has two meanings.",
        kind="expression-two-meanings",
        why="R and Spark compare before they negate, C, Stata and MySQL negate first",
        fix="write NOT, or the parentheses, as in !(age >= 18)",
    )


def two_powers(text: str, one: Token, other: Token) -> InputError:
    """Return the error for a power beside another, or behind a sign."""
    return refused(
        text,
        one.start,
        other.end,
        "this has two meanings.",
        kind="expression-two-meanings",
        why="-2 ** 2 is -4 in Python and 4 in SQL; 2 ** 3 ** 2 is 512 there and 64 here",
        fix="write the parentheses, as in -(x ** 2) or (-x) ** 2, (x ** 3) ** 2 or x ** 6",
    )


def two_slices(make: Making, name: str, low: int, high: int, end: int) -> InputError:
    """Return the error for letters from a place on, in brackets: x[1:3]."""
    start = end - len(name)
    return refused(
        make.text, start, end, "this has two meanings.",
        kind="expression-two-meanings",
        why="Python counts letters from 0 and leaves the last place out, DuckDB from 1 with it",
        fix=f"write substr({name}, {low + 1}, {high - low}) as Python has it, "
        f"substr({name}, {max(low, 1)}, {high - max(low, 1) + 1}) as DuckDB has it",
    )  # fmt: skip


def joined_texts(text: str, sign: Token) -> InputError:
    """Return the error for & in a formula of a spreadsheet, where it joins texts."""
    return refused(
        text, sign.start, sign.end, "this joins texts in a spreadsheet.",
        why="texts are not joined here: two columns are compared, or grouped by, one by one",
        fix="write AND(state = 'MA', city = 'Boston'), a condition on each column",
    )  # fmt: skip


def two_searches(text: str, token: Token, name: str, sought: str) -> InputError:
    """Return the error for a pattern of letters, which some match with a part, some with the whole.

    Args:
        text: the expression.
        token: the word or sign that searches.
        name: the part that is searched.
        sought: the pattern, letters alone or ^ and letters.
    """
    letters = sought.removeprefix("^").replace("'", "''")
    part = "contains" if letters == sought.replace("'", "''") else "starts_with"
    return refused(
        text, token.start, token.end, "this has two meanings.",
        kind="expression-two-meanings",
        why="Postgres and Spark look for a pattern anywhere, DuckDB and Snowflake match the whole",
        fix=f"write {part}({name}, '{letters}') as Postgres and Spark have it, "
        f"{name} = '{letters}' "
        "as DuckDB and Snowflake have it",
    )  # fmt: skip


def no_blank(make: Making, part: Piece, empty: Piece, op: str) -> InputError:
    """Return the error for a cell that a formula compares with "", which a blank cell is, too."""
    typed = make.text[part.start : part.end]
    missing = f"ISBLANK({typed})" if op == "=" else f"NOT(ISBLANK({typed}))"
    return refused(
        make.text, part.start, empty.end, "this has two meanings.",
        kind="expression-two-meanings",
        why="in a spreadsheet a blank cell is equal to the empty text, and here it is missing",
        fix=f"write {missing} of missing cells, length({typed}) {op} 0 of texts without a letter",
    )  # fmt: skip


def no_name(text: str, token: Token) -> InputError:
    """Return the error for two double quotation marks, which are the name of a column in SQL."""
    return refused(
        text, token.start, token.end, "a column has a name.",
        why="in SQL \" \" are marks of names, and ' ' those of texts",
        fix="write '' for the empty text; a missing cell is x IS NULL",
    )  # fmt: skip


def no_weekday(text: str, token: Token, said: str) -> InputError:
    """Return the error for a day of the week that languages count in several ways."""
    return refused(
        text,
        token.start,
        token.end,
        "this counts days of the week in several ways.",
        kind="expression-two-meanings",
        why="Sunday is 0, 1, 6 or 7, as a language has it",
        fix=f"write weekday({said}): Monday is 1, Sunday 7; weekday({said}) - 1: Monday is 0",
    )
