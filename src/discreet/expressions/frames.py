"""Methods of columns, as data frames in Python are asked: age.isin([1, 2]), born.dt.year.

Rules of this module:
- a method is the function of the same meaning, with the column as its first argument.
"""

from collections.abc import Sequence
from dataclasses import replace

from ..errors import InputError, shown
from .ambiguous import no_weekday, two_slices
from .choices import result_of
from .kinds import OF_DAYS, Piece
from .reading import Reading
from .refusals import refused
from .spellings import MODULES, MOST_COPIES, SPACES, cast_to, method, pattern
from .switches import ranged
from .tokens import Token

_NAMED = {  # of a method: the names of its arguments, in their order
    "clip": (("lower", "lower_bound", "min"), ("upper", "upper_bound", "max")),
    **dict.fromkeys(("fillna", "fill_null"), (("value",),)),
}
_ENDS = {  # which ends of an interval are in it, as pandas and Polars say it
    "both": (">=", "<="),
    "left": (">=", "<"),
    "right": (">", "<="),
    **dict.fromkeys(("neither", "none"), (">", "<")),
}
_WINDOWS = {"1d": "day", "1w": "week", "1mo": "month", "1q": "quarter", "1y": "year"}
_WINDOWS |= {"1h": "hour", "1m": "minute"}
_OF_R: tuple[str, ...] = (
    "INLIST",
    "INRANGE",
    "CASE_WHEN",
    "MISSING",
    "MI",
    "GREPL",
    "STR_DETECT",
    "STR_STARTS",
    "REGEXM",
)
_OF_R += ("STR_ENDS", "STRLOWER", "STRUPPER", "TOLOWER", "TOUPPER", "NCHAR", "CUT", "STR_SUB")
_OF_R += ("CASE_MATCH", "FLOOR_DATE", "YMD", "IF_ELSE")
_OF_R += ("STR_LENGTH", "STR_TO_LOWER", "STR_TO_UPPER", "IFELSE", "PMIN", "PMAX", "PASTE0")
_ENDINGS = {"startswith": "starts_with", "endswith": "ends_with"}  # of several, in a tuple
_SOUGHT = (*_ENDINGS.values(), "contains")
_ENDS_OF_TEXT = {"HEAD": "left", "TAIL": "right"}  # of Polars
_FLOORS = {"D": "day", "d": "day", "h": "hour", "H": "hour", "min": "minute", "s": "second"}
_SHORTEST = 7  # a sign, a comparison, and the end, which stands there four times
_OF_SHEETS = ("IFS", "SWITCH", "ISBLANK", "EXACT", "QUOTIENT")
_IS_TEXT = ("regex", "literal")  # whether a text that is sought is a pattern


def is_code(tokens: Sequence[Token]) -> bool:
    """Say whether a text is Python's or R's for sure: then what stands in " " is a text.

    A name behind a point that is called, a column in brackets, or a word or sign of R or Stata.
    """
    for place, token in enumerate(tokens[:-2]):
        following, other = tokens[place + 1], tokens[place + 2]
        if following.says("[") and other.says("["):
            return True
        if token.says(".") and following.kind == "word" and other.says("("):
            return True
        if token.says(".") and following.says("STR") and other.says("["):
            return True
        is_name = token.kind == "word" and not token.says("IN")
        if is_name and following.says("[") and other.kind in ("text", "quoted"):
            return True
    return is_of_r(tokens)


def is_formula(tokens: Sequence[Token]) -> bool:
    """Say whether a text is a formula of a spreadsheet for sure: "a" is a text, & joins texts.

    A formula begins with =, or has a function or a column of a table that only sheets write so.
    """
    if tokens[0].says("=") and len(tokens) > _SHORTEST:
        return True
    for place, token in enumerate(tokens[:-1]):
        starts = place == 0 or tokens[place - 1].says("(", ",")
        called = _OF_SHEETS if not starts else (*_OF_SHEETS, "AND", "OR")
        if token.says(*called) and tokens[place + 1].says("("):
            return True
        if token.kind == "quoted" and token.end - token.start > len(token.text):
            return True
    return False


def is_in_table(token: Token, after: Token) -> bool:
    """Say whether what stands behind a name is a column of its table, as in Table1[@age]."""
    is_marked = after.kind == "quoted" and after.end - after.start > len(after.text)
    return is_marked and token.end == after.start


