"""Comparisons that count a missing cell in SAS: it is less than all other values there.

Rules of this module:
- it sees an expression in which a day or a list is spelled as in SAS alone;
- a part that counts a missing cell there, and not here, is refused with a line for each;
- beside `d IS NOT NULL`, or `d >= '01JAN1990'd`, a row without d counts in neither.

Decision 153.
"""

from collections.abc import Iterator, Set

from .expression import text_of
from .kinds import Piece
from .known import WHOLE
from .refusals import refused
from .spellings import is_known

_LITERALS = ("number", "text", "truth", "date", "timestamp")
_LOWER = {"<": 0, "<=": 0, ">": 1, ">=": 1}  # which side is counted there if it is missing
_COMPARED = {*_LOWER, "=", "<>"}
_STRICT = WHOLE | {"+", "-", "*", "neg", "abs"}
_TOTAL = _STRICT | _COMPARED | {"lower", "upper", "trim", "left", "right"}
_TOTAL |= {"substr", "and", "or", "not", "in", "between", "contains", "starts_with"}
_FALSE = Piece("truth", value="FALSE")
_Names = Set[str]


def check_lowest(text: str, part: Piece, reserved: frozenset[str]) -> None:
    """Refuse a part that is true of a missing cell in SAS.

    Raises:
        InputError: a comparison, or a negation, has two meanings; the message has both lines.
    """
    different = _different(part, frozenset())
    if different is None:
        return
    here, with_them = different
    written = text_of(with_them, reserved)
    written = f"({written})" if here is not part and with_them.op == "or" else written
    columns = {text_of(column, frozenset()): column for column in _columns(here)}
    sides = [side for side in here.args if not _is_sure(side, {*columns})]
    needed = sides or [*columns.values()]
    added = "".join(f" AND {text_of(Piece('not', (_null(side),)), reserved)}" for side in needed)
    raise refused(
        text, here.start, here.end, "rows with a missing cell have two meanings here.",
        kind="expression-two-meanings",
        why="SAS counts them, as a missing value is less than all others; SQL does not",
        fix=f"add{added} where they are not to count; or write {written}",
    )  # fmt: skip


def _different(part: Piece, known: _Names) -> tuple[Piece, Piece] | None:
    """Return the first part that SAS reads in another way, and what says it so; None for none.

    Args:
        part: of the expression.
        known: the parts without which the row counts in neither, as they are written.
    """
    if part.op == "and":
        known = known | {name for arg in part.args for name in _needed(arg)}
    elif part.op == "or":
        known = known | {name for arg in part.args for name in _absent(arg)}
    for arg in part.args:
        if (different := _different(arg, known)) is not None:
            return different
    sides = [_is_sure(arg, known) for arg in part.args]
    if part.op in _COMPARED:
        return _compared(part, sides)
    if part.op == "between" and not sides[1]:
        return part, Piece("or", (part, _both(_null(part.args[1]), Piece("<=", part.args[::2]))))
    if part.op == "not" and not sides[0] and not is_known(part.args[0]):
        return part, Piece("not", (Piece("coalesce", (part.args[0], _FALSE)),))
    return None


def _compared(part: Piece, sides: list[bool]) -> tuple[Piece, Piece] | None:
    """Return a comparison that counts a missing side in SAS, and what counts it here."""
    op, pair = part.op, part.args
    lower = _LOWER.get(op)
    if lower is not None and not sides[lower]:
        low, other = pair[lower], pair[1 - lower]
        is_equal = op in ("<=", ">=") or sides[1 - lower]
        absent = _null(low) if is_equal else _both(_null(low), Piece("not", (_null(other),)))
        return part, Piece("or", (part, absent))
    if op == "=" and not any(sides):
        return part, Piece("or", (part, _both(*map(_null, pair))))
    if op == "<>" and not all(sides):
        if any(sides):
            return part, Piece("not", (Piece("coalesce", (Piece("=", pair), _FALSE)),))
        one_of_them = Piece("<>", tuple(map(_null, pair)))
        return part, Piece("coalesce", (part, one_of_them))
    return None


def _null(part: Piece) -> Piece:
    return Piece("is_null", (part,))


def _both(first: Piece, other: Piece) -> Piece:
    return Piece("and", (first, other))


def _is_sure(part: Piece, known: _Names) -> bool:
    """Say whether a part is never missing in a row that has these columns."""
    if part.op == "is_null" or text_of(part, frozenset()) in known:
        return True
    if part.op == "coalesce":
        return _is_sure(part.args[-1], known)
    is_total = part.op in _LITERALS or (part.op in _TOTAL and bool(part.args))
    return is_total and all(_is_sure(arg, known) for arg in part.args)


def _needed(part: Piece) -> Iterator[str]:
    """Yield the columns and parts without which a part is true in neither language."""
    if part.op == "not":
        yield from _absent(part.args[0])
    is_in = part.op == "in" or (part.op == "between" and part.args[1].op in _LITERALS)
    high = {"<": 1, "<=": 1, ">": 0, ">=": 0}.get(part.op, 0 if part.op == "=" or is_in else None)
    if high is None or not _is_strict(part.args[high]):
        return
    if all(arg.op in _LITERALS for arg in _without(part.args, high)):
        yield from (text_of(column, frozenset()) for column in _columns(part.args[high]))


def _is_strict(part: Piece) -> bool:
    """Say whether a part is missing in each row in which one of its columns is."""
    is_leaf = part.op == "column" or part.op in _LITERALS
    return is_leaf or (part.op in _STRICT and all(map(_is_strict, part.args)))


def _without(args: tuple[Piece, ...], place: int) -> tuple[Piece, ...]:
    return args[:place] + args[place + 1 :]


def _absent(part: Piece) -> Iterator[str]:
    """Yield the part that is missing where this says so."""
    if part.op == "is_null":
        yield text_of(part.args[0], frozenset())


def _columns(part: Piece) -> Iterator[Piece]:
    """Yield the columns of a part."""
    if part.op == "column":
        yield part
    for arg in part.args:
        yield from _columns(arg)
