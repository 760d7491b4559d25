"""Patterns behind LIKE, RLIKE, REGEXP and ~; and lists behind IN, ANY and ALL.

Rules of this module:
- a pattern is taken where it has one meaning everywhere: letters alone, at a beginning, at an end
  or somewhere; any other sign of patterns is refused.

Decision 144.
"""

from collections.abc import Sequence

from .ambiguous import two_searches
from .kinds import Piece
from .literals import unquoted
from .ranges import entry, in_ranges
from .reading import Reading
from .spellings import OF_PATTERNS, no_pattern, pattern, plain_search
from .tokens import Token

_OF_REGEX = ("RLIKE", "REGEXP", "~")


def searched(reader: Reading, left: Piece, start: int) -> Piece | None:
    """Read a pattern behind a part; None where no word or sign of patterns stands."""
    word, after = reader.here, reader.tokens[reader.place + 1]
    typed = reader.text[left.start : left.end]
    if word.says(*_OF_REGEX) and not reader.is_r and after.kind == "text":
        check_plain(reader, word, typed, unquoted(after.text))
    if is_r := reader.take("%LIKE%") is not None:
        reader.is_framed = True
    if not is_r and not reader.take("LIKE"):
        return None
    token = reader.here
    if token.kind != "text" and not (is_r and token.kind == "quoted"):
        raise reader.wrong("a pattern in ' '")
    reader.place += 1
    if is_r:
        sought = reader.part("text", [], token.start, unquoted(token.text))
        return plain_search(reader, token, [left, sought], start)
    op, core = pattern(reader.text, left, token)
    if reader.here.says("ESCAPE"):
        raise no_pattern(reader.text, reader.here)
    return reader.part(op, [left, reader.part("text", [], token.start, core)], start)


def check_plain(reader: Reading, token: Token, typed: str, sought: str) -> None:
    """Refuse a pattern of letters that some engines match with the whole, with a line for each."""
    if sought.strip("^") and not OF_PATTERNS & {*sought.removeprefix("^")}:
        raise two_searches(reader.text, token, typed, sought)


def searched_by(reader: Reading, token: Token) -> Piece:
    """Read regexp_like(s, 'a') and rlike(s, 'a'), which are refused: some match the whole."""
    reader.place += 2
    args = reader.arguments()
    if len(args) == 2 and args[1].op == "text":
        typed = reader.text[args[0].start : args[0].end]
        check_plain(reader, token, typed, args[1].value)
        raise no_pattern(reader.text, token, typed, args[1].value)
    raise no_pattern(reader.text, token)


def of_array(reader: Reading, left: Piece, start: int) -> Piece:
    """Read ANY (ARRAY[1, 2]) behind a comparison: a list."""
    reader.place += 1
    reader.need("(")
    reader.need("ARRAY")
    reader.need("[")
    listed = reader.part("in", [left, *reader.arguments("]")], start)
    reader.need(")")
    return listed


def listed(
    reader: Reading, left: Piece, start: int, of_r: Token | None, negative: Token | None
) -> Piece:
    """Read the list behind IN: in ( ), [ ], { }, in c( ) of R, in UNNEST([ ]) of BigQuery."""
    is_unnest = reader.take("UNNEST") is not None
    if is_unnest:
        reader.need("(")
    closed = {"[": "]", "{": "}"}.get(reader.here.text, ")")
    if of_r and reader.here.says("C"):
        reader.place += 1
    reader.need({")": "("}.get(closed, reader.here.text))
    args: Sequence[Piece] = reader.arguments(closed, read=lambda: entry(reader))
    if any(arg.op == "range" for arg in args):
        return in_ranges(reader, left, args, negative, start)
    if is_unnest:
        reader.need(")")
    return reader.part("in", [left, *args], start)
