"""One expression in the words of SQL's dialects, of Python's data frames, or of R and Stata.

Rules of this module:
- each way to write a part is one that `docs/rows.md` takes; which one is chance, by a seed;
- a negation of what may be unknown is written as SQL has it, and nothing beside it as frames do.
"""

import random
import re
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

from discreet.errors import InputError
from discreet.expressions import expression
from discreet.expressions.spellings import OF_PATTERNS, is_known
from discreet.expressions.tokens import MAX_LETTERS

STYLES = ("sql", "python", "r", "sheet")
_NAMES = {
    "ceil": ["ceil", "CEILING"],
    "sign": ["sign", "SGN"],
    "abs": ["abs", "ABS"],
    "least": ["least", "LEAST"],
    "greatest": ["greatest", "GREATEST"],
    "trunc": ["trunc", "TRUNCATE"],
    "lower": ["lower", "LCASE"],
    "upper": ["upper", "UCASE"],
    "length": ["length", "LEN", "char_length"],
    "trim": ["trim", "BTRIM"],
    "isoweek": ["isoweek", "weekofyear"],
    "dayofyear": ["dayofyear", "DOY"],
}
_OF_FORMULAS = {"floor": ["INT"]}  # what begins with =, and only there
_OF_R = {
    "least": ["pmin"],
    "greatest": ["pmax"],
    "lower": ["tolower", "str_to_lower", "strlower"],
    "upper": ["toupper", "str_to_upper", "strupper"],
    "length": ["nchar", "str_length"],
}
_PARTS = ("year", "month", "day", "quarter", "hour", "minute", "dayofyear", "isoyear")
_OF_SHEETS = {"left": ["LEFT"], "right": ["RIGHT"], "substr": ["MID"], "length": ["LEN"]}
_OF_SHEETS |= {"lower": ["LOWER"], "upper": ["UPPER"], "trim": ["TRIM"]}
_WORDS = {"=": "eq", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_SIGNS = {"mod": {"sql": ["%", "MOD"], "python": ["%"], "r": ["%%"], "sheet": ["MOD"]}}
_SIGNS["div"] = {"sql": ["//", "DIV"], "python": ["//"], "r": ["%/%"], "sheet": ["DIV"]}
_METHODS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv"}
_MANY = 60  # parts: of more a spelling may be counted as more than may be written
_FEW = 12  # parts that a method may stand behind: it is counted as often as the longest one copies


def respelled(text: str, seed: int, ways: set[str] | None = None, *, is_whole: bool = True) -> str:
    """Return an expression in other words, which mean the same.

    Args:
        text: the expression.
        seed: which words.
        ways: takes the ways to write a part that were used, each with `#` for its own parts.
        is_whole: whether it stands alone: only then a formula may begin with `=`.

    Example:
        >>> respelled("x IN (1, 2) AND s IS NULL", 1) != "x IN (1, 2) AND s IS NULL"
        True
    """
    part = expression(text).part
    chance = random.Random(seed)
    style = chance.choice(STYLES) if not _denies(part) else "sql"
    speller = _Speller(chance, style, is_plain=_denies(part))
    speller.is_formula &= is_whole
    said = "=" * speller.is_formula + speller.said(part)
    if len(said) > MAX_LETTERS or _size(part) >= _MANY or _is_long(said):
        return text
    if ways is not None:
        ways |= speller.ways
    return said


def _denies(part: Any) -> bool:
    """Say whether something in a part is denied that may be unknown."""
    return (part.op == "not" and not is_known(part.args[0])) or any(map(_denies, part.args))


def _is_long(said: str) -> bool:
    """Tell whether words of few parts stand for more than may be written: a day of a day of a day."""
    try:
        expression(said)
    except InputError as refused:
        return "has more than" in str(refused)
    return False


def _size(part: Any) -> int:
    return 1 + sum(map(_size, part.args))


class _Speller:
    def __init__(self, chance: random.Random, style: str, *, is_plain: bool) -> None:
        self._chance, self._style, self._is_plain = chance, style, is_plain
        self.is_formula = style == "sheet" and chance.random() < 0.5
        self._inside: list[list[str]] = [[]]  # the texts of a part's own parts, as it is written
        self.ways: set[str] = set()

    def said(self, part: Any) -> str:
        """Return a part, in parentheses where it is more than a word or a call."""
        self._inside.append([])
        text = self._written(part)
        self.ways.add(_way(part, text, self._inside.pop()))
        self._inside[-1].append(text)
        return text

    def _written(self, part: Any) -> str:
        own = getattr(self, f"_{_KINDS.get(part.op, part.op)}", None)
        if own is not None:
            return str(own(part))
        names = _NAMES.get(part.op, [part.op])
        r, sheet = _OF_R.get(part.op, names), _OF_SHEETS.get(part.op, names)
        if self.is_formula:
            sheet = sheet + _OF_FORMULAS.get(part.op, [])
        return self._call(self._of_style(sql=names, r=r, sheet=sheet), part.args)

    def _pick(self, ways: list[str]) -> str:
        return self._chance.choice(ways)

    def _call(self, name: str, args: Any) -> str:
        return f"{name}({', '.join(map(self.said, args))})"

    def _of_style(self, **ways: list[str]) -> str:
        return self._pick(ways.get(self._style, ways["sql"]))

    def _column(self, part: Any) -> str:
        name = part.value
        return self._of_style(
            sql=[name, f"t.{name}", f'"{name}"', f"`{name}`"],
            python=[f"df['{name}']", f'pl.col("{name}")', f"df.{name}"],
            r=[name, f"df${name}", f".data${name}"],
            sheet=[name, f"[@{name}]", f"[@[{name}]]"],
        )

    def _number(self, part: Any) -> str:
        value = Fraction(part.value)
        if value.denominator in (1, 2, 10) and value < 10**6 and self._chance.random() < 0.3:
            more = Fraction(self._chance.randrange(1, 99), 10)
            return f"({_decimal(value + more)} - {_decimal(more)})"
        return str(part.value)

    def _text(self, part: Any) -> str:
        return "'" + str(part.value).replace("'", "''") + "'"

    def _truth(self, part: Any) -> str:
        return self._pick([part.value, part.value.lower(), part.value.title()])

    def _null(self, _part: Any) -> str:
        return self._of_style(sql=["NULL"], python=["None"])

    def _date(self, part: Any) -> str:
        day = date.fromisoformat(part.value)
        of = f"{day.year}, {day.month}, {day.day}"
        if self._style == "sheet" and day.year >= 1900:  # to one below a spreadsheet adds 1900
            return f"DATE({of})"
        ways = [f"DATE '{day}'", f"'{day}'::date", f"CAST('{day}' AS DATE)", f"TO_DATE('{day}')"]
        ways += [f"MAKE_DATE({of})"]
        if day > date.min + timedelta(days=40):
            ways.append(f"(DATE '{day - timedelta(days=40)}' + INTERVAL '40' DAY)")
        return self._of_style(
            sql=ways, python=[f"pl.date({of})", f"datetime.date({of})"], r=[f"as.Date('{day}')"]
        )

    def _timestamp(self, part: Any) -> str:
        return f"TIMESTAMP '{part.value.replace(' ', self._pick([' ', 'T']))}'"

    def _joined(self, part: Any) -> str:
        is_and = part.op == "and"
        if self._style == "sheet":
            return self._call("AND" if is_and else "OR", part.args)
        words = ["AND", "and", "&&"] if is_and else ["OR", "or"]
        word = self._of_style(sql=words, python=["&" if is_and else "|", part.op])
        return "(" + f" {word} ".join(f"({self.said(arg)})" for arg in part.args) + ")"

    def _not(self, part: Any) -> str:
        inner = f"({self.said(part.args[0])})"
        if self._style == "sheet":
            return f"NOT{inner}"
        sign = self._of_style(sql=["NOT ", "not "], python=["~", "not "], r=["!"])
        return f"({sign}{inner})"

    def _compared(self, part: Any) -> str:
        one, other = map(self.said, part.args)
        signs = {"<=": ["<=", "\u2264"], ">=": [">=", "\u2265"]}.get(part.op, [part.op])
        if self._style == "sheet":
            signs = ["="] if part.op == "=" else [*signs[:1]]
        elif part.op == "=" and not self._is_plain:
            signs = ["=", "=="]
        elif part.op == "<>" and self._is_plain:
            signs = ["<>", "!=", "\u2260"]
        is_small = self._style == "python" and part.op in _WORDS and _size(part) < _FEW
        if is_small and self._chance.random() < 0.3:
            return f"({one}).{_WORDS[part.op]}({other})"
        return f"(({one}) {self._pick(signs)} ({other}))"

    def _in(self, part: Any) -> str:
        one, *rest = map(self.said, part.args)
        listed = ", ".join(rest)
        return self._of_style(
            sql=[f"({one} IN ({listed}))", f"({one} in [{listed}])"],
            python=[
                f"({one}).isin([{listed}])",
                f"({one}).is_in([{listed}])",
                f"({one}).isin({{{listed}}})",
                f"({one} in {{{listed}}})",
            ],
            r=[
                f"({one} %in% c({listed}))",
                f"inlist({one}, {listed})",
                f"is.element({one}, c({listed}))",
            ],
        )

    def _between(self, part: Any) -> str:
        one, low, high = map(self.said, part.args)
        ways = [f"({one} BETWEEN {low} AND {high})"]
        is_small = self._style == "python" and _size(part) < _FEW
        methods = [f"({one}).between({low}, {high})", f"({one}).is_between({low}, {high})"]
        r = [f"between({one}, {low}, {high})"]
        if {part.args[1].op, part.args[2].op} <= {"number", "date"}:  # open where an end is missing
            r += [f"inrange({one}, {low}, {high})", f"(({one}) %between% c({low}, {high}))"]
        return self._of_style(sql=ways, python=methods if is_small else ways, r=r)

    def _is_null(self, part: Any) -> str:
        one = self.said(part.args[0])
        if self._style == "sheet":
            return f"ISBLANK({one})"
        sql = [f"({one} IS NULL)", f"({one} ISNULL)", f"isnull({one})"]
        return self._of_style(
            sql=sql, python=[f"({one}).isna()", f"({one}).is_null()"],
            r=[f"is.na({one})", f"missing({one})"],
        )  # fmt: skip

    def _sum(self, part: Any) -> str:
        one, other = map(self.said, part.args)
        is_small = self._style == "python" and _size(part) < _FEW
        if is_small and self._chance.random() < 0.3:
            return f"({one}).{_METHODS[part.op]}({other})"
        return f"({one} {part.op} {other})"

    def _neg(self, part: Any) -> str:
        return f"(-({self.said(part.args[0])}))"

    def _rest(self, part: Any) -> str:
        one, other = map(self.said, part.args)
        signs = _SIGNS[part.op][self._style]
        infix = f"(({one}) {self._pick(signs)} ({other}))"
        return self._pick([infix, f"{part.op}({one}, {other})"])

    def _coalesce(self, part: Any) -> str:
        if len(part.args) != 2:
            return self._call("COALESCE", part.args)
        one, other = map(self.said, part.args)
        ways = [f"{name}({one}, {other})" for name in ("coalesce", "ifnull", "NVL", "COALESCE")]
        is_small = self._style == "python" and _size(part) < _FEW
        methods = [f"({one}).fillna({other})", f"({one}).fill_null({other})"]
        r = [f"coalesce({one}, {other})", f"replace_na({one}, {other})"]
        return self._of_style(sql=ways, python=methods if is_small else ways, r=r)

    def _case(self, part: Any) -> str:
        texts = [self.said(arg) for arg in part.args]
        if self._style == "sheet" and "NULL" not in texts and len(texts) > 1:
            otherwise = ["TRUE", texts.pop()] if len(texts) % 2 else []
            return f"IFS({', '.join([*texts, *otherwise])})"
        pairs = list(zip(texts[0::2], texts[1::2], strict=False))
        other = texts[-1] if len(texts) % 2 else None
        case = "CASE " + " ".join(f"WHEN {one} THEN {gives}" for one, gives in pairs)
        sql = [f"({case}{'' if other is None else f' ELSE {other}'} END)"]
        if len(pairs) == 1:
            args = ", ".join(texts)
            sql += [f"IF({args})", f"IIF({args})"]
        chain = "".join(f".when({one}).then({gives})" for one, gives in pairs)
        python = [f"pl{chain}" + ("" if other is None else f".otherwise({other})")]
        if len(pairs) == 1 and other is not None:
            python.append(f"({texts[1]} if {texts[0]} else {other})")
        last = "" if other is None else self._pick([f", TRUE ~ {other}", f", .default = {other}"])
        r = ["case_when(" + ", ".join(f"({one}) ~ {gives}" for one, gives in pairs) + f"{last})"]
        return self._of_style(sql=sql, python=python, r=sql if "NULL" in texts else r)

    def _sqrt(self, part: Any) -> str:
        one = self.said(part.args[0])
        calls = [f"sqrt({one})", f"POWER({one}, 0.5)"]
        return self._of_style(sql=calls, python=[f"(({one}) ** 0.5)", f"np.sqrt({one})"])

    def _trunc(self, part: Any) -> str:
        one = self.said(part.args[0])
        sheet = [f"TRUNC({one})", *[f"ROUNDDOWN({one}, 0)"] * self.is_formula]
        return self._of_style(sql=[f"trunc({one})", f"TRUNCATE({one})"], sheet=sheet)

    def _weekday(self, part: Any) -> str:
        one = self.said(part.args[0])
        sql, r = [f"weekday({one})"], [f"wday({one}, week_start = 1)"]
        return self._of_style(sql=sql, r=r, sheet=[f"WEEKDAY({one}, 2)"])

    def _part(self, part: Any) -> str:
        name, one = part.op, self.said(part.args[0])
        sql = [f"{name}({one})", f"date_part('{name}', {one})"]
        if name != "dayofyear":
            sql.append(f"EXTRACT({name} FROM {one})")
        r = [f"yday({one})"] if name == "dayofyear" else sql[:1]
        return self._of_style(
            sql=sql, python=[f"({one}).dt.{name}", f"{name}({one})"], r=r, sheet=sql[:1]
        )

    def _date_trunc(self, part: Any) -> str:
        unit, one = part.args[0].value, self.said(part.args[1])
        ways = [f"date_trunc('{unit}', {one})", f"DATE_TRUNC('{unit.upper()}', {one})"]
        r = ways if unit == "week" else [f"floor_date({one}, '{unit}')"]
        sheet = [f"date_trunc('{unit}', {one})"]
        floors = {"day": "D", "hour": "h", "minute": "min", "second": "s"}
        if self._style == "python" and unit in floors:
            return f"({one}).dt.floor('{floors[unit]}')"
        return self._of_style(sql=[*ways, f"DATE_TRUNC({one}, {unit.upper()})"], r=r, sheet=sheet)

    def _sought(self, part: Any) -> str:
        one, sought = self.said(part.args[0]), part.args[1].value
        quoted = self._text(part.args[1])
        before, after = ("%" * (part.op != "starts_with"), "%" * (part.op != "ends_with"))
        sql = [f"{part.op}({one}, {quoted})"]
        if not {*"%_\\"} & {*sought}:
            sql.append(f"(({one}) LIKE {quoted[:1]}{before}{quoted[1:-1]}{after}')")
        if part.op == "contains":
            sql += [f"(POSITION({quoted} IN {one}) > 0)", f"(STRPOS({one}, {quoted}) >= 1)"]
        if part.op == "starts_with":
            sql += [f"(POSITION({quoted} IN {one}) = 1)", f"(STRPOS({one}, {quoted}) = 1)"]
        method = {"starts_with": "startswith", "ends_with": "endswith"}.get(part.op, part.op)
        r = {"starts_with": "str_starts", "ends_with": "str_ends"}.get(part.op, "str_detect")
        is_pattern = bool(OF_PATTERNS & {*sought})
        if self._style == "sheet":
            return f"{part.op}({one}, {quoted})"
        if part.op != "ends_with" and not is_pattern and self._chance.random() < 0.3:
            return self._by_pattern(part.op, one, quoted)
        return self._of_style(
            sql=sql, python=[f"({one}).str.{method}({quoted})"] if not is_pattern else sql[:1],
            r=[f"{r}({one}, {quoted})"] if not is_pattern else self._fixed(r, one, quoted) or sql[:1],
        )  # fmt: skip

    def _by_pattern(self, op: str, one: str, quoted: str) -> str:
        """Write a search as a pattern of letters, of a beginning or of any part."""
        letters = quoted
        quoted = quoted[:1] + "^" + quoted[1:] if op == "starts_with" else quoted
        python = [f"({one}).str.contains({quoted})", f"({one}).rlike({quoted})"]
        if op == "starts_with":
            python.append(f"({one}).str.match({letters})")
        return self._of_style(
            sql=[f"REGEXP_CONTAINS({one}, {quoted})", f"regexp_matches({one}, {quoted})"],
            python=python,
            r=[
                f"str_detect({one}, {quoted})",
                f"grepl({quoted}, {one})",
                f"regexm({one}, {quoted})",
                f"(({one}) %like% {quoted})",
            ],
            sheet=[f"{op}({one}, {letters})"],
        )

    def _fixed(self, name: str, one: str, quoted: str) -> list[str]:
        return [f"str_detect({one}, fixed({quoted}))"] if name == "str_detect" else []

    def _cut(self, part: Any) -> str:
        one, *places = map(self.said, part.args)
        places = [arg.value for arg in part.args[1:]]
        call = f"{part.op}({', '.join([one, *places])})"
        if part.op == "substr":
            low, size = map(int, places)
            sql = [call, f"SUBSTRING({one} FROM {low} FOR {size})", f"MID({one}, {low}, {size})"]
            return self._of_style(sql=sql, python=[f"({one}).str[{low - 1}:{low - 1 + size}]"]
                                  if low > 1 else [call],
                                  r=[f"str_sub({one}, {low}, {low + size - 1})"]
                                  if low > 1 else [call])  # fmt: skip
        if part.op == "left":
            python = [f"({one}).str[:{places[0]}]", f"({one}).str.head({places[0]})", call]
            return self._of_style(sql=[call], python=python)
        return self._of_style(sql=[call], python=[f"({one}).str.tail({places[0]})", call])

    def _cast(self, part: Any) -> str:
        one, name = self.said(part.args[0]), part.value
        sql = [f"CAST({one} AS {name})", f"({one})::{name}", f"TRY_CAST({one} AS {name})"]
        python = [f"({one}).astype('{name.lower()}')"]
        if name == "DATE":
            python.append(f"({one}).dt.normalize()")
        return self._of_style(sql=sql, python=python, r=sql[:1], sheet=sql[:1])


def _way(part: Any, text: str, inside: list[str]) -> str:
    """Return how a part was written, with # for its own parts, and for literals and names."""
    if part.op == "column":
        return f"column: {text.replace(part.value, '#')}"
    for inner in sorted(inside, key=len, reverse=True):
        text = text.replace(inner, "#")
    text = re.sub(r"'[^']*(''[^']*)*'", "'#'", text) if part.op not in ("case", "cast") else text
    text = re.sub(r"\d+(\.\d+)?(e[-+]?\d+)?", "9", text)
    return f"{part.op}: {re.sub(r'(#, |WHEN # THEN # |.when.#..then.#.|.#. ~ #, )+', lambda m: m[1], text)}"


def _decimal(value: Fraction) -> str:
    """Return a rational of few places as a decimal."""
    whole, rest = divmod(value.numerator * 10 // value.denominator, 10)
    return f"{whole}.{rest}"


_KINDS = {
    **dict.fromkeys(("and", "or"), "joined"),
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">="), "compared"),
    **dict.fromkeys("+-*/", "sum"),
    **dict.fromkeys(("mod", "div"), "rest"),
    **dict.fromkeys(_PARTS, "part"),
    **dict.fromkeys(("starts_with", "ends_with", "contains"), "sought"),
    **dict.fromkeys(("left", "right", "substr"), "cut"),
}
