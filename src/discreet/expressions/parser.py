"""From a text to its parts: a grammar of expressions over one row, and nothing else of SQL.

What to type where a word or a sign cannot stand: by what is before it, and what belongs there.

Rules of this module:
- what the grammar does not name cannot be written: sub-queries, windows, casts and statements have
  no rule that reads them, so that none needs to be forbidden;
- AND binds before OR, NOT before both; one comparison at most stands without parentheses;
- each fix is a line to type, or says which sign to leave out.

Decision 20.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..errors import InputError, shown
from .kinds import FUNCTIONS, Piece
from .literals import day_of, moment_of, number, unquoted
from .refusals import OUTSIDE, refused, unknown_function
from .tokens import MAX_LETTERS, Token, tokens

MAX_PARTS = 600
_DEEPEST = 40
_LEVELS = 120  # far beyond what is answered: whoever walks through the parts must come to an end
_COMPARED = ("=", "<>", "!=", "<", "<=", ">", ">=")
RESERVED = frozenset(
    {
        *("AND", "OR", "NOT", "IN", "IS", "NULL", "BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "END"),
        *("TRUE", "FALSE", "SELECT", "FROM", "WHERE", "GROUP", "BY", "HAVING", "ORDER", "LIMIT"),
        *("OVER", "UNION", "EXCEPT", "INTERSECT", "LIKE", "ILIKE", "SIMILAR", "EXISTS", "AS"),
        *("DISTINCT", "JOIN", "ON", "WITH", "CAST", "COLLATE", "INTERVAL", "ESCAPE", "FILTER"),
        *("WITHIN", "ANY", "ALL", "SOME", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"),
        *("LOCALTIME", "LOCALTIMESTAMP", "CURRENT_USER", "SESSION_USER"),
    }
)


def parsed(text: str) -> Piece:
    """Return the parts of an expression.

    Raises:
        InputError: it is not of the language; the place is marked.
    """
    if len(text) > MAX_LETTERS:
        raise InputError(
            f"the expression has more than {MAX_LETTERS:,} letters.",
            why="it is shown in every release",
            fix="derive columns for parts of it, and use their names",
        )
    reader = Parser(text, tokens(text))
    found = reader.whole()
    reader.expect_end()
    return found


@dataclass(slots=True)
class Parser:
    """Reads one text from its start to its end."""

    text: str
    tokens: Sequence[Token]
    place: int = 0
    depth: int = 0
    parts: int = field(default=0)

    @property
    def here(self) -> Token:
        """The next word or sign."""
        return self.tokens[self.place]

    def take(self, *words: str) -> Token | None:
        """Return the next word or sign if it is one of these, and go on behind it."""
        found = self.here
        if not found.says(*words):
            return None
        self.place += 1
        return found

    def need(self, word: str) -> Token:
        """Return the next word or sign, which must be this one."""
        found = self.take(word)
        if found is None:
            raise self.wrong(word)
        return found

    def wrong(self, wanted: str) -> InputError:
        """Return the error for what stands here."""
        return misplaced(self.text, self.tokens, self.place, wanted)

    def expect_end(self) -> None:
        """Refuse what stands behind an expression."""
        if self.here.kind != "end":
            raise self.wrong(BEHIND)

    def part(self, op: str, args: Sequence[Piece], start: int, value: str = "") -> Piece:
        """Return a part that ends here."""
        self.parts += 1
        end = self.tokens[self.place - 1].end
        if self.parts > MAX_PARTS:
            raise refused(
                self.text,
                start,
                end,
                f"the expression has more than {MAX_PARTS} parts.",
                why="each part is worked out for each row",
                fix="write it shorter, with IN and band, or derive columns for parts of it",
            )
        levels = 1 + max((one.levels for one in args), default=0)
        if levels > _LEVELS:
            raise self._too_deep(start, end, _LEVELS)
        return Piece(op, tuple(args), value, start, end, levels)

    def _too_deep(self, start: int, end: int, most: int) -> InputError:
        return refused(
            self.text,
            start,
            end,
            f"the expression is nested more than {most} deep.",
            why="engines limit how deep they read",
            fix="derive columns for parts of it, and use their names",
        )

    def whole(self) -> Piece:
        """Read an expression: OR is what binds least."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._too_deep(self.here.start, self.here.end, _DEEPEST)
        found = self._joined("OR", lambda: self._joined("AND", self._negated))
        self.depth -= 1
        return found

    def _joined(self, word: str, read: Callable[[], Piece]) -> Piece:
        start, args = self.here.start, [read()]
        while self.take(word):
            args.append(read())
        return args[0] if len(args) == 1 else self.part(word.lower(), args, start)

    def _negated(self) -> Piece:
        start, count = self.here.start, 0
        while self.take("NOT"):
            count += 1
        found = self._compared()
        for _ in range(count):
            found = self.part("not", [found], start)
        return found

    def _compared(self) -> Piece:
        start, left = self.here.start, self._sum()
        sign = self.take(*_COMPARED)
        if sign is not None:
            op = "<>" if sign.text == "!=" else sign.text
            return self.part(op, [left, self._sum()], start)
        if self.take("IS"):
            negative = self.take("NOT")
            self.need("NULL")
            return self._maybe_not(negative, self.part("is_null", [left], start), start)
        negative = self.take("NOT")
        if self.take("IN"):
            self.need("(")
            return self._maybe_not(negative, self._listed("in", [left], start), start)
        if self.take("BETWEEN"):
            low = self._sum()
            self.need("AND")
            found = self.part("between", [left, low, self._sum()], start)
            return self._maybe_not(negative, found, start)
        if negative is not None:
            raise self.wrong("IN or BETWEEN")
        return left

    def _maybe_not(self, negative: Token | None, found: Piece, start: int) -> Piece:
        return found if negative is None else self.part("not", [found], start)

    def _listed(self, op: str, before: Sequence[Piece], start: int, value: str = "") -> Piece:
        """Read parts up to the closing parenthesis."""
        args = [*before]
        if not self.take(")"):
            args.append(self.whole())
            while self.take(","):
                args.append(self.whole())
            self.need(")")
        return self.part(op, args, start, value)

    def _sum(self) -> Piece:
        return self._chained(("+", "-"), lambda: self._chained(("*", "/"), self._signed))

    def _chained(self, signs: tuple[str, ...], read: Callable[[], Piece]) -> Piece:
        start, found = self.here.start, read()
        while sign := self.take(*signs):
            found = self.part(sign.text, [found, read()], start)
        return found

    def _signed(self) -> Piece:
        start, count = self.here.start, 0
        while sign := self.take("-", "+"):
            count += sign.text == "-"
        found = self._leaf()
        for _ in range(count):
            found = self.part("neg", [found], start)
        return found

    def _leaf(self) -> Piece:
        token = self.here
        start = token.start
        if token.kind == "number":
            return self._literal("number", number(token.text), "a number of the language")
        if token.kind == "text":
            self.place += 1
            return self.part("text", [], start, unquoted(token.text))
        if self.take("("):
            inner = self.whole()
            self.need(")")
            return inner
        if token.kind == "quoted":
            self.place += 1
            return self.part("column", [], start, unquoted(token.text))
        if token.kind == "word":
            return self._word(token)
        raise self.wrong(OPERAND)

    def _literal(self, op: str, value: str | None, what: str) -> Piece:
        token = self.here
        if value is None:
            raise refused(
                self.text,
                token.start,
                token.end,
                f"this is not {what}.",
                why="numbers are 0 or of a size from 1e-150 to 1e150"
                if op == "number"
                else "a day is one of the calendar, of the years 1 to 9999",
                fix="write such as 1000.5 or 1e3"
                if op == "number"
                else "write such as DATE '2026-11-03' or TIMESTAMP '2026-11-03 10:30:00'",
            )
        self.place += 1
        return self.part(op, [], token.start, value)

    def _word(self, token: Token) -> Piece:
        word, after = token.text.upper(), self.tokens[self.place + 1]
        if word in ("TRUE", "FALSE"):
            self.place += 1
            return self.part("truth", [], token.start, word)
        if word in ("DATE", "TIMESTAMP") and after.kind == "text":
            self.place += 1
            said = unquoted(after.text)
            if word == "DATE":
                return self._literal("date", said if day_of(said) is not None else None, "a day")
            plain = said.replace("T", " ")
            plain = plain if len(plain) > len("2026-11-03 10:30") else f"{plain}:00"
            sound = moment_of(plain) is not None
            return self._literal("timestamp", plain if sound else None, "a moment")
        if word == "CASE":
            return self._case(token)
        if after.says("("):
            return self._function(token)
        if word == "NULL":
            raise refused(
                self.text,
                token.start,
                token.end,
                "NULL is not a value to compare with.",
                why="no comparison with a missing cell is true",
                fix="write x IS NULL; behind THEN and ELSE it may stand",
            )
        if word in RESERVED:
            raise self.wrong(OPERAND)
        self.place += 1
        return self.part("column", [], token.start, token.text)

    def _function(self, token: Token) -> Piece:
        name = token.text.lower()
        if name == "nullif":
            return self._null_if(token)
        if name not in FUNCTIONS:
            raise unknown_function(self.text, token.start, token.end, ", ".join(FUNCTIONS))
        self.place += 2
        found = self._listed(name, [], token.start)
        least, most = FUNCTIONS[name]
        if not least <= len(found.args) <= most:
            many = str(least) if least == most else f"{least} to {most}"
            raise refused(
                self.text,
                found.start,
                found.end,
                f"{name} was given {len(found.args)} argument(s).",
                why=f"it takes {many}",
                fix=f"see {name} in docs/rows.md",
            )
        return found

    def _null_if(self, token: Token) -> Piece:
        """Read NULLIF(x, y): missing where x = y, else x."""
        self.place += 2
        before = self.parts
        both = self._listed("nullif", [], token.start)
        self.parts += self.parts - before  # the value is worked out twice
        if len(both.args) != 2:
            raise refused(
                self.text,
                both.start,
                both.end,
                f"nullif was given {len(both.args)} argument(s).",
                why="it takes 2: a value, and the one that counts as missing",
                fix="write such as nullif(x, -9)",
            )
        same = self.part("=", both.args, token.start)
        return self.part("case", [same, self._null(token.start), both.args[0]], token.start)

    def _case(self, token: Token) -> Piece:
        self.place += 1
        before = self.parts
        operand = None if self.here.says("WHEN") else self.whole()
        again = self.parts - before  # the parts that each comparison has once more
        args: list[Piece] = []
        while self.take("WHEN"):
            start, test = self.here.start, self.whole()
            self.parts += again
            args.append(test if operand is None else self.part("=", [operand, test], start))
            self.need("THEN")
            args.append(self._result())
        if not args:
            raise self.wrong("WHEN")
        if self.take("ELSE"):
            args.append(self._result())
        self.need("END")
        found = self.part("case", args, token.start)
        if all(one.op == "null" for one in found.given()):
            raise refused(
                self.text,
                found.start,
                found.end,
                "each branch gives NULL.",
                why="a column without a value has no type",
                fix="write a value behind one THEN or ELSE",
            )
        return found

    def _result(self) -> Piece:
        """Read what a branch of CASE gives: a value, or NULL for a missing one."""
        token = self.take("NULL")
        return self.whole() if token is None else self._null(token.start)

    def _null(self, start: int) -> Piece:
        return self.part("null", [], start, "NULL")


