"""What other languages call something that is here, and what they mean by it in two ways.

Rules of this module:
- a spelling with one meaning becomes the parts that say it here, so that engines know no more;
- a spelling of which two languages mean two things is refused with the line for each.
"""

from collections.abc import Callable, Sequence

from ..errors import InputError, shown
from ..fix import Fix
from .ambiguous import no_package, no_weekday
from .kinds import COPIES, FUNCTIONS, Piece
from .literals import day_of, unquoted
from .made_of import check_null, days_between, option, to_number, units_first
from .reading import Making
from .refusals import refused, unknown_function
from .tokens import Token

_Build = Callable[[Making, Sequence[Piece], int], Piece]

MODULES = frozenset({"np", "numpy", "pd", "pandas", "pl", "polars", "f"})  # of Python, and of R
MODULES |= {"dplyr", "tidyr", "stringr", "lubridate", "base", "math", "safe"}
SPACES = ("STR", "DT")  # under which data frames keep methods of text and of days
MOST_COPIES = 3
_MOST_POWER = 8
PARTS = {  # of days and moments
    **{name: name for name in ("year", "month", "day", "quarter", "hour", "minute", "second")},
    **{f"{name}s": name for name in ("year", "month", "quarter")},
    "isodow": "weekday",
    **dict.fromkeys(("dayofweekiso", "dayofweek_iso"), "weekday"),
    **dict.fromkeys(("doy", "dayofyear", "ordinal_day"), "dayofyear"),
    "isoyear": "isoyear",
    "iso_year": "isoyear",
    **dict.fromkeys(("iso_week", "isoweek"), "isoweek"),
}
_DAYS_OF_WEEK = ("dow", "dayofweek", "weekday", "day_of_week")
_RENAMED = {
    **dict.fromkeys(("ifnull", "nvl", "fillna", "fill_null", "replace_na"), "coalesce"),
    "ceiling": "ceil",
    "truncate": "trunc",
    "sgn": "sign",
    "absolute": "abs",
    "fabs": "abs",
    **dict.fromkeys(("startswith", "prefix"), "starts_with"),
    **dict.fromkeys(("endswith", "suffix"), "ends_with"),
    **dict.fromkeys(
        ("lcase", "to_lowercase", "tolower", "str_to_lower", "strlower", "lowcase", "ustrlower"),
        "lower",
    ),
    **dict.fromkeys(
        ("ucase", "to_uppercase", "toupper", "str_to_upper", "strupper", "upcase", "ustrupper"),
        "upper",
    ),
    **dict.fromkeys(
        ("len", "char_length", "character_length", "len_chars", "nchar", "str_length", "ustrlen"),
        "length",
    ),
    **dict.fromkeys(("substring", "mid"), "substr"),
    "dayofmonth": "day",
    "qtr": "quarter",
    "isodow": "weekday",
    **dict.fromkeys(("dayofweekiso", "dayofweek_iso"), "weekday"),
    **dict.fromkeys(("doy", "day_of_year", "yday"), "dayofyear"),
    **dict.fromkeys(("weekofyear", "week_of_year", "iso_week"), "isoweek"),
    "iso_year": "isoyear",
    "btrim": "trim",
    **dict.fromkeys(("timestamp_trunc", "datetime_trunc"), "date_trunc"),
    **dict.fromkeys(("minimum", "pmin"), "least"),
    **dict.fromkeys(("maximum", "pmax"), "greatest"),
}
_TYPES = {
    **dict.fromkeys(("int", "integer", "bigint", "smallint", "tinyint", "long"), "INTEGER"),
    **dict.fromkeys(("int2", "int4", "int8", "int16", "int32", "int64", "signed"), "INTEGER"),
    **dict.fromkeys(("double", "float8", "float64"), "DOUBLE"),
    **dict.fromkeys(("varchar", "text", "string", "str", "utf8"), "VARCHAR"),
    **dict.fromkeys(("date", "date32"), "DATE"),
    **dict.fromkeys(("timestamp", "datetime", "datetime2"), "TIMESTAMP"),
    **dict.fromkeys(("boolean", "bool"), "BOOLEAN"),
}
_NARROW = ("float", "real", "float4", "float32", "decimal", "numeric", "number", "dec")
_SEARCHES = {"contains": "contains", "rlike": "contains", "match": "starts_with"}
OF_PATTERNS = frozenset(".^$*+?{}[]\\|()")
_LITERALS = ("number", "text", "truth", "date", "timestamp")


