"""Functions as they are called: by name, with what stands in their parentheses.

Rules of this module:
- what only some functions have there (FROM, AS, IN, a chain of when and then) is read here, and
  becomes the parts that say it.
"""

from collections.abc import Callable

from .ambiguous import no_day_of_sas, no_weekday
from .choices import null_if, result_of
from .frames import is_of_r, type_of, when_of
from .kinds import Piece
from .literals import day_of, moment_of, moment_written, named_day, unquoted
from .ranges import between_constants, element
from .reading import Reading
from .refusals import no_value, refused
from .searches import searched_by
from .sheets import OF_SHEETS, is_number, of_sheet
from .spellings import (
    MODULES,
    OF_PATTERNS,
    called,
    cast_to,
    check_framed,
    copies_of,
    no_pattern,
    part_of_date,
    plain_search,
)
from .switches import matched, switched
from .tokens import Token

_OF_COLUMNS = ("f", "pl", "polars")  # modules whose functions take names of columns in quotes
_AT_ALL = {">": "0", ">=": "1", "<>": "0", "!=": "0"}  # where a text is found, if it is
_NOWHERE = {"=": "0", "==": "0", "<": "1"}
_FIRST = {"=": "1", "==": "1"}
_FIRST_YEAR = 1900  # of a spreadsheet, which takes DATE(26, 1, 3) as a day of 1926


_OF_R = {"is.na": "isna", "as.date": "date", "as.integer": "int", "as.numeric": "float"}
_OF_R |= {"as.posixct": "to_datetime", "as_date": "date", "is.element": "is_element"}
_OF_R |= {"table.between": "between_constants"}  # of data.table
_FRAMED = ("inlist", "case_when", "any_horizontal", "all_horizontal")
_BESIDE = {  # names before a function that say whose it is, and which functions
    **dict.fromkeys(MODULES, ()),
    "datetime": ("date", "datetime"),
    "is": ("na", "null", "finite", "element"),
    "table": ("between", "inrange", "fifelse"),  # data.table of R
    "xdate": ("year", "quarter", "month", "hour", "minute", "second"),  # of SPSS
    "char": ("index", "substr", "length", "upcase"),
    "as": ("date", "integer", "numeric", "posixct", "character", "factor"),
}


def is_module(before: Token, after: Token) -> bool:
    """Say whether a name before a point, or two colons, tells only where a function is from."""
    names = _BESIDE.get(before.text.lower())
    return names is not None and (not names or after.text.lower() in names)


def packaged(reader: Reading) -> Piece | None:
    """Read a function behind the name of its module of Python, or package of R; None for others."""
    token, after, table, behind = reader.tokens[reader.place : reader.place + 4]
    is_data_table = token.says("DATA") and table.says("TABLE") and behind.says("::")
    if is_data_table or (token.says("BASE") and after.says("::") and behind.says(".")):
        reader.place, token = reader.place + 2, table  # data.table::between, base::is.element
    there = reader.tokens[reader.place + 2]
    if not (is_module(token, there) and reader.is_call(reader.place + 2)):
        return None
    reader.place, reader.is_framed = reader.place + 2, True
    check_framed(reader, reader.here, "x")
    return function_of(reader, reader.here, token.text.lower())


def function_of(reader: Reading, token: Token, module: str = "") -> Piece:
    """Read a function that is called here; `module` is what stood before its name."""
    own = token.text.lower()
    name = _OF_R.get(f"{module}.{own}", own)
    if name in ("nullif", "na_if"):
        return null_if(reader, token)
    if name == "lit" and module in _OF_COLUMNS:
        return _lit(reader)
    if name == "timestamp" and module in ("pd", "pandas"):
        return _moment_or_day(reader, token)
    if name in _LAZY and module in _LAZY[name]:
        return _band(reader, token)
    name = "ln" if name == "log" and module in ("np", "numpy", "math") else name
    if name in _READ:
        return _READ[name](reader, token)
    reader.is_framed |= name in _FRAMED
    reader.place += 2
    before = reader.parts
    is_named = module in _OF_COLUMNS
    args = reader.arguments(read=lambda: _argument(reader, is_named=is_named))
    reader.parts += (reader.parts - before) * (copies_of(name) - 1)
    is_sheet = reader.is_sheet and name in OF_SHEETS
    return (of_sheet if is_sheet else called)(reader, token, name, args)


def _band(reader: Reading, token: Token) -> Piece:
    from .bands import cut_of, select_of

    return cut_of(reader, token) if token.says("CUT") else select_of(reader, token)


