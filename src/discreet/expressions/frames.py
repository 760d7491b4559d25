"""Methods of columns, as data frames in Python are asked: age.isin([1, 2]), born.dt.year.

Rules of this module:
- a method is the function of the same meaning, with the column as its first argument.
"""

from .kinds import Piece
from .reading import Reading
from .spellings import MODULES, MOST_COPIES, SPACES, cast_to, method
from .tokens import Token


def method_of(reader: Reading, found: Piece, start: int) -> Piece:
    """Read what a data frame is asked of a column, as the function that it is."""
    reader.is_framed = True
    is_space = reader.here.says(*SPACES) and reader.tokens[reader.place + 1].says(".")
    space = reader.take(*SPACES) if is_space else None
    if space is not None:
        reader.need(".")
    token = reader.here
    name = token.text.lower()
    if space is not None and not reader.is_call(reader.place):
        reader.spelled()
        return method(reader, token, [found])
    if not reader.is_call(reader.place):
        raise reader.wrong("a method")
    reader.place += 2
    if name in ("isin", "is_in"):
        return _is_in(reader, found, start)
    if name in ("astype", "cast"):
        found = cast_to(reader, found, type_of(reader), start)
        reader.need(")")
        return found
    before = reader.parts
    args = [found, *reader.arguments()]
    reader.parts += (reader.parts - before) * (MOST_COPIES - 1)
    return method(reader, token, args)


def _is_in(reader: Reading, found: Piece, start: int) -> Piece:
    closed = {"[": "]", "(": ")"}.get(reader.here.text, "")
    if not closed:
        raise reader.wrong("[")
    reader.place += 1
    listed = reader.arguments(closed)
    reader.need(")")
    return reader.part("in", [found, *listed], start)


def type_of(reader: Reading) -> Token:
    """Read the type of a cast; its last word decides."""
    token = reader.here
    if reader.here.text.lower() in MODULES and reader.tokens[reader.place + 1].says("."):
        reader.place += 2
        token = reader.here
    reader.spelled()
    if token.says("DOUBLE"):
        reader.take("PRECISION")
    if token.says("TIMESTAMP") and reader.take("WITHOUT"):
        reader.need("TIME")
        reader.need("ZONE")
    return token