def is_known(part: Piece) -> bool:
    """Say whether a condition is true or false whatever the row holds."""
    if part.op in ("and", "or", "not"):
        return all(map(is_known, part.args))
    is_settled = part.op == "coalesce" and part.args[-1].op in _LITERALS
    return is_settled or part.op in ("is_null", "truth")


def truth_test(make: Making, part: Piece, value: str, start: int, *, no: bool) -> Piece:
    """Return x IS TRUE, and its like: what is unknown is not."""
    unknown = make.part("truth", [], start, "TRUE" if value == "FALSE" else "FALSE")
    found = make.part("coalesce", [part, unknown], start)
    return found if no == (value == "FALSE") else make.part("not", [found], start)


def distinct(make: Making, one: Piece, other: Piece, start: int, *, no: bool) -> Piece:
    """Return x IS DISTINCT FROM y, or with `no` its opposite: two missing cells are alike."""
    if other.op in _LITERALS:
        same = make.part("=", [one, other], start)
        found = make.part("coalesce", [same, make.part("truth", [], start, "FALSE")], start)
        return found if no else make.part("not", [found], start)
    make.parts += _size(one) + _size(other)  # both are worked out twice
    missing = [make.part("is_null", [part], start) for part in (one, other)]
    sign = "=" if no else "<>"
    known, unknown = (make.part(sign, args, start) for args in ((one, other), missing))
    return make.part("coalesce", [known, unknown], start)


def _size(part: Piece) -> int:
    """Return how many parts a part has, itself among them."""
    return 1 + sum(map(_size, part.args))


def pattern(text: str, part: Piece, token: Token) -> tuple[str, str]:
    """Return what a pattern of LIKE asks of a text, and with which text."""
    said = unquoted(token.text)
    core = said.strip("%")
    if "[" in core:
        name, letters = text[part.start : part.end], core.replace("'", "''")
        raise refused(
            text, token.start, token.end, "this pattern has two meanings.",
            kind="expression-two-meanings",
            why="[ ] is one letter of several in T-SQL, and the letters [ and ] in other dialects",
            fix=f"write left({name}, 1) IN ('a', 'b') of one letter, contains({name}, '{letters}') "
            "of these letters",
        )  # fmt: skip
    if "_" in core or "\\" in core or "%" in core or not core:
        raise no_pattern(text, token, text[part.start : part.end])
    ops = {(False, False): "=", (False, True): "starts_with", (True, False): "ends_with"}
    return ops.get((said.startswith("%"), said.endswith("%")), "contains"), core


def no_pattern(text: str, token: Token, name: str = "name", sought: str = "") -> InputError:
    """Return the error for a pattern that is more than a beginning, an end or a part."""
    ends = unquoted(token.text).split("%") if token.kind == "text" else []
    quoted = [one.replace("'", "''") for one in (ends[0], ends[-1])] if ends else []
    fix = f"write starts_with({name}, 'a'), ends_with({name}, 'a') or contains({name}, 'a')"
    if sought[-1:] == "$" and not OF_PATTERNS & {*(core := sought.removeprefix("^")[:-1])} and core:
        core = core.replace("'", "''")
        fix = (
            f"write {name} = '{core}'" if sought[0] == "^" else f"write ends_with({name}, '{core}')"
        )
    elif not "".join(ends):
        fix = f"write {name} IS NOT NULL" if ends else fix
    elif len(ends) == 2 and all(quoted) and not set("_\\") & set("".join(ends)):
        asked = f"starts_with({name}, '{quoted[0]}') AND ends_with({name}, '{quoted[1]}')"
        fix = f"write {asked} AND length({name}) >= {len(ends[0]) + len(ends[1])}"
    return refused(
        text,
        token.start,
        token.end,
        "this pattern is not of the language.",
        why="engines differ in what they escape; of % alone, at an end, there is one meaning",
        fix=fix,
    )


def is_half(part: Piece) -> bool:
    """Say whether a power is a root."""
    return part.op == "number" and part.value == "0.5"


def whole_power(text: str, part: Piece) -> int:
    """Return how often a power takes its base: a whole number that is typed, or once for a root."""
    if is_half(part):
        return 1
    if part.op == "number" and part.value.isdigit() and 1 < int(part.value) <= _MOST_POWER:
        return int(part.value)
    raise refused(
        text,
        part.start,
        part.end,
        f"a power is a whole number from 2 to {_MOST_POWER} here.",
        why="it is worked out as a product; libraries differ in the last digit of others",
        fix="write such as x ** 2, x * x, 1 / x or sqrt(x); with log2 larger powers are compared",
    )


