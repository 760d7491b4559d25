"""Functions that formulas of spreadsheets mean so: INT, FLOOR with a step, ROUNDDOWN, ISNUMBER.

Rules of this module:
- they are read so in a formula alone; elsewhere INT cuts, and FLOOR takes places.

Decision 144.
"""

from collections.abc import Sequence

from ..errors import shown
from .kinds import Piece
from .made_of import check_null, days_between
from .reading import Reading
from .refusals import refused
from .spellings import called
from .tokens import Token

OF_SHEETS = ("int", "floor", "ceiling", "rounddown", "days")
_WHOLE = {"floor": "floor", "ceiling": "ceil"}


def of_sheet(reader: Reading, token: Token, name: str, args: Sequence[Piece]) -> Piece:
    """Return what a formula means by a function; of other arguments what all mean by it."""
    check_null(reader, args)
    number = args[1].value if len(args) == 2 and args[1].op == "number" else ""
    if name == "int" and len(args) == 1:
        return reader.part("floor", args, token.start)
    if name == "days" and len(args) == 2 and args[1].op not in ("date", "timestamp"):
        return days_between(reader, args, token.start)
    if name == "rounddown" and number == "0":
        return reader.part("trunc", args[:1], token.start)
    if name in _WHOLE and number and number != "0":
        steps = reader.part("/", args, token.start)
        whole = reader.part(_WHOLE[name], [steps], token.start)
        return reader.part("*", [whole, args[1]], token.start)
    return called(reader, token, name, args)


def is_number(reader: Reading, token: Token) -> Piece:
    """Read ISNUMBER(FIND("a", s)), whether a text is in another; refuse it of other numbers."""
    is_found = reader.tokens[reader.place + 2].says("FIND", "SEARCH") and reader.is_call(
        reader.place + 2
    )
    if not is_found:
        raise refused(
            reader.text, token.start, token.end, "there is no such function.",
            kind="expression-function", why="a cell that is no number is missing here",
            fix="write x IS NOT NULL or x IS NULL",
        )  # fmt: skip
    is_any = reader.tokens[reader.place + 2].says("SEARCH")
    reader.place += 4
    args = reader.arguments()
    reader.need(")")
    if len(args) != 2 or args[0].op != "text":
        raise reader.wrong("a text in quotation marks, and the column it is looked for in")
    if is_any:
        cell, letters = reader.text[args[1].start : args[1].end], args[0].value.lower()
        raise refused(
            reader.text, token.start, args[1].end, "SEARCH takes letters of either case.",
            why="engines differ in which letters are alike",
            fix=f"write contains(lower({cell}), '{shown(letters)}')",
        )  # fmt: skip
    return reader.part("contains", [args[1], args[0]], token.start)
