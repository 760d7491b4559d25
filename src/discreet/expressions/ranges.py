"""Ranges of whole numbers in a list, and what R asks of a list: c(1:3, 12), is.element, %between%.

Rules of this module:
- a range has its whole numbers, and no fraction between them: of a part that is whole by what it
  is, such as a month, it is taken; of others it is refused with BETWEEN.

Decision 153.
"""

from collections.abc import Sequence

from .ambiguous import no_range, no_ranges, open_ends
from .choices import result_of
from .kinds import Piece
from .known import WHOLE
from .reading import Reading
from .refusals import refused
from .spellings import called
from .switches import ranged, upper_end, whole_number
from .tokens import Token

_MOST_LISTED = 100  # numbers of the ranges of a list
_CONSTANTS = ("number", "text", "date", "timestamp")


def entry(reader: Reading) -> Piece:
    """Read one of a list: a value, or a range of whole numbers."""
    if reader.here.kind != "number" or not reader.tokens[reader.place + 1].says(":"):
        return reader.whole()
    start, low = reader.here.start, whole_number(reader)
    reader.need(":")
    reader.is_sas |= not reader.is_r
    value = f"{low}:{upper_end(reader, low)}"
    return Piece("range", value=value, start=start, end=reader.tokens[reader.place - 1].end)


def in_ranges(
    reader: Reading, part: Piece, some: Sequence[Piece], negative: Token | None, start: int
) -> Piece:
    """Return whether a part is one of a list in which ranges stand."""
    is_whole = all(piece.op == "range" or piece.value.isdecimal() for piece in some)
    if not is_whole:
        raise no_ranges(reader, part, some, negative)
    ends = [(int(low), int(high)) for low, high in (_ends(piece) for piece in some)]
    if len(some) == 1 and part.op not in WHOLE:
        raise no_range(reader, part, ends[0], negative)
    if len(some) == 1:
        numbers = [reader.part("number", [], start, str(end)) for end in ends[0]]
        return reader.part("between", [part, *numbers], start)
    many = sum(high - low + 1 for low, high in ends)
    if part.op not in WHOLE or many > _MOST_LISTED:
        raise no_ranges(reader, part, some, negative)
    listed = dict.fromkeys(number for low, high in ends for number in range(low, high + 1))
    values = [reader.part("number", [], start, str(number)) for number in listed]
    return reader.part("in", [part, *values], start)


def _ends(piece: Piece) -> Sequence[str]:
    return piece.value.split(":") if piece.op == "range" else (piece.value, piece.value)


def element(reader: Reading, token: Token) -> Piece:
    """Read is.element(x, c(1, 2)) of R, which is x %in% c(1, 2)."""
    reader.is_framed = True
    reader.place += 2
    part = reader.whole()
    reader.need(",")
    if reader.here.says("SEQ") and reader.is_call(reader.place):
        piece = ranged(reader, part, None, token.start)
        reader.need(")")
        return piece
    if reader.take("C"):
        reader.need("(")
        listed = reader.arguments(read=lambda: entry(reader))
    else:
        listed = [entry(reader)]
    reader.need(")")
    if any(piece.op == "range" for piece in listed):
        return in_ranges(reader, part, listed, None, token.start)
    return reader.part("in", [part, *listed], token.start)


def between_of_r(reader: Reading, part: Piece, start: int) -> Piece:
    """Read c(18, 65) or list(18, 65) behind %between% of data.table, whose ends are taken."""
    token, ends = reader.here, list[Piece]()
    if reader.take("C", "LIST"):
        reader.need("(")
        ends = reader.arguments(read=lambda: result_of(reader))
    if len(ends) != len(("low", "high")):
        raise refused(
            reader.text, token.start, max(token.end, reader.tokens[reader.place - 1].end),
            "two ends belong here.", why="both are among the numbers that are meant",
            fix=f"write {reader.text[part.start : part.end]} BETWEEN 18 AND 65",
        )  # fmt: skip
    check_ends(reader, part, ends)
    return reader.part("between", [part, *ends], start)


def between_constants(reader: Reading, token: Token) -> Piece:
    """Read data.table::between(x, 18, 65) and inrange(x, 18, 65), whose ends are typed."""
    reader.is_framed = True
    reader.place += 2
    args = reader.arguments(read=lambda: result_of(reader))
    texts = [reader.text[arg.start : arg.end] for arg in args]
    if len(args) > 3 and token.says("BETWEEN"):  # exact: arguments
        part, low, high, closed = texts[:4]
        is_open = closed.endswith("FALSE")
        raise refused(
            reader.text, args[3].start, args[3].end, "this option is not taken here.",
            why="comparisons say which ends are in it",
            fix=f"write {part} > {low} AND {part} < {high}" if is_open
            else f"write {part} BETWEEN {low} AND {high}",
        )  # fmt: skip
    if len(args) == 3:  # exact: arguments
        check_ends(reader, args[0], args[1:], of_all=token.says("INRANGE"))
    return called(reader, token, token.text.lower(), args)


def check_ends(
    reader: Reading, part: Piece, ends: Sequence[Piece], *, of_all: bool = False
) -> None:
    """Refuse ends that may be missing: data.table and Stata take such an end as open."""
    inner = [end.args[0] if end.op == "neg" else end for end in ends]
    if any(end.op not in _CONSTANTS for end in inner):
        raise open_ends(reader, part, ends, of_all=of_all)
