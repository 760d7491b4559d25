"""From a text to its parts: a grammar of expressions over one row, and nothing else of SQL.

Rules of this module:
- what the grammar does not name cannot be written: sub-queries, windows, casts and statements have
  no rule that reads them, so that none needs to be forbidden;
- AND binds before OR, NOT before both; `&` and `|` stand between parts that are complete, as Python
  binds them before comparisons, and are refused where a comparison follows;
- what has two meanings in the languages that people write is refused with a line for each; what has
  one is read, however it is spelled, and written in one way.

Decisions 20, 86, 105.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..errors import InputError
from .ambiguous import (
    binds_first,
    bits_first,
    joined_texts,
    no_blank,
    no_name,
    not_first,
    two_powers,
)
from .choices import absent, case_of, conditional
from .constants import folded, moved
from .frames import (
    is_code,
    is_formula,
    is_in_table,
    is_of_r,
    is_slice,
    knows_null,
    marked_column,
    method_of,
    sliced,
    type_of,
)
from .functions import dated, function_of, packaged, quoted
from .kinds import COPIES, OF_DAYS, SAID_OF_DAYS, Piece
from .literals import number, unquoted
from .misplaced import BEHIND, OPERAND, misplaced
from .ranges import between_of_r
from .refusals import no_null, no_value, too_many
from .searches import listed, of_array, searched
from .spellings import (
    SPACES,
    cast_to,
    distinct,
    is_known,
    power_of,
    truth_test,
    whole_power,
)
from .switches import is_row, ranged, rows_in
from .tokens import MAX_LETTERS, Token, tokens

MAX_PARTS = 600
_DEEPEST = 40
_LEVELS = 120  # far beyond what is answered: whoever walks through the parts must come to an end
_SIGNS = {  # comparisons as they are written, and as they are kept
    **{sign: sign for sign in ("=", "<>", "<", "<=", ">", ">=")},
    "==": "=",
    "!=": "<>",
    "\u2260": "<>",
    "\u2264": "<=",
    "\u2265": ">=",
    "<=>": "<=>",
}
_RISING = ("<", "<=", ">", ">=", "=")  # what may stand in a chain
_OF_ARRAYS = {"=": ("ANY", "SOME"), "<>": ("ALL",)}  # of a list that is typed: IN, NOT IN
_PRODUCTS = {"*": "*", "/": "/", "%": "mod", "MOD": "mod", "//": "div", "DIV": "div"}
_PRODUCTS |= {"%%": "mod", "%/%": "div"}
_SIGNS_OF_SUMS = ("+", "-", "*", "/")
RESERVED = frozenset(
    {
        *("AND", "OR", "NOT", "IN", "IS", "NULL", "BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "END"),
        *("TRUE", "FALSE", "SELECT", "FROM", "WHERE", "GROUP", "BY", "HAVING", "ORDER", "LIMIT"),
        *("OVER", "UNION", "EXCEPT", "INTERSECT", "LIKE", "ILIKE", "SIMILAR", "EXISTS", "AS"),
        *("DISTINCT", "JOIN", "ON", "WITH", "CAST", "COLLATE", "INTERVAL", "ESCAPE", "FILTER"),
        *("WITHIN", "ANY", "ALL", "SOME", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"),
        *("LOCALTIME", "LOCALTIMESTAMP", "CURRENT_USER", "SESSION_USER", "NONE"),
    }
)


def parsed(text: str) -> tuple[Piece, Piece | None]:
    """Return the parts of an expression, and one that data frames understand in another way.

    That is a negation of what may be unknown, in an expression that is spelled as theirs are.

    Raises:
        InputError: the condition is not of the language; the message marks the place.
    """
    if len(text) > MAX_LETTERS:
        raise InputError(
            f"the expression has more than {MAX_LETTERS:,} letters.",
            kind="expression-not-read",
            why="it is shown in every release",
            fix="derive columns for parts of it, and use their names",
        )
    found = tokens(text)
    is_sheet = is_formula(found)
    if is_sheet and (sign := next((token for token in found if token.says("&")), None)):
        raise joined_texts(text, sign)
    found = found[is_sheet and found[0].says("=") :]
    is_r = is_of_r(found)
    code, low = is_sheet or is_code(found), {"&": "AND", "|": "OR"} if is_r else {}
    found = [replace(token, kind="word", text=low[token.text]) if token.text in low and
             token.kind == "sign" else token for token in found]  # fmt: skip
    reader = Parser(text, found, is_code=code, is_r=is_r, is_sheet=is_sheet)
    piece = reader.whole()
    reader.expect_end()
    if reader.is_sas:
        from .lowest import check_lowest

        check_lowest(text, piece, RESERVED)
    has_two = reader.is_framed and not knows_null(found)
    return piece, reader.negated if has_two else None


@dataclass(slots=True)
class Parser:
    """Reads one text from its start to its end."""

    text: str
    tokens: Sequence[Token]
    place: int = 0
    depth: int = 0
    parts: int = field(default=0)
    is_code: bool = False  # whether it is Python's or R's for sure: there "a" is a text
    is_r: bool = False  # whether it is R's or Stata's: there ! binds less than a comparison
    is_sheet: bool = False  # whether it is a formula of a spreadsheet
    is_sas: bool = False  # whether a day or a list in it is spelled as in SAS alone
    is_framed: bool = False  # whether it is spelled as data frames in Python are asked
    negated: Piece | None = None  # what is true there, and unknown here, of a missing cell
    bits: Piece | None = None  # what `&` or `|` joined last, where it stands in no parentheses
    sum: tuple[Piece | None, int] = (None, 0)  # the same of + - * /, and where its last part begins

    @property
    def here(self) -> Token:
        """The next word or sign."""
        return self.tokens[self.place]

    def take(self, *words: str) -> Token | None:
        """Return the next word or sign if it is one of these, and go on behind it."""
        token = self.here
        if not token.says(*words):
            return None
        self.place += 1
        return token

    def need(self, word: str) -> Token:
        """Return the next word or sign, which must be this one."""
        token = self.take(word)
        if token is None:
            raise self.wrong(word)
        return token

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
        if op == "column" and not value:
            raise no_name(self.text, self.tokens[self.place - 1])
        if self.parts > MAX_PARTS:
            raise too_many(self.text, start, end, f"has more than {MAX_PARTS} parts.")
        levels = 1 + max((arg.levels for arg in args), default=0)
        if levels > _LEVELS:
            raise self._too_deep(start, end, _LEVELS)
        return folded(op, args, start, end) or Piece(op, tuple(args), value, start, end, levels)

    def _too_deep(self, start: int, end: int, most: int) -> InputError:
        return too_many(self.text, start, end, f"is nested more than {most} deep.")

    def whole(self) -> Piece:
        """Read an expression: OR is what binds least."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._too_deep(self.here.start, self.here.end, _DEEPEST)
        piece = absent(self)
        if piece is None:
            piece = self._joined(("OR",), lambda: self._joined(("AND", "&&"), self._negated))
        if self.here.says("IF"):
            piece = conditional(self, piece)
        self.depth -= 1
        return piece

    def _joined(self, words: tuple[str, ...], read: Callable[[], Piece]) -> Piece:
        start, args = self.here.start, [read()]
        while self.take(*words):
            args.append(read())
        return args[0] if len(args) == 1 else self.part(words[0].lower(), args, start)

    def _negated(self) -> Piece:
        start, count = self.here.start, 0
        while self.take("NOT"):
            count += 1
        piece = self._compared()
        for _ in range(count):
            piece = self._not(piece, start)
        return piece

    def _not(self, part: Piece, start: int) -> Piece:
        found = self.part("not", [part], start)
        if not is_known(part):
            self.negated = self.negated or found
        return found

    def _compared(self) -> Piece:
        start, before, left = self.here.start, self.parts, self._either()
        if self.here.says(*_SIGNS):
            return self._chain(left, start, before)
        if self.here.says("IS", "ISNULL", "NOTNULL"):
            return self._is(left, start)
        return self._among(left, start)

    def _among(self, left: Piece, start: int) -> Piece:
        """Read IN, BETWEEN and LIKE, or nothing."""
        if left is self.sum[0] and self.here.says("%IN%", "%BETWEEN%", "%LIKE%"):
            raise binds_first(self, start, self.place)
        negative = self.take("NOT")
        if is_of_r := self.take("%IN%"):
            self.is_framed = True
        if is_of_r or self.take("IN"):
            if self.here.says("RANGE", "SEQ") or self.tokens[self.place + 1].says(":"):
                return self._maybe_not(negative, ranged(self, left, negative, start), start)
            return self._maybe_not(negative, listed(self, left, start, is_of_r, negative), start)
        if self.take("%BETWEEN%"):
            return self._maybe_not(negative, between_of_r(self, left, start), start)
        if self.take("BETWEEN"):
            is_turned = self.take("SYMMETRIC") is not None
            low = self._sum()
            self.need("AND")
            ends = [low, self._sum()]
            if is_turned:
                ends = [self.part(op, ends, low.start) for op in ("least", "greatest")]
            return self._maybe_not(negative, self.part("between", [left, *ends], start), start)
        if (found := searched(self, left, start)) is not None:
            return self._maybe_not(negative, found, start)
        if negative is not None:
            raise self.wrong("IN or BETWEEN")
        return left

    def _chain(self, left: Piece, start: int, before: int) -> Piece:
        """Read comparisons: a chain is each of them, joined by AND, as in Python."""
        found: list[Piece] = []
        while sign := self.take(*_SIGNS):
            self._check_bits(left)
            op, copied = _SIGNS[sign.text], self.parts
            is_array = self.tokens[min(self.place + 2, len(self.tokens) - 1)].says("ARRAY")
            if is_array and not found and self.here.says(*_OF_ARRAYS.get(op, ())):
                found_in = of_array(self, left, start)
                return found_in if op == "=" else self._not(found_in, start)
            right = self._either()
            self._check_bits(right)
            self.is_framed |= sign.text == "=="
            if found:
                self.parts += copied - before  # the one in the middle is worked out twice
            if (found or self.here.says(*_SIGNS)) and op not in _RISING:
                raise self.wrong(BEHIND)
            found.append(self._comparison(op, left, right, start if not found else left.start))
            if sign.text == "!=":
                self.negated = self.negated or found[-1]
            left = right
        return found[0] if len(found) == 1 else self.part("and", found, start)

    def _comparison(self, op: str, left: Piece, right: Piece, start: int) -> Piece:
        if op == "<=>":
            return distinct(self, left, right, start, no=True)
        if self.is_sheet and (right.op, right.value) == ("text", ""):
            raise no_blank(self, left, right, op)
        return self.part(op, [left, right], start)

    def _is(self, left: Piece, start: int) -> Piece:
        if no := self.take("ISNULL", "NOTNULL"):
            turned = no if no.says("NOTNULL") else None
            return self._maybe_not(turned, self.part("is_null", [left], start), start)
        self.need("IS")
        negative = self.take("NOT")
        if value := self.take("TRUE", "FALSE"):
            return truth_test(self, left, value.text.upper(), start, no=negative is not None)
        if self.take("DISTINCT"):
            self.need("FROM")
            if not self.take("NULL"):
                return distinct(self, left, self._sum(), start, no=negative is not None)
            negative = None if negative else self.tokens[self.place - 1]
        elif not self.take("NONE", "UNKNOWN"):
            self.need("NULL")
        return self._maybe_not(negative, self.part("is_null", [left], start), start)

    def _maybe_not(self, negative: Token | None, piece: Piece, start: int) -> Piece:
        return piece if negative is None else self._not(piece, start)

    def _either(self) -> Piece:
        return self._bits("|", "or", lambda: self._bits("&", "and", self._tilde))

    def _bits(self, sign: str, op: str, read: Callable[[], Piece]) -> Piece:
        """Read what stands between signs of Python that join conditions."""
        start, args = self.here.start, [read()]
        while self.take(sign):
            self.is_framed = True
            args.append(read())
        if len(args) == 1:
            return args[0]
        self.bits = self.part(op, args, start)
        return self.bits

    def _check_bits(self, part: Piece) -> None:
        """Refuse a comparison of what `&` or `|` joined, which bind before it."""
        if part is self.bits:
            raise bits_first(self.text, part)

    def _tilde(self) -> Piece:
        start = self.here.start
        if sign := self.take("~", "!"):
            self.is_framed = True
            if sign.text == "!" and self.is_r:
                return self._not(self._compared(), start)
            found = self._not(self._tilde(), start)
            if sign.text == "!" and self.here.says(*_SIGNS, "IN", "%IN%", "IS", "BETWEEN", "LIKE"):
                raise not_first(self.text, sign, self.here)
            return found
        return self._sum()

    def arguments(self, closed: str = ")", read: Callable[[], Piece] | None = None) -> list[Piece]:
        """Read parts up to a sign."""
        read, args = read or self.whole, []
        if not self.take(closed):
            args.append(read())
            while self.take(","):
                args.append(read())
            self.need(closed)
        return args

    def _sum(self) -> Piece:
        signs = {"+": "+", "-": "-"}
        return self._chained(signs, lambda: self._chained(_PRODUCTS, self._signed))

    def _chained(self, signs: Mapping[str, str], read: Callable[[], Piece]) -> Piece:
        start, before, piece = self.here.start, self.parts, read()
        while sign := self.take(*signs):
            op = signs[sign.text.upper()]
            if op in "+-" and self.here.says("INTERVAL") and piece.op in ("date", "timestamp"):
                piece = moved(self, piece, op, start)
                continue
            if piece is self.sum[0] and sign.text in ("%%", "%/%"):
                raise binds_first(self, start, self.place - 1)
            last, right = self.here.start, read()
            self.parts += (self.parts - before) * (COPIES.get(op, 1) - 1)
            piece = self.part(op, [piece, right], start)
            if op in _SIGNS_OF_SUMS:
                self.sum = piece, (self.sum[1] if right is self.sum[0] else last)
        return piece

    def _signed(self) -> Piece:
        start, count = self.here.start, 0
        while sign := self.take("-", "+"):
            count += sign.text == "-"
        piece = self._power(is_negative=count > 0)
        for _ in range(count):
            piece = self.part("neg", [piece], start)
        return piece

    def _power(self, *, is_negative: bool) -> Piece:
        start, before, found = self.here.start, self.parts, self._postfixed()
        if not (sign := self.take("**")):
            return found
        if is_negative:
            raise two_powers(self.text, self.tokens[self.place - 3], sign)
        again, power = self.parts - before, self._postfixed()
        if self.here.says("**"):
            raise two_powers(self.text, sign, self.here)
        self.parts += again * whole_power(self.text, power)
        return power_of(self, [found, power], start)

    def _postfixed(self) -> Piece:
        """Read a part, and what stands behind it: a column of a table, a cast, a method."""
        start, found = self.here.start, self._leaf()
        while sign := self.take("::", ".", "$"):
            if sign.text == "::":
                found = cast_to(self, found, type_of(self), start)
            elif self._is_qualifier(found):
                found = self.behind(found, start)
            else:
                found = method_of(self, found, start)
        return found

    def _leaf(self) -> Piece:
        token = self.here
        start = token.start
        if token.kind == "number":
            value = number(token.text.replace("_", ""))
            return self._literal("number", value, "a number of the language")
        if token.kind in ("text", "quoted"):
            return quoted(self, token)
        if self.take("("):
            inner = self.whole()
            if self.here.says(",") and is_row(self):
                return rows_in(self, inner, start)
            self.need(")")
            self.bits, self.sum = None, (None, 0)
            return inner
        if token.kind == "word":
            return self._word(token)
        if (column := marked_column(self, start)) is not None:
            return column
        raise self.wrong(OPERAND)

    def _literal(self, op: str, value: str | None, what: str) -> Piece:
        token = self.here
        if value is None:
            raise no_value(self.text, token.start, token.end, what)
        self.place += 1
        return self.part(op, [], token.start, value)

    def _word(self, token: Token) -> Piece:
        word, after = token.text.upper(), self.tokens[self.place + 1]
        if word in ("TRUE", "FALSE"):
            self.place += 1
            return self.part("truth", [], token.start, word)
        if word in ("DATE", "TIMESTAMP") and after.kind == "text":
            self.place += 1
            return dated(self, word, unquoted(after.text))
        if word == "CASE":
            return case_of(self, token)
        if after.says(".", "::") and (piece := packaged(self)) is not None:
            return piece
        token = self.here
        if self.is_call(self.place):
            return function_of(self, self.here)
        return self._column(token, word)

    def _column(self, token: Token, word: str) -> Piece:
        if self.tokens[self.place + 1].says("[") and word not in RESERVED:
            self.place += 2
            if is_slice(self):
                return sliced(self, self.part("column", [], token.start, token.text), token.start)
            return self.named_in("]", token.start)
        if word in ("NULL", "NONE") or (token.text == "NA" and self.is_r):
            raise no_null(self.text, token.start, token.end)
        if word in RESERVED:
            raise self.wrong(OPERAND)
        self.place += 1
        if is_in_table(token, self.here):  # Table1[@age] of a spreadsheet
            self.place += 1
            return self.part("column", [], token.start, unquoted(self.tokens[self.place - 1].text))
        return self.part("column", [], token.start, token.text)

    def is_call(self, place: int) -> bool:
        """Say whether a function is called at a place."""
        is_word = self.tokens[place].kind == "word"
        return is_word and self.tokens[place + 1].says("(")

    def _is_qualifier(self, part: Piece) -> bool:
        """Say whether what stands before a point is a table, and behind it the column."""
        before, here = self.tokens[self.place - 2], self.here
        is_name = part.op == "column" and before.text == part.value and before.kind == "word"
        is_space = here.says(*SPACES) and self.tokens[self.place + 1].says(".", "[")
        named = here.kind in ("word", "quoted") and not self.is_call(self.place) and not is_space
        return is_name and named

    def behind(self, before: Piece, start: int) -> Piece:
        """Read the name behind a point: of a column, or of what a day has, such as its year."""
        is_word, name = self.here.kind == "word", self.spelled()
        if is_word and name.lower() in (*OF_DAYS, *SAID_OF_DAYS):
            return self.part("dotted", [before], start, name)
        return self.part("column", [], start, name)

    def spelled(self) -> str:
        """Read a name, with quotation marks or without."""
        token = self.here
        if token.kind not in ("word", "quoted", "text"):
            raise self.wrong("a name")
        self.place += 1
        return token.text if token.kind == "word" else unquoted(token.text)

    def named_in(self, closed: str, start: int) -> Piece:
        """Read the name of a column in quotation marks, up to a sign."""
        is_twice = self.take("[") is not None  # df[["age"]]
        if self.here.kind not in ("text", "quoted"):
            raise self.wrong("the name of a column in quotation marks")
        self.is_framed, name = True, self.spelled()
        if is_twice:
            self.need(closed)
        self.need(closed)
        return self.part("column", [], start, name)