def is_of_r(tokens: Sequence[Token]) -> bool:
    """Say whether a text is R's or Stata's for sure: then & and | join comparisons."""
    for place, token in enumerate(tokens[:-3]):
        following, other, third = tokens[place + 1 : place + 4]
        if token.says("%IN%", "%%", "%/%", "$", "%BETWEEN%", "%LIKE%") or (
            token.says(*_OF_R) and following.says("(")
        ):
            return True
        if token.text in ("startsWith", "endsWith") and following.says("("):
            return not (place and tokens[place - 1].says("."))
        if token.says("IS", "AS") and following.says(".") and third.says("("):
            return True
        if token.says(".") and following.says("DATA") and other.says("$", "["):
            return True
        if token.says(".") and following.says("TABLE") and other.says("::"):
            return True
    return False


def knows_null(tokens: Sequence[Token]) -> bool:
    """Say whether a text is Polars' or Spark's for sure: what is unknown stays so there, as in SQL.

    Its columns are called so: pl.col("age"), F.col("age").
    """
    return any(
        token.says("PL", "POLARS", "F") and point.says(".") and name.says("COL")
        for token, point, name in zip(tokens, tokens[1:], tokens[2:], strict=False)
    )


def method_of(reader: Reading, piece: Piece, start: int) -> Piece:
    """Read what a data frame is asked of a column, as the function that it is."""
    reader.is_framed = True
    after = reader.tokens[reader.place + 1]
    if reader.here.says("STR") and after.says("["):
        reader.place += 2
        return sliced(reader, piece, start)
    space = reader.take(*SPACES) if after.says(".") else None
    if space is not None:
        reader.need(".")
    token = reader.here
    if space is not None and space.says("STR") and token.says(*_ENDS_OF_TEXT):
        token = replace(token, text=_ENDS_OF_TEXT[token.text.upper()])
    if space is not None and (weekday := _weekday(reader, piece, start)) is not None:
        return weekday
    is_of_day = space is None and token.kind == "word" and token.text.lower() in OF_DAYS
    if (space is not None or is_of_day) and not reader.is_call(reader.place):
        reader.spelled()
        _check_lengths(reader, token, piece)
        return method(reader, token, [piece])
    if not reader.is_call(reader.place):
        raise reader.wrong("a method")
    reader.place += 2
    return _called(reader, token, piece, start)


def _called(reader: Reading, token: Token, piece: Piece, start: int) -> Piece:
    """Read the arguments of a method, and return what it is."""
    name = token.text.lower()
    if name in ("isin", "is_in"):
        return _is_in(reader, piece, start)
    if name in _ENDINGS and reader.here.says("(") and reader.tokens[reader.place + 2].says(","):
        return _one_of(reader, piece, start, _ENDINGS[name])
    if name == "like" and reader.here.kind in ("text", "quoted"):
        op, sought = pattern(reader.text, piece, reader.here)
        sign = reader.part("text", [], reader.here.start, sought)
        reader.place += 1
        reader.need(")")
        return reader.part(op, [piece, sign], start)
    if name == "cut":
        from .bands import cut_behind

        return cut_behind(reader, token, piece)
    if name == "contains" and reader.tokens[reader.place + 2].says("CASE"):
        raise _in_any_case(reader, token, piece)
    if name in ("astype", "cast"):
        piece = cast_to(reader, piece, type_of(reader), start)
        reader.need(")")
        return piece
    before = reader.parts
    args = [piece, *reader.arguments()]
    reader.parts += (reader.parts - before) * (MOST_COPIES - 1)
    return _asked(reader, token, args, start)


def _in_any_case(reader: Reading, token: Token, piece: Piece) -> InputError:
    """Return the error for a text that is sought in letters of either case."""
    cell, sought = reader.text[piece.start : piece.end], reader.here
    return refused(
        reader.text, token.start, token.end, "patterns are not of the language.",
        why="engines differ in which letters are alike",
        fix=f"write contains(lower({cell}), {shown(sought.text.lower(), 60)})",
    )  # fmt: skip


def _weekday(reader: Reading, piece: Piece, start: int) -> Piece | None:
    """Read the day of the week where one library alone says it so; None for others.

    In pandas `dayofweek` is 0 on Monday, in Polars `weekday()`, which is called, is 1.
    """
    is_called = reader.is_call(reader.place)
    if reader.here.says("DAYOFWEEK") and not is_called:
        reader.place += 1
        day = reader.part("weekday", [piece], start)
        return reader.part("-", [day, reader.part("number", [], start, "1")], start)
    if reader.here.says("WEEKDAY") and is_called:
        reader.place += 2
        reader.need(")")
        return reader.part("weekday", [piece], start)
    if reader.here.says("WEEKDAY", "DAYOFWEEK"):
        raise no_weekday(reader.text, reader.here, reader.text[piece.start : piece.end])
    return None