def _letters(reader: Reading, token: Token) -> Piece:
    """Read str_sub(s, 1, 3) of R: letters from a place up to another, both taken."""
    reader.is_framed = True
    reader.place += 2
    args = reader.arguments()
    first, last = (arg.value if arg.op == "number" else "" for arg in [*args[1:], *args[:2]][:2])
    if len(args) != 3 or not first.isdecimal() or not last.isdecimal():
        raise no_pattern(reader.text, token)
    count = reader.part("number", [], token.start, str(max(int(last) - int(first) + 1, 0)))
    if first == "1":
        return reader.part("left", [args[0], count], token.start)
    return reader.part("substr", [*args[:2], count], token.start)


def _lit(reader: Reading) -> Piece:
    reader.place += 2
    piece = result_of(reader)
    reader.need(")")
    return piece


def _argument(reader: Reading, *, is_named: bool) -> Piece:
    """Read an argument; functions of some modules take columns by their names in quotes."""
    token, after = reader.here, reader.tokens[reader.place + 1]
    if is_named and token.kind in ("quoted", "text") and after.says(",", ")"):
        return reader.part("column", [], token.start, reader.spelled())
    return result_of(reader)


def dated(reader: Reading, word: str, written: str) -> Piece:
    """Read a day or a moment in quotation marks, which stands here."""
    sound, value = day_of(written) is not None, written
    if word == "TIMESTAMP":
        value = moment_written(written)
        sound = moment_of(value) is not None
    token = reader.here
    if not sound:
        what = "a day" if word == "DATE" else "a moment"
        raise no_value(reader.text, token.start, token.end, what)
    reader.place += 1
    return reader.part("date" if word == "DATE" else "timestamp", [], token.start, value)


def quoted(reader: Reading, token: Token) -> Piece:
    """Read what stands in quotation marks: a text, a name, or a day of SAS, '01JAN1990'd."""
    reader.place += 1
    if reader.here.says("D", "DT", "T") and reader.here.start == token.end:
        written = named_day(token.text[1:-1]) if reader.here.says("D") else None
        if written is None:
            raise no_day_of_sas(reader.text, token, reader.here)
        reader.place, reader.is_sas = reader.place + 1, True
        return reader.part("date", [], token.start, written)
    is_text = reader.is_code and token.text[0] == '"' and not reader.here.says(".")
    op = "text" if is_text or token.kind == "text" else "column"
    return reader.part(op, [], token.start, unquoted(token.text))


def _col(reader: Reading, token: Token) -> Piece:
    reader.place += 2
    return reader.named_in(")", token.start)


def _cast(reader: Reading, token: Token) -> Piece:
    reader.place += 2
    piece = reader.whole()
    reader.need("AS")
    piece = cast_to(reader, piece, type_of(reader), token.start)
    reader.need(")")
    return reader.part(piece.op, piece.args, token.start, piece.value)


def _extract(reader: Reading, token: Token) -> Piece:
    reader.place += 2
    named = reader.spelled()
    reader.need("FROM")
    piece = reader.whole()
    reader.need(")")
    return part_of_date(reader, token, named, [piece])


def _day(reader: Reading, token: Token) -> Piece:
    """Read a day of a literal, in ISO's form; of anything else it is a cast."""
    reader.place += 2
    literal = reader.here
    after = reader.tokens[reader.place + 1]
    is_iso = after.says(",") and reader.tokens[reader.place + 2].text.upper() in _ISO
    if literal.kind in ("text", "quoted") and (after.says(")") or is_iso):
        word = "TIMESTAMP" if token.says("TIMESTAMP") else "DATE"
        piece = dated(reader, word, unquoted(literal.text))
        reader.place += 2 * is_iso
        reader.need(")")
        return piece
    args = reader.arguments()
    return called(reader, token, token.text.lower(), args)


def _moment_or_day(reader: Reading, token: Token) -> Piece:
    """Read a day or a moment in quotation marks, which is what it is compared with."""
    reader.place += 2
    literal = reader.here
    written = unquoted(literal.text) if literal.kind in ("text", "quoted") else ""
    if day_of(written) is None and moment_of(written.replace("T", " ")) is None:
        raise no_value(reader.text, literal.start, literal.end, "a day or a moment")
    reader.place += 1
    reader.need(")")
    return reader.part("text", [], token.start, written.replace("T", " "))


