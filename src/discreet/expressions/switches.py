"""Values by cases, as spreadsheets, Oracle and R call them: IFS, SWITCH, DECODE, case_match.

Also rows of several columns that are compared with a list of such rows, and ranges of numbers.

Rules of this module:
- each becomes a CASE, or comparisons joined by AND and OR, with the value once in each of them;
- a missing cell is like no value, but in DECODE and case_match, which compare it with NULL.

Decision 136.
"""

from collections.abc import Sequence
from itertools import chain, dropwhile

from .ambiguous import no_range
from .choices import result_of
from .kinds import Piece
from .known import WHOLE
from .made_of import check_null
from .reading import Reading
from .refusals import refused
from .tokens import Token


def switched(reader: Reading, token: Token) -> Piece:
    """Read IFS(a, x, b, y), SWITCH(x, 1, 'm', 2, 'f', 'else') and DECODE, of pairs."""
    reader.place += 2
    before = reader.parts
    operand = [] if token.says("IFS") else [reader.whole()]
    again = reader.parts - before
    if operand:
        reader.need(",")
    args = reader.arguments(read=lambda: result_of(reader))
    if len(args) < 2:
        raise _not_read(reader, token)
    tests, values, last = args[0:-1:2], args[1::2], args[-1:] * (len(args) % 2)
    reader.parts += again * (len(tests) - 1)
    if operand:
        tests = [_like(reader, operand[0], test, is_null=token.says("DECODE")) for test in tests]
    elif last:
        raise _not_read(reader, token)
    elif len(tests) > 1 and (tests[-1].op, tests[-1].value) == ("truth", "TRUE"):
        tests, last = tests[:-1], [values.pop()]
    return _case(reader, token, tests, values, last)


def matched(reader: Reading, token: Token) -> Piece:
    """Read case_match(x, 1 ~ 'm', c(2, 3) ~ 'f', .default = 'other') of R."""
    reader.is_framed = True
    reader.place += 2
    before, operand = reader.parts, reader.whole()
    again = reader.parts - before
    tests, values, last = list[Piece](), list[Piece](), list[Piece]()
    while reader.take(","):
        if reader.take("."):
            reader.need("DEFAULT")
            reader.need("=")
            last = [result_of(reader)]
            break
        start = reader.here.start
        if reader.here.says("C") and reader.is_call(reader.place):
            reader.place += 2
            tests.append(reader.part("in", [operand, *reader.arguments()], start))
        else:
            tests.append(_like(reader, operand, result_of(reader), is_null=True))
        reader.parts += again * (len(tests) > 1)
        reader.need("~")
        values.append(result_of(reader))
    reader.need(")")
    return _case(reader, token, tests, values, last)


def _like(reader: Reading, operand: Piece, test: Piece, *, is_null: bool) -> Piece:
    if test.op == "null" and is_null:
        return reader.part("is_null", [operand], test.start)
    check_null(reader, [test])
    return reader.part("=", [operand, test], test.start)


def _case(
    reader: Reading, token: Token, tests: list[Piece], values: list[Piece], last: list[Piece]
) -> Piece:
    if not tests or all(value.op == "null" for value in [*values, *last]):
        raise _not_read(reader, token)
    pairs = chain.from_iterable(zip(tests, values, strict=True))
    return reader.part("case", [*pairs, *last], token.start)


def _not_read(reader: Reading, token: Token) -> Exception:
    return refused(
        reader.text, token.start, token.end, "this is not understood.",
        why="values are given in pairs, one of them at least is no NULL",
        fix="write CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'old' END",
    )  # fmt: skip


def is_row(reader: Reading) -> bool:
    """Say whether several columns are compared at once: (a, b) IN ((1, 2), (3, 4))."""
    behind = [*dropwhile(lambda token: not token.says(")"), reader.tokens[reader.place :])][1:4]
    signs = [token for token in behind if not token.says("NOT")][:2]
    return len(signs) == 2 and signs[0].says("IN", "=") and signs[1].says("(")


def rows_in(reader: Reading, first: Piece, start: int) -> Piece:
    """Read (a, b) IN ((1, 2), (3, 4)), of which the first part of the first row was read."""
    before = reader.parts
    columns = [first]
    while reader.take(","):
        columns.append(reader.whole())
    reader.need(")")
    negative = reader.take("NOT") is not None
    if reader.take("="):
        found = _row(reader, columns, start)
    else:
        reader.need("IN")
        reader.need("(")
        rows = [_row(reader, columns, start)]
        while reader.take(","):
            reader.parts += reader.parts - before if len(rows) == 1 else 0
            rows.append(_row(reader, columns, start))
            reader.parts += sum(map(_size, columns))
        reader.need(")")
        found = rows[0] if len(rows) == 1 else reader.part("or", rows, start)
    return reader.part("not", [found], start) if negative else found


def _size(part: Piece) -> int:
    return 1 + sum(map(_size, part.args))


def _row(reader: Reading, columns: Sequence[Piece], start: int) -> Piece:
    reader.need("(")
    values = reader.arguments()
    if len(values) != len(columns):
        raise refused(
            reader.text, start, reader.tokens[reader.place - 1].end,
            f"{len(columns)} columns are compared with {len(values)} values.",
            why="rows are alike where each of their columns is",
            fix="write as many values as columns, as in (state, sex) IN (('MA', 1), ('NY', 2))",
        )  # fmt: skip
    pairs = zip(columns, values, strict=True)
    return reader.part("and", [reader.part("=", pair, start) for pair in pairs], start)


def ranged(reader: Reading, part: Piece, negative: Token | None, start: int) -> Piece:
    """Read 6:8 and seq(6, 8) of R or range(6, 9) of Python behind IN: a range of whole numbers."""
    call = reader.take("RANGE", "SEQ")
    if call:
        reader.need("(")
    low = whole_number(reader)
    reader.need("," if call else ":")
    high = upper_end(reader, low) - bool(call and call.says("RANGE"))
    if call:
        if call.says("SEQ") and reader.take(","):  # exact: step
            if reader.take("BY"):
                reader.need("=")
            _check_step(reader)
        reader.need(")")
    if part.op not in WHOLE:
        raise no_range(reader, part, (low, high), negative)
    ends = [reader.part("number", [], start, str(end)) for end in (low, high)]
    return reader.part("between", [part, *ends], start)


def upper_end(reader: Reading, low: int) -> int:
    """Read the upper end of a range: to a lower one R counts down, and Python has no number."""
    start, high = reader.here, whole_number(reader)
    if high < low:
        raise refused(
            reader.text, start.start, start.end, "this range counts down.",
            why="R has its numbers then, and Python has none",
            fix=f"write {high}:{low}, with the lower end first",
        )  # fmt: skip
    return high


def _check_step(reader: Reading) -> None:
    step = reader.here
    if whole_number(reader) != 1:
        raise refused(
            reader.text, step.start, step.end, "a range has all its whole numbers here.",
            why="a list shows which numbers a step leaves out",
            fix="list them, as in x IN (8, 10, 12)",
        )  # fmt: skip


def whole_number(reader: Reading) -> int:
    """Read a whole number."""
    token = reader.here
    if token.kind != "number" or not token.text.isdecimal():
        raise reader.wrong("a whole number")
    reader.place += 1
    return int(token.text)