def _one_of(reader: Reading, piece: Piece, start: int, op: str) -> Piece:
    """Read several beginnings, or ends, of which one is met."""
    reader.place += 1
    sought = reader.arguments()
    reader.need(")")
    return reader.part("or", [reader.part(op, [piece, text], start) for text in sought], start)


def _check_lengths(reader: Reading, token: Token, piece: Piece) -> None:
    """Refuse the days of a length of time: of moments they are others than of days."""
    if not token.says("DAYS", "TOTAL_DAYS") or piece.op != "-":
        return
    later, earlier = (reader.text[part.start : part.end] for part in piece.args)
    raise refused(
        reader.text,
        token.start,
        token.end,
        "this has two meanings.",
        kind="expression-two-meanings",
        why="between two days it counts nights, between two moments times of 24 hours",
        fix=f"write days({later}) - days({earlier}) of days, or "
        f"floor((seconds({later}) - seconds({earlier})) / 86400) of moments",
    )


def _asked(reader: Reading, token: Token, args: list[Piece], start: int) -> Piece:
    """Return what a method of a column is, whose arguments may have names."""
    name = token.text.lower()
    _check_lengths(reader, token, args[0])
    named = {arg.args[0].value: arg.args[1] for arg in args[1:] if _is_named(reader, arg)}
    args = [arg for arg in args if not _is_named(reader, arg)]
    if "na" in named and named["na"].op == "truth" and _ENDINGS.get(name, name) in _SOUGHT:
        unknown = named.pop("na")
        sought = _sought(reader, token, args, named, start)
        return reader.part("coalesce", [sought, unknown], start)
    if _ENDINGS.get(name, name) in _SOUGHT:
        return _sought(reader, token, args, named, start)
    places = _NAMED.get(name, ())
    if name in ("between", "is_between") and {*named} <= {"inclusive", "closed"}:
        return _between(reader, args, next(iter(named.values()), None), start, token)
    if name == "clip" and named:
        return _clipped(reader, args, named, start)
    if (begun := _begun(reader, name, args, start)) is not None:
        return begun
    if name == "slice" and len(args) == 3:
        _check_slice(reader, token, args)
    for key, value in named.items():
        if any(key in following for following in places):
            args.append(value)
        else:
            raise _no_option(reader, value)
    return method(reader, token, args)


def _no_option(reader: Reading, value: Piece) -> InputError:
    return refused(
        reader.text, value.start, value.end, "this option is not taken here.",
        why="what it changes is said in another way", fix="leave it out",
    )  # fmt: skip


def _sought(
    reader: Reading, token: Token, args: list[Piece], named: dict[str, Piece], start: int
) -> Piece:
    """Return whether a text has another in it, as options say: as a pattern, or as it stands."""
    is_plain = token.text.lower() in _ENDINGS
    for key, value in named.items():
        if key not in _IS_TEXT or value.op != "truth":
            raise _no_option(reader, value)
        is_plain |= (value.value == "TRUE") == (key == "literal")
    if is_plain and len(args) == 2:
        return reader.part(_ENDINGS.get(token.text.lower(), "contains"), args, start)
    return method(reader, token, args)


def _begun(reader: Reading, name: str, args: list[Piece], start: int) -> Piece | None:
    """Return the beginning of a day, a month or a text that a method gives; None for others."""
    if name == "slice" and len(args) == 3 and args[1].value == "0":
        return reader.part("left", [args[0], args[2]], start)
    units = {"floor": _FLOORS, "truncate": _WINDOWS}.get(name, {})
    unit = units.get(args[1].value) if len(args) == 2 else None
    if unit is None:
        return None
    return reader.part("date_trunc", [reader.part("text", [], start, unit), args[0]], start)


def _check_slice(reader: Reading, token: Token, args: list[Piece]) -> None:
    """Refuse letters from a place on: data frames count them in two ways."""
    low, high = (place.value for place in args[1:])
    cell = reader.text[args[0].start : args[0].end]
    if low.isdecimal() and high.isdecimal() and int(high) > int(low):
        raise refused(
            reader.text,
            token.start,
            token.end,
            "this has two meanings.",
            kind="expression-two-meanings",
            why="pandas counts to the second place, Polars so many letters",
            fix=f"write substr({cell}, {int(low) + 1}, {int(high) - int(low)}) as pandas has it, "
            f"substr({cell}, {int(low) + 1}, {high}) as Polars has it",
        )


def _is_named(reader: Reading, arg: Piece) -> bool:
    """Say whether an argument is given by its name, as in lower=0: with one sign, and no two."""
    if arg.op != "=" or arg.args[0].op != "column":
        return False
    sign = reader.text[arg.args[0].end : arg.args[1].start].strip()
    return sign == "="