def _of_numbers(reader: Reading, token: Token) -> Piece:
    """Read a day of its year, month and day, which are typed."""
    if reader.tokens[reader.place + 2].kind != "number":
        return _day(reader, token)
    reader.place += 2
    args = reader.arguments()
    if token.says("MDY"):
        args = [*args[2:], *args[:2]]
    digits = [arg.value for arg in args if arg.op == "number" and arg.value.isdecimal()]
    if reader.is_sheet and token.says("DATE") and digits and int(digits[0]) < _FIRST_YEAR:
        raise no_value(reader.text, token.start, args[-1].end, "a day of a spreadsheet")
    written = "-".join([digits[0].zfill(4), *(digit.zfill(2) for digit in digits[1:])])
    if len(digits) != len(args) or day_of(written) is None:
        raise no_value(reader.text, token.start, args[-1].end, "a day")
    return reader.part("text" if token.says("DATETIME") else "date", [], token.start, written)


def _sought(reader: Reading, token: Token) -> Piece:
    """Read where a text is found, which says here that it is found, or not."""
    reader.place += 2
    if token.says("POSITION"):
        sought = reader.part("text", [], reader.here.start, reader.spelled())
        reader.need("IN")
        args = [reader.whole(), sought]
        reader.need(")")
    else:
        args = reader.arguments()
        args = [*reversed(args)] if token.says("CHARINDEX", "LOCATE") else args
    sign, number = reader.here, reader.tokens[reader.place + 1]
    ways = ((_AT_ALL, "contains"), (_NOWHERE, "not"), (_FIRST, "starts_with"))
    for signs, op in ways:
        if len(args) == 2 and signs.get(sign.text) == number.text and number.kind == "number":
            reader.place += 2
            if op != "not":
                return reader.part(op, args, token.start)
            return reader.part("not", [reader.part("contains", args, token.start)], token.start)
    raise refused(
        reader.text,
        token.start,
        token.end,
        "where in a text another begins is not told.",
        why="places are counted from 0 or from 1, in letters or in bytes",
        fix="write contains(s, 'a'), or compare it with 0, as in position('a' IN s) > 0",
    )


def _substring(reader: Reading, token: Token) -> Piece:
    """Read a piece of a text, also as SQL spells it with FROM and FOR."""
    name = token.text.lower()
    reader.place += 2
    before = reader.parts
    args = [reader.whole()]
    if reader.take("FROM"):
        args.append(reader.whole())
        reader.need("FOR")
        args.append(reader.whole())
        reader.need(")")
    elif reader.take(","):
        args += reader.arguments()
    else:
        reader.need(")")
    _check_ends(reader, token, args)
    reader.parts += (reader.parts - before) * (copies_of(name) - 1)
    return called(reader, token, name, args)


def _check_ends(reader: Reading, token: Token, args: list[Piece]) -> None:
    """Refuse letters from a place on in an expression of R, where the last number is a place."""
    numbers = [arg.value for arg in args[1:] if arg.op == "number"]
    if len(args) != 3 or numbers[:1] == ["1"] or not is_of_r(reader.tokens):
        return
    typed = reader.text[args[0].start : args[0].end]
    low, high = (int(n) if n.isdecimal() else 0 for n in [*numbers, "", ""][:2])
    raise refused(
        reader.text,
        token.start,
        token.end,
        "this has two meanings.",
        kind="expression-two-meanings",
        why="R counts to the second place, SQL and Stata so many letters",
        fix=f"write str_sub({typed}, {low}, {high}) as R has it, right(left({typed}, "
        f"{low + high - 1}), {high}) as SQL has it",
    )


def _trim(reader: Reading, token: Token) -> Piece:
    """Read TRIM, also with BOTH and the blank that it takes away."""
    reader.place += 2
    if reader.here.says("BOTH") and not reader.tokens[reader.place + 1].says(")"):
        reader.place += 1
        if reader.here.kind == "text" and unquoted(reader.here.text) == " ":
            reader.place += 1
        reader.need("FROM")
    return called(reader, token, "trim", reader.arguments())


def _cases(reader: Reading, token: Token) -> Piece:
    """Read case_when of R: what is missing meets no condition, as in CASE."""
    reader.is_framed = True
    reader.place += 2
    args: list[Piece] = []
    while True:
        if reader.take("."):
            reader.need("DEFAULT")
            reader.need("=")
            args.append(result_of(reader))
            break
        test = reader.whole()
        reader.need("~")
        value = result_of(reader)
        if test.op == "truth" and test.value == "TRUE" and args:
            args.append(value)
            break
        args += [test, value]
        if not reader.take(","):
            break
    reader.need(")")
    return reader.part("case", args, token.start)


