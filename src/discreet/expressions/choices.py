"""What a row is given by its case: CASE and NULLIF, and NULL where a branch gives nothing.

Rules of this module:
- a value that is compared with several is worked out as often, and its parts are counted so.
"""

from .kinds import Piece
from .reading import Reading
from .refusals import refused
from .tokens import Token

_MISSING = ("NA", "NA_REAL_", "NA_INTEGER_", "NA_CHARACTER_")  # of R


def null_if(reader: Reading, token: Token) -> Piece:
    """Read NULLIF(x, y): missing where x = y, else x."""
    reader.place += 2
    before = reader.parts
    both = reader.part("nullif", reader.arguments(), token.start)
    reader.parts += reader.parts - before  # the value is worked out twice
    if len(both.args) != 2:
        raise refused(
            reader.text,
            both.start,
            both.end,
            f"nullif was given {len(both.args)} argument(s).",
            why="it takes 2: a value, and the one that counts as missing",
            fix="write such as nullif(x, -9)",
        )
    same = reader.part("=", both.args, token.start)
    return reader.part("case", [same, _null(reader, token.start), both.args[0]], token.start)


def absent(reader: Reading) -> Piece | None:
    """Read None before if, which gives nothing; None where another part begins."""
    return _null(reader, reader.need("NONE").start) if _before_if(reader) else None


def _before_if(reader: Reading) -> bool:
    return reader.here.says("NONE") and reader.tokens[reader.place + 1].says("IF")


def conditional(reader: Reading, piece: Piece) -> Piece:
    """Read x if a else y of Python, of which x was read: what is unknown gives y there, too."""
    reader.place += 1
    test = reader.whole()
    reader.need("ELSE")
    return _with_value(reader, reader.part("case", [test, piece, result_of(reader)], piece.start))


def case_of(reader: Reading, token: Token) -> Piece:
    """Read CASE, with a value that is compared or without one."""
    reader.place += 1
    before = reader.parts
    operand = None if reader.here.says("WHEN") else reader.whole()
    again = reader.parts - before  # the parts that each comparison has once more
    args: list[Piece] = []
    while reader.take("WHEN"):
        start, test = reader.here.start, reader.whole()
        reader.parts += again
        args.append(test if operand is None else reader.part("=", [operand, test], start))
        reader.need("THEN")
        args.append(result_of(reader))
    if not args:
        raise reader.wrong("WHEN")
    if reader.take("ELSE"):
        args.append(result_of(reader))
    reader.need("END")
    return _with_value(reader, reader.part("case", args, token.start))


def _with_value(reader: Reading, found: Piece) -> Piece:
    """Refuse a choice of which no branch has a value."""
    if all(one.op == "null" for one in found.given()):
        raise refused(
            reader.text,
            found.start,
            found.end,
            "each branch gives NULL.",
            why="a column without a value has no type",
            fix="write a value behind one THEN or ELSE",
        )
    return found


def result_of(reader: Reading) -> Piece:
    """Read what a branch of CASE gives: a value, or NULL for a missing one, NA in R."""
    if _before_if(reader):
        return reader.whole()
    token = reader.take("NULL", "NONE", *(_MISSING if reader.is_r else ()))
    return reader.whole() if token is None else _null(reader, token.start)


def _null(reader: Reading, start: int) -> Piece:
    return reader.part("null", [], start, "NULL")