def power_of(make: Making, args: Sequence[Piece], start: int) -> Piece:
    """Return a whole power as a product, and a half as the root."""
    if is_half(args[1]):
        return make.part("sqrt", args[:1], start)
    found = base = args[0]
    for _ in range(whole_power(make.text, args[1]) - 1):
        found = make.part("*", [found, base], start)
    return found


def cast_to(make: Making, part: Piece, token: Token, start: int) -> Piece:
    """Return a part as what it is cast to."""
    name = token.text.strip("\"'").lower()
    to = _TYPES.get(name)
    said = make.text[part.start : part.end]
    if to == "DATE" and part.op == "text" and day_of(part.value) is not None:
        return make.part("date", [], start, part.value)
    if to is not None:
        return make.part("cast", [part], start, to)
    if part.op == "column" and name not in _NARROW and make.text[token.end :].lstrip()[:1] == "(":
        raise no_package(make, part, token, start)
    why = "types have other names and other widths elsewhere"
    fix = f"write {said} alone: a column is read as what it is compared with"
    if name in _NARROW:
        why = "it has 32 bits in one engine and 64 in another, or no digits behind the point"
        fix = f"write CAST({said} AS DOUBLE), or round({said}, 2) for so many digits"
    return refused_cast(make.text, token, why, fix)


def refused_cast(text: str, token: Token, why: str, fix: Fix) -> Piece:
    """Raise the error for a cast to a type that is not one of the language."""
    raise refused(
        text, token.start, token.end, "this type is not of the language.", why=why, fix=fix
    )


def part_of_date(make: Making, token: Token, name: str, args: Sequence[Piece]) -> Piece:
    """Return what EXTRACT and date_part take of a day or a moment."""
    said = make.text[args[0].start : args[0].end]
    function = PARTS.get(name.lower())
    if function == "second":
        why, fix = "elsewhere it has digits behind the point", f"write second({said})"
    elif name.lower() == "epoch":
        why, fix = "elsewhere it has digits behind the point", f"write seconds({said})"
    elif name.lower() == "week":
        why, fix = "weeks begin on Sunday in some languages", f"write isoweek({said})"
    elif name.lower() in _DAYS_OF_WEEK:
        raise no_weekday(make.text, token, said)
    elif function is not None:
        return make.part(function, args, token.start)
    else:
        why = "there are " + ", ".join(dict.fromkeys(PARTS.values()))
        fix = f"write year({said}), month({said}) or days({said}, DATE '2026-11-02')"
    raise refused(
        make.text, token.start, token.end, f"{shown(name)} is not taken of it.", why=why, fix=fix
    )


def copies_of(name: str) -> int:
    """Return how often the arguments of a function are worked out at most."""
    own = {"pow": _MOST_POWER, "power": _MOST_POWER, "square": 2, "if_else": 2}
    return own.get(name, COPIES.get(name, 1))


def called(make: Making, token: Token, name: str, args: Sequence[Piece]) -> Piece:
    """Return a function of arguments, by whatever name it is called."""
    if name in ("dayofweek", "dow", "day_of_week"):
        said = make.text[args[0].start : args[0].end] if args else "d"
        raise no_weekday(make.text, token, said)
    if name in ("date_part", "datepart") and len(args) == 2 and args[0].op in ("text", "column"):
        return part_of_date(make, token, args[0].value, args[1:])
    if name in _BUILT:
        least, most, build = _BUILT[name]
        _check_count(make, token, name, args, (least, most))
        return build(make, args, token.start)
    own = _RENAMED.get(name, name)
    if own == "date_trunc":
        args = units_first(make, args)
    if own not in FUNCTIONS:
        raise unknown_function(make.text, token.start, token.end, ", ".join(FUNCTIONS))
    _check_count(make, token, own, args, FUNCTIONS[own])
    check_null(make, args)
    return make.part(own, args, token.start)


def begins(make: Making, token: Token, args: Sequence[Piece], start: int) -> Piece:
    """Return whether a text begins as a pattern says, ^abc, which has no other sign."""
    cell, sought = args
    if sought.value[:1] != "^" or OF_PATTERNS & {*sought.value[1:]} or not sought.value[1:]:
        raise no_pattern(make.text, token, make.text[cell.start : cell.end], sought.value)
    text = make.part("text", [], sought.start, sought.value[1:])
    return make.part("starts_with", [cell, text], start)