OPERAND = "a column, a number, a text or a function"
BEHIND = "the end, AND, OR or an operator"
_WHY = (
    "an expression says something of one row: comparisons, AND, OR, NOT, CASE, + - * / and "
    "the functions of docs/rows.md"
)
_SAMPLE = "age >= 18"
_PATTERNS = ("like", "ilike", "similar", "regexp", "rlike", "glob")
_WRITTEN = {  # what stands where it cannot, and what to write
    "true": "the condition as it is, without IS TRUE; for IS NOT TRUE NOT coalesce(x, FALSE)",
    "false": "NOT before the condition, without IS FALSE",
    **dict.fromkeys(("none", "na", "nan", "nil", "missing"), "NULL"),
    "distinct": "= or <>, and IS NULL where both may be missing",
    "xor": "<> between the two, each in parentheses",
    "isnull": "IS NULL",
    "notnull": "IS NOT NULL",
    "collate": "nothing there: text is compared byte by byte",
    "interval": "the day itself, as in DATE '2026-11-03'; days(d, DATE '2026-11-03') counts days",
    "where": "the condition alone, without WHERE",
    "then": "CASE WHEN age >= 18 THEN 1 ELSE 0 END",
    **dict.fromkeys(
        ("select", "exists", "any", "all", "some"),
        "a public value or a list: there are no sub-queries. Other tables are joined: docs/rows.md",
    ),
}
_BEHIND = {  # the same, of what stands behind a part that is complete
    **dict.fromkeys(("<", "<=", ">", ">=", "=", "<>"), "age BETWEEN 18 AND 65, or two with AND"),
    ",": "a number without commas, as in 30000; a list stands in IN (1, 2)",
}
_AS_IN = {"AND": "BETWEEN 18 AND 65", "WHEN": f"CASE WHEN {_SAMPLE} THEN 1 ELSE 0 END"}
_SIGNS = ("=", "<>", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/")
_ENDING = ("ASC", "DESC", "IS", "IN", "BETWEEN", "THEN", "ELSE", "END", "WHEN", "LIKE", "AS")
_JOINING = ("AND", "OR", "NOT", "WHERE", "WHEN", "FILTER")


def misplaced(
    text: str, tokens: Sequence[Token], place: int, wanted: str, *, why: str = _WHY
) -> InputError:
    """Return the error for a word or a sign that cannot stand where it does."""
    here = tokens[place]
    there = "the end" if here.kind == "end" else shown(here.text, 30)
    if there.lower() in _PATTERNS:
        return refused(
            text,
            here.start,
            here.end,
            "patterns are not of the language.",
            why="engines differ in what they escape, and in which letters are alike",
            fix="write starts_with(name, 'a') or contains(name, 'a')",
        )
    if there.lower() in OUTSIDE:
        return unknown_function(text, here.start, here.end, "")
    return refused(
        text,
        here.start,
        here.end,
        f"{wanted} belongs here, not {there}.",
        why=why,
        fix=_fix(tokens[:place], here, wanted, tokens[place + 1 :]),
    )


def _fix(gone: Sequence[Token], here: Token, wanted: str, after: Sequence[Token]) -> str:
    before = gone[-1] if gone else None
    if (named := _as_name(gone, here, wanted, after)) or (named := _sought(gone, here, wanted)):
        return named
    known = _WRITTEN.get(here.text.lower()) if here.kind == "word" else None
    if before is not None and before.says(",") and (here.kind == "end" or here.says(")", "FROM")):
        return "leave the last comma out"
    if known:
        return f"write {known}"
    if wanted == BEHIND:
        return _joined(before, here, after)
    if wanted == OPERAND or before is None:
        is_upper_end = len(gone) > 2 and gone[-3].says("BETWEEN")
        fix = "write the upper end, as in BETWEEN 18 AND 65"
        return fix if is_upper_end else _completed(before, here)
    return _inserted(here, wanted)


def _as_name(gone: Sequence[Token], here: Token, wanted: str, after: Sequence[Token]) -> str:
    """Return what to type where a column is called by a word of the language, or by two words."""
    is_word = here.kind == "word" and here.text.isidentifier()
    compared = bool(after) and after[0].says(*_SIGNS, "IS", "IN", "BETWEEN")
    if wanted == OPERAND and is_word and (compared or here.text.lower() not in _WRITTEN):
        starts = not gone or gone[-1].says("(", ",", *_JOINING, *_SIGNS)
        starts &= not (after and after[0].says("BY"))
        quoted = f'write "{here.text}", in quotation marks, where it is a column'
        return quoted if starts or compared else ""
    words = [one.text for one in gone[-1:] if one.kind == "word" and not one.says(*_JOINING)]
    if wanted == BEHIND and is_word and words and not here.says(*_ENDING):
        name = f"{words[0]} {here.text}"
        return (
            f'write "{name}", in quotation marks, where that is a column, or AND, OR or an '
            f"operator before {here.text}"
        )
    return ""


def _sought(gone: Sequence[Token], here: Token, wanted: str) -> str:
    """Return what to type where a text is looked for IN a column, as Python says it."""
    before = [*gone[:-1]] if wanted == "(" and here.kind == "word" else []
    no = "NOT " if before and before[-1].says("NOT") else ""
    sought = before[-2:-1] if no else before[-1:]
    if not sought or sought[0].kind != "text":
        return ""
    return f"write {no}contains({shown(here.text, 30)}, {shown(sought[0].text, 30)})"


def _inserted(here: Token, wanted: str) -> str:
    """Return what to type where one word or sign is missing."""
    said = shown(here.text, 30)
    if here.kind in ("number", "text") and wanted in ("NULL", "("):
        return f"write = {said}" if wanted == "NULL" else f"write ({said})"
    if wanted == "NULL":
        return "write IS NULL"
    end = "at the end" if here.kind == "end" else f"before {said}"
    sample = f", as in {_AS_IN[wanted]}" if wanted in _AS_IN else ""
    return f"write {wanted} {end}{sample}"


def _joined(before: Token | None, here: Token, after: Sequence[Token]) -> str:
    """Return what to type where a complete part goes on."""
    if here.says(",") and after[0].kind != "number":
        return "write AND or OR in the place of the comma"
    if here.text in _BEHIND:
        return f"write {_BEHIND[here.text]}"
    if here.says(")"):
        return "leave ) out, or write ( where its part begins"
    if before is not None and before.kind == here.kind == "number":
        return "write the number in full, with one point, as in 18000.5"
    return f"write AND, OR or an operator before {shown(here.text, 30)}, as in {_SAMPLE}"


def _completed(before: Token | None, here: Token) -> str:
    """Return what to type where a part is missing."""
    if before is None:
        return f"write a column or a value before {shown(here.text, 30)}, as in {_SAMPLE}"
    last = shown(before.text, 30)
    if here.says(")") and before.says("("):
        return "write what belongs between ( and ), or leave both out"
    if before.says(*_JOINING):
        last = last.upper()
        return f"write a condition behind {last}, as in {_SAMPLE}, or leave {last} out"
    return f"write a column or a value behind {last}, as in {_SAMPLE}"
