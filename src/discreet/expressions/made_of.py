"""What functions of other languages are made of, where that hangs on their arguments.

Rules of this module:
- NULL stands behind THEN and ELSE, and is no number, text or day to reckon with;
- a difference of two days is told in days, the later one less the earlier one.
"""

from collections.abc import Sequence

from .kinds import Piece
from .reading import Making
from .refusals import refused

_UNITS = ("year", "quarter", "month", "week", "hour", "minute", "second", "yy", "mm")


def check_null(make: Making, args: Sequence[Piece]) -> None:
    """Refuse NULL among arguments."""
    for piece in args:
        if piece.op == "null":
            raise refused(
                make.text,
                piece.start,
                piece.end,
                "NULL is not a value to reckon with.",
                why="what is made of a missing cell is missing",
                fix="write x IS NULL; behind THEN and ELSE it may stand",
            )


def units_first(make: Making, args: Sequence[Piece]) -> Sequence[Piece]:
    """Return the unit of DATE_TRUNC and the day, in this order, and the unit in small letters."""
    if len(args) != 2:
        return args
    if args[1].op == "column" and args[0].op != "text":
        args = [args[1], args[0]]  # as BigQuery has it: DATE_TRUNC(d, MONTH)
    unit, *rest = args
    return [make.part("text", [], unit.start, unit.value.lower()), *rest]


def days_between(make: Making, args: Sequence[Piece], start: int) -> Piece:
    """Return the days between two: of two the first is the later one, as in MySQL and Spark."""
    check_null(make, args)
    units = [
        place for place, piece in enumerate(args) if piece.value.lower() in ("day", "days", "d")
    ]
    if len(args) == 2:
        later, earlier = args
    elif units == [0]:
        _, earlier, later = args
    elif units == [2]:
        later, earlier, _ = args
    else:
        days = [part for part in args if part.value.lower() not in _UNITS]
        late, early = (make.text[part.start : part.end] for part in [*days, *args][:2])
        if args[0].value.lower() in _UNITS:
            late, early = early, late
        raise refused(
            make.text,
            start,
            args[-1].end,
            "such differences are told in several ways.",
            kind="expression-two-meanings",
            why="whole years or months are counted by the calendar, or by what lies between",
            fix=f"count days, as in days({late}) - days({early}), or take "
            f"year({late}) - year({early})",
        )
    counted = [make.part("days", [piece], start) for piece in (later, earlier)]
    return make.part("-", counted, start)


def option(part: Piece, name: str) -> Piece | None:
    """Return what an argument that is given by its name is; None where it has another."""
    is_named = part.op == "=" and part.args[0].op == "column" and part.args[0].value == name
    return part.args[1] if is_named else None


def to_number(make: Making, args: Sequence[Piece], start: int) -> Piece:
    """Return pandas' to_numeric, which leaves out what is no number, as a cast does here."""
    errors = option(args[-1], "errors")
    if len(args) > 1 and (errors is None or errors.value != "coerce"):
        raise refused(
            make.text, args[-1].start, args[-1].end, "this option is not taken here.",
            why="a cell that is no number is missing here",
            fix="leave this option out",
        )  # fmt: skip
    return make.part("cast", args[:1], start, "DOUBLE")