def plain_search(
    make: Making, token: Token, args: Sequence[Piece], start: int, *, op: str = "contains"
) -> Piece:
    """Return whether a text has another in it, as a pattern of letters says, or ^ and letters."""
    if OF_PATTERNS & {*args[1].value} or not args[1].value:
        return begins(make, token, args, start)
    return make.part(op, args, start)


def check_framed(make: Making, token: Token, said: str, *others: Piece) -> None:
    """Refuse what data frames call as it is called here, and mean in another way."""
    inside = ", ".join([said, *(make.text[part.start : part.end] for part in others)])
    told = {
        "round": ("it rounds halves to even", f"write round({inside}), which rounds halves up"),
        "strip": ("it takes tabs and line ends away, too", f"write trim({said}), of blanks"),
        "is_nan": ("NaN is a missing cell here", f"write {said} IS NULL"),
        "strip_chars": ("it takes tabs and line ends away, too", f"write trim({said}), of blanks"),
        "ne": ("pandas counts a missing cell", f"write {said} <> 1, or add OR {said} IS NULL"),
    }
    if (name := token.text.lower()) in told:
        why, fix = told[name]
        raise refused(
            make.text, token.start, token.end, "this means another thing.", why=why, fix=fix
        )


def method(make: Making, token: Token, args: Sequence[Piece]) -> Piece:
    """Return what a method of a column is."""
    name, said = token.text.lower(), make.text[args[0].start : args[0].end]
    if name in PARTS and len(args) == 1:
        return called(make, token, PARTS[name], args)
    if name in ("date", "normalize") and len(args) == 1:
        return make.part("cast", args, token.start, "DATE")
    if name in ("eq_missing", "ne_missing") and len(args) == 2:
        return distinct(make, args[0], args[1], token.start, no=name == "eq_missing")
    name = "ln" if name == "log" and len(args) == 1 else name
    if name in ("weekday", "day_of_week"):
        raise no_weekday(make.text, token, said)
    if name in _METHODS:
        op, least = _METHODS[name]
        _check_count(make, token, name, args, (least, least))
        return make.part(op, args, token.start)
    check_framed(make, token, said, *args[1:])
    if name in _SEARCHES and len(args) == 2 and args[1].op == "text":
        return plain_search(make, token, args, token.start, op=_SEARCHES[name])
    return called(make, token, name, args)


def _check_count(
    make: Making, token: Token, name: str, args: Sequence[Piece], of: tuple[int, int]
) -> None:
    least, most = of
    if least <= len(args) <= most:
        return
    many = str(least) if least == most else f"{least} to {most}"
    raise refused(
        make.text,
        token.start,
        args[-1].end if args else token.end,
        f"{name} was given {len(args)} argument(s).",
        why=f"it takes {many}",
        fix=_usage(make, name, args, least),
    )


def _usage(make: Making, name: str, args: Sequence[Piece], least: int) -> str:
    """Return what to type where a function has too few arguments, or too many."""
    if name in ("floor", "ceil") and len(args) == 2 and args[1].op == "number":
        said, step = (make.text[part.start : part.end] for part in args)
        return f"write {name}({said} / {step}) * {step}: whole steps of {step}"
    if name == "date":
        return "write DATE '2026-11-03', the day in this form"
    return f"write {name}({', '.join(('x', 'y', 'z')[:least])})"


def _chosen(make: Making, args: Sequence[Piece], start: int) -> Piece:
    if all(one.op == "null" for one in args[1:]):
        check_null(make, args)
    check_null(make, args[:1])
    return make.part("case", args, start)


def _chosen_of_known(make: Making, args: Sequence[Piece], start: int) -> Piece:
    """Return what R and Stata choose, where the condition is never unknown: else they differ."""
    if not is_known(args[0]):
        test, yes, no = (make.text[one.start : one.end] for one in args)
        raise refused(
            make.text,
            start,
            args[-1].end,
            "what a missing cell gives has several meanings here.",
            why="R gives nothing, SQL and pandas the other value, Stata takes it as the largest",
            fix=f"write CASE WHEN {test} THEN {yes} WHEN NOT ({test}) THEN {no} END for nothing, "
            f"CASE WHEN {test} THEN {yes} ELSE {no} END for the other value",
        )
    return _chosen(make, args, start)


def _chosen_of_three(make: Making, args: Sequence[Piece], start: int) -> Piece:
    """Return what dplyr's if_else gives, which may say what it gives where nothing is known."""
    if len(args) == 3:  # exact: arguments
        return _chosen_of_known(make, args, start)
    test, yes, no, unknown = args
    unknown = option(unknown, "missing") or unknown
    check_null(make, args[:1])
    return make.part("case", [test, yes, make.part("not", [test], start), no, unknown], start)


