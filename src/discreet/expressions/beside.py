"""Texts beside days, and days taken from days: what they are, by what is declared of the columns.

Rules of this module:
- a text that spells a day, beside a column that is declared as days or moments, is that day: SQL
  and data frames read it so; the expression is written anew, so that plans know one text;
- `born.year` is the year of a column that is declared as days, and else the column year of a table;
- columns whose public values are texts are compared with texts, as they were declared.

Decision 145.
"""

from .expression import Expression, expression, text_of
from .kinds import CLOCK, SAID_OF_DAYS, Kind, KnownNames, Piece
from .literals import day_of, moment_of, moment_written
from .parser import RESERVED
from .refusals import refused
from .written_out import CASTS

_COMPARED = ("=", "<>", "<", "<=", ">", ">=", "between", "in")
_EQUAL = ("=", "<>", "in")
_FIRST_OF = ("coalesce", "least", "greatest", "case")
_MIDNIGHT = " 00:00:00"


def settled(typed: Expression, names: KnownNames) -> Expression:
    """Return an expression in which each text that is a day by declaration is written as one.

    Example:
        >>> names = KnownNames(hints={"born": "day"})
        >>> print(settled(expression("born > '1990-01-01'"), names))
        born > DATE '1990-01-01'
    """
    part = typed.part
    if "." in typed.text:
        part = _dotted(typed, part, names)
    if "'" in typed.text or "-" in typed.text:
        part = _settled(part, names)
    return typed if part == typed.part else expression(text_of(part, RESERVED))


def _dotted(typed: Expression, part: Piece, names: KnownNames) -> Piece:
    """Return a part in which what stands behind a point is of a day, or the column of a table."""
    args = tuple(_dotted(typed, arg, names) for arg in part.args)
    if part.op != "dotted":
        return Piece(part.op, args, part.value, part.start, part.end) if args != part.args else part
    (before,), word = args, part.value
    if _of_time(before, names) is None:
        return Piece("column", value=word)
    one_way = SAID_OF_DAYS.get(word.lower(), f"{word.lower()}({{}})")
    if _is_known(word, names) or word.lower() in SAID_OF_DAYS:
        raise refused(
            typed.text, part.start, part.end, "this has two meanings.",
            kind="expression-two-meanings",
            why="days have it, perhaps in several ways, and columns are called so",
            fix=f"write {one_way.format(before.value)}, of the day, or {word} of a column",
        )  # fmt: skip
    return Piece(word.lower(), args)


def _is_known(name: str, names: KnownNames) -> bool:
    known = (names.derived, names.hints, names.bounds, names.texts, names.numbers)
    return any(name in some for some in known)


def _settled(part: Piece, names: KnownNames) -> Piece:
    args = tuple(_settled(arg, names) for arg in part.args)
    if part.op in _COMPARED:
        is_equal = part.op in _EQUAL
        kind = next((kind for arg in args if (kind := _of_time(arg, names, is_equal))), None)
        args = tuple(_literal(arg, kind) for arg in args) if kind else args
    if part.op == "-" and len(args) == 2 and all(_of_time(arg, names) == "day" for arg in args):
        args = tuple(Piece("days", (arg,)) for arg in args)
    return Piece(part.op, args, part.value) if args != part.args else part


def _of_time(part: Piece, names: KnownNames, is_equal: bool = False) -> Kind | None:  # noqa: FBT001, FBT002
    """Return whether a part is a day or a moment, by itself or by what is declared."""
    kind: Kind | None = None
    if part.op == "column":
        kind = names.derived.get(part.value) or names.hints.get(part.value)
        if is_equal and part.value in names.texts:
            kind = None
    elif part.op == "cast":
        kind = CASTS[part.value]
    elif part.op == "date_trunc":
        kind = "moment" if part.args[0].value in CLOCK else "day"
    elif part.op in _FIRST_OF:
        inner = part.given() if part.op == "case" else part.args
        kind = next((kind for arg in inner if (kind := _of_time(arg, names))), None)
    return kind if kind in ("day", "moment") else None


def _literal(part: Piece, kind: Kind) -> Piece:
    """Return a literal as the day or the moment that it is beside one."""
    if part.op not in ("text", "timestamp"):
        return part
    if kind == "day":
        written = part.value.replace("T", " ").removesuffix(_MIDNIGHT)
        is_day = day_of(written) is not None
        return Piece("date", value=written) if is_day and part.op == "text" else part
    written = moment_written(part.value)
    return Piece("timestamp", value=written) if moment_of(written) is not None else part