def _found_in(reader: Reading, token: Token) -> Piece:
    """Read whether a text is in another, as R asks it; what has signs of a pattern is refused."""
    reader.place += 2
    args = reader.arguments()
    if token.says("GREPL"):
        is_fixed = any(arg.op == "=" and arg.args[0].value == "fixed" for arg in args[2:])
        args = [*reversed(args[:2])]
        op = "contains"
    else:
        is_fixed = False
        op = {"str_starts": "starts_with", "str_ends": "ends_with"}.get(
            token.text.lower(), "contains"
        )
    if len(args) != 2 or args[1].op != "text":
        raise no_pattern(reader.text, token)
    is_fixed |= reader.text[args[1].start :].lower().startswith("fixed")
    if not is_fixed and op == "contains":
        return plain_search(reader, token, args, token.start)
    if not is_fixed and OF_PATTERNS & set(args[1].value):
        raise no_pattern(reader.text, token, reader.text[args[0].start : args[0].end])
    return reader.part(op, args, token.start)


def _floored(reader: Reading, token: Token) -> Piece:
    """Read floor_date(d, "month") of R."""
    reader.place += 2
    args = reader.arguments()
    unit = next((arg.args[1] if arg.op == "=" else arg for arg in args[1:]), Piece(""))
    if len(args) != 2 or unit.op != "text" or unit.value not in _FLOORS:
        raise refused(
            reader.text, token.start, token.end, "this is not understood.",
            why="weeks begin on Sunday there, and other units are not of the calendar",
            fix="write date_trunc('month', d), or 'week', whose weeks begin on Monday",
        )  # fmt: skip
    return reader.part("date_trunc", [unit, args[0]], token.start)


def _weekday(reader: Reading, token: Token) -> Piece:
    """Read WEEKDAY(d, 2) of a spreadsheet and wday(d, week_start = 1) of R: Monday is 1."""
    reader.place += 2
    args = reader.arguments()
    value = next((arg.args[1] if arg.op == "=" else arg for arg in args[1:]), Piece("")).value
    is_r = token.says("WDAY")
    if len(args) == 2 and value in (("1",) if is_r else ("2", "3", "11")):
        day = reader.part("weekday", args[:1], token.start)
        first = reader.part("number", [], token.start, "1")
        return day if value != "3" else reader.part("-", [day, first], token.start)
    if len(args) == 2 or (args and reader.is_sheet and not is_r):
        cell = reader.text[args[0].start : args[0].end]
        raise no_weekday(reader.text, token, cell)
    return called(reader, token, token.text.lower(), args)


def _fixed(reader: Reading, token: Token) -> Piece:
    """Read fixed('a') of R, a text that is sought as it stands."""
    reader.place += 2
    if reader.here.kind not in ("text", "quoted"):
        raise no_pattern(reader.text, token)
    piece = reader.part("text", [], token.start, reader.spelled())
    reader.need(")")
    return piece


_FLOORS = ("day", "month", "quarter", "year", "hour", "minute", "second")
_ISO = {"'YYYY-MM-DD'", "'%Y-%M-%D'", '"%Y-%M-%D"', "'ISO_DATE'"}
_LAZY = {"cut": ("", "pd", "pandas", "base"), "select": ("np", "numpy")}
_READ: dict[str, Callable[[Reading, Token], Piece]] = {
    "col": _col,
    "when": when_of,
    "case_when": _cases,
    **dict.fromkeys(("grepl", "str_detect", "str_starts", "str_ends"), _found_in),
    **dict.fromkeys(("regexp_contains", "regexp_matches", "regexm"), _found_in),
    **dict.fromkeys(("regexp_like", "rlike"), searched_by),
    **dict.fromkeys(("cast", "try_cast", "safe_cast"), _cast),
    "extract": _extract,
    **dict.fromkeys(("to_date", "timestamp"), _day),
    **dict.fromkeys(("date", "make_date", "datefromparts", "mdy", "datetime"), _of_numbers),
    "to_datetime": _moment_or_day,
    **dict.fromkeys(("position", "strpos", "instr", "index", "charindex", "locate"), _sought),
    **dict.fromkeys(("substr", "substring", "mid"), _substring),
    **dict.fromkeys(("trim", "btrim"), _trim),
    "str_sub": _letters,
    **dict.fromkeys(("ymd", "datevalue"), _day),
    "is_element": element,
    **dict.fromkeys(("inrange", "between_constants"), between_constants),
    **dict.fromkeys(("ifs", "switch", "decode"), switched),
    "case_match": matched,
    "floor_date": _floored,
    **dict.fromkeys(("weekday", "wday"), _weekday),
    "fixed": _fixed,
    "isnumber": is_number,
}