def _null_test(make: Making, args: Sequence[Piece], start: int) -> Piece:
    check_null(make, args)
    if len(args) == 2:
        return make.part("coalesce", args, start)
    return make.part("is_null", args, start)


def _not_null(make: Making, args: Sequence[Piece], start: int) -> Piece:
    return make.part("not", [_null_test(make, args, start)], start)


def _powered(make: Making, args: Sequence[Piece], start: int) -> Piece:
    check_null(make, args)
    return power_of(make, args, start)


def _clipped(make: Making, args: Sequence[Piece], start: int) -> Piece:
    check_null(make, args)
    return make.part("least", [make.part("greatest", args[:2], start), args[2]], start)


def _to(name: str) -> _Build:
    def build(make: Making, args: Sequence[Piece], start: int) -> Piece:
        check_null(make, args)
        return make.part("cast", args, start, name)

    return build


def _log(make: Making, args: Sequence[Piece], start: int) -> Piece:
    check_null(make, args)
    factor = make.part("number", [], start, "0.6931471805599453")
    return make.part("*", [make.part("log2", args, start), factor], start)


def _as(op: str) -> _Build:
    def build(make: Making, args: Sequence[Piece], start: int) -> Piece:
        check_null(make, args)
        return make.part(op, args, start) if len(args) > 1 else args[0]

    return build


def _zeroed(make: Making, args: Sequence[Piece], start: int) -> Piece:
    check_null(make, args)
    return make.part("coalesce", [*args, make.part("number", [], start, "0")], start)


def _chosen_if_there(make: Making, args: Sequence[Piece], start: int) -> Piece:
    return _chosen(make, [_not_null(make, args[:1], start), *args[1:]], start)


def _squared(make: Making, args: Sequence[Piece], start: int) -> Piece:
    check_null(make, args)
    return make.part("*", [*args, *args], start)


_BUILT: dict[str, tuple[int, int, _Build]] = {
    **dict.fromkeys(("if", "iff", "iif"), (2, 3, _chosen)),
    **dict.fromkeys(("ifelse", "cond", "fifelse"), (3, 3, _chosen_of_known)),
    "if_else": (3, 4, _chosen_of_three),
    "to_numeric": (1, 2, to_number),
    **dict.fromkeys(("safe_divide", "try_divide"), (2, 2, _as("/"))),
    "where": (3, 3, _chosen),
    "isnull": (1, 2, _null_test),
    **dict.fromkeys(("isna", "is_null", "isnan", "missing", "mi"), (1, 1, _null_test)),
    "between": (3, 3, _as("between")),
    "xor": (2, 2, _as("<>")),
    "zeroifnull": (1, 1, _zeroed),
    "nvl2": (3, 3, _chosen_if_there),
    "square": (1, 1, _squared),
    "inlist": (2, 255, _as("in")),
    "inrange": (3, 3, _as("between")),
    "datediff": (2, 3, days_between),
    "date_diff": (3, 3, days_between),
    "all_horizontal": (1, 50, _as("and")),
    "any_horizontal": (1, 50, _as("or")),
    **dict.fromkeys(("notna", "notnull", "isnotnull", "is_not_null"), (1, 1, _not_null)),
    **dict.fromkeys(("pow", "power"), (2, 2, _powered)),
    "clip": (3, 3, _clipped),
    "and": (2, 255, _as("and")),
    "or": (2, 255, _as("or")),
    "isblank": (1, 1, _null_test),
    "exact": (2, 2, _as("=")),
    "quotient": (2, 2, _as("div")),
    "int": (1, 1, _to("INTEGER")),
    "float": (1, 1, _to("DOUBLE")),
    "date": (1, 1, _to("DATE")),
    "ln": (1, 1, _log),
}
_METHODS = {  # of columns: the operator that each is, and how many arguments it has
    "eq": ("=", 2),
    "gt": (">", 2),
    "ge": (">=", 2),
    "lt": ("<", 2),
    "le": ("<=", 2),
    "add": ("+", 2),
    "sub": ("-", 2),
    "mul": ("*", 2),
    **dict.fromkeys(("div", "truediv"), ("/", 2)),
    "floordiv": ("div", 2),
    "not_": ("not", 1),
    "and_": ("and", 2),
    "or_": ("or", 2),
    **dict.fromkeys(("between", "is_between"), ("between", 3)),
}
