"""Forms that two languages read in two ways: each error types a line for one of them.

Rules of this module:
- a line that is typed is made of what stands in the text, so that it can be copied.
"""

from collections.abc import Sequence

from ..errors import InputError, shown
from .kinds import Piece
from .reading import Making
from .refusals import refused
from .tokens import Token


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


def no_ranges(make: Making, part: Piece, some: Sequence[Piece]) -> InputError:
    """Return the error for ranges of whole numbers in a list, behind what may be a fraction."""
    typed, first = make.text[part.start : part.end], some[0]
    alone = [make.text[entry.start : entry.end] for entry in some if entry.op != "range"]
    ranges = [entry.value.split(":") for entry in some if entry.op == "range"]
    asked = [f"{typed} BETWEEN {low} AND {high}" for low, high in ranges]
    asked += [f"{typed} IN ({', '.join(alone)})"] * bool(alone)
    return refused(
        make.text, first.start, some[-1].end, "this compares it with ranges of whole numbers.",
        why="18.5 is none of them, and lies between their ends",
        fix=f"write {shown(' OR '.join(asked), 200)}",
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