def _between(
    reader: Reading, args: list[Piece], closed: Piece | None, start: int, token: Token
) -> Piece:
    if closed is None or closed.value == "both" or len(args) != 3:
        return method(reader, token, args)
    if closed.value not in _ENDS:
        raise refused(
            reader.text, closed.start, closed.end, "this is no end of an interval.",
            why="both, left, right and neither say which ends are in it",
            fix="write two comparisons with AND, as in 18 <= age AND age < 65",
        )  # fmt: skip
    signs = zip(_ENDS[closed.value], args[1:], strict=True)
    return reader.part("and", [reader.part(op, [args[0], end], start) for op, end in signs], start)


def _clipped(reader: Reading, args: list[Piece], named: dict[str, Piece], start: int) -> Piece:
    """Return a number between ends, of which one may be left out."""
    piece = args[0]
    for op, names in zip(("greatest", "least"), _NAMED["clip"], strict=True):
        for name in names:
            if name in named:
                piece = reader.part(op, [piece, named.pop(name)], start)
    if named or args[1:]:
        raise refused(
            reader.text, start, args[-1].end, "these ends are not understood.",
            why="a lower and an upper end may be named", fix="write least(greatest(x, 0), 90)",
        )  # fmt: skip
    return piece


def marked_column(reader: Reading, start: int) -> Piece | None:
    """Read [first name] of SQL Server, .data$age and .data[["age"]] of R; None where none is."""
    tokens, place = reader.tokens, reader.place + 1
    if reader.is_r and reader.here.says(".") and tokens[place].says("DATA"):
        reader.place += 2
        if reader.take("$"):
            return reader.part("column", [], start, reader.spelled())
        reader.need("[")
        return reader.named_in("]", start)
    while tokens[place].kind in ("word", "number"):
        place += 1
    words = tokens[reader.place + 1 : place]
    if not (
        reader.here.says("[") and words and words[0].kind == "word" and tokens[place].says("]")
    ):
        return None
    reader.place = place + 1
    return reader.part("column", [], start, reader.text[words[0].start : words[-1].end])


def is_slice(reader: Reading) -> bool:
    """Say whether what stands behind a bracket are places in a text, and no name."""
    return reader.here.says(":") or reader.tokens[reader.place + 1].says(":")


def sliced(reader: Reading, piece: Piece, start: int) -> Piece:
    """Read letters of a text as Python counts them: from 0, without the last place."""
    is_bare = reader.tokens[reader.place - 2].text == piece.value  # x[1:3], which is SQL's as well
    low = 0 if reader.here.says(":") else _place(reader)
    reader.need(":")
    high = _place(reader)
    reader.need("]")
    if high <= low:
        raise reader.wrong("two places, the first before the other")
    if low and is_bare:
        raise two_slices(reader, piece.value, low, high, start + len(piece.value))
    places = [str(low + 1), str(high - low)] if low else [str(high)]
    args = [piece, *(reader.part("number", [], start, place) for place in places)]
    return reader.part("substr" if low else "left", args, start)


def _place(reader: Reading) -> int:
    token = reader.here
    if token.kind != "number" or not token.text.isdecimal():
        raise reader.wrong("a whole number of at least 0")
    reader.place += 1
    return int(token.text)


def when_of(reader: Reading, token: Token) -> Piece:
    """Read when(a).then(x).otherwise(y) of Polars, and when(a, x).otherwise(y) of Spark."""
    reader.is_framed = True
    args: list[Piece] = []
    is_more = True
    while is_more:
        reader.place += 2
        args.append(reader.whole())
        if not reader.take(","):
            reader.need(")")
            reader.need(".")
            reader.need("THEN")
            reader.need("(")
        args.append(result_of(reader))
        reader.need(")")
        is_more = reader.here.says(".") and reader.tokens[reader.place + 1].says("WHEN")
        reader.place += is_more
    if reader.here.says(".") and reader.tokens[reader.place + 1].says("OTHERWISE"):
        reader.place += 3
        args.append(result_of(reader))
        reader.need(")")
    return reader.part("case", args, token.start)


def _is_in(reader: Reading, piece: Piece, start: int) -> Piece:
    if reader.here.says("RANGE"):
        found = ranged(reader, piece, None, start)
        reader.need(")")
        return found
    closed = {"[": "]", "(": ")", "{": "}"}.get(reader.here.text, "")
    if not closed:  # as Spark lists them
        return reader.part("in", [piece, *reader.arguments()], start)
    reader.place += 1
    listed = reader.arguments(closed)
    reader.need(")")
    return reader.part("in", [piece, *listed], start)


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
