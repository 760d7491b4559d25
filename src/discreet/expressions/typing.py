"""From parts to typed parts: what each gives, and each column read as what it is used as.

Rules of this module:
- a column has no type of its own: where it stands decides, and where that does not, what is
  declared of it; a derived column has the type of its expression;
- nothing is converted: two types that meet are refused where they meet;
- abbreviations are written out (BETWEEN, round, band), so that engines know fewer operators.

"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from ..errors import InputError, shown
from .as_written import advice, is_plain, literals_of
from .expression import Expression
from .kinds import CALENDAR, CLOCK, Kind, KnownNames, Piece, Typed, number_literal, signed
from .known import at_least_zero, is_whole
from .listed import check_listed, texts_of
from .literals import value_of
from .logarithms import centres, nearest
from .refusals import (
    mismatch,
    no_column,
    no_list,
    no_number,
    no_number_column,
    no_order,
    no_text,
    nothing_said,
    refused,
    spells_number,
    two_casts,
    two_rests,
)
from .written_out import CASTS, WRITTEN_OUT, begun, written_out

_ORDERED: tuple[Kind, ...] = ("number", "day", "moment")
_LEAVES: dict[str, Kind] = {
    "number": "number",
    "text": "text",
    "truth": "truth",
    "date": "day",
    "timestamp": "moment",
}
_FALSE = Typed("literal", "truth", value="0")  # a CASE of it alone is missing in each row
_GIVES: dict[str, tuple[Kind, Kind]] = {  # what a function of one argument gives, and takes
    "abs": ("number", "number"),
    "floor": ("number", "number"),
    "neg": ("number", "number"),
    "year": ("number", "day"),
    "month": ("number", "day"),
    "day": ("number", "day"),
    "weekday": ("number", "day"),
    "days": ("number", "day"),
    "hour": ("number", "moment"),
    "seconds": ("number", "moment"),
    "round": ("number", "number"),
    "band": ("number", "number"),
    "log2": ("number", "number"),
    "log10": ("number", "number"),
    "starts_with": ("truth", "text"),
    "contains": ("truth", "text"),
    "ends_with": ("truth", "text"),
    **dict.fromkeys(("ceil", "trunc", "sign", "mod", "div", "sqrt"), ("number", "number")),
    **dict.fromkeys(("quarter", "dayofyear", "isoweek", "isoyear"), ("number", "day")),
    "minute": ("number", "moment"),
    "second": ("number", "moment"),
    "length": ("number", "text"),
    **dict.fromkeys(("lower", "upper", "trim", "left", "right", "substr"), ("text", "text")),
}
_ALIKE: dict[str, Kind] = {  # what takes parts of one type, and gives it
    **dict.fromkeys(("and", "or", "not"), "truth"),
    **dict.fromkeys("+-*/", "number"),
}
_CHOSEN = ("coalesce", "least", "greatest")
_COMPARED = ("=", "<>", "<", "<=", ">", ">=", "between", "in")
_MOST_LETTERS = 10_000
_MOST_PLACES = 12
_DEEPEST = 60


def typed(
    expression: Expression, names: KnownNames, want: Kind | None = None, *, hint: Kind | None = None
) -> Typed:
    """Return an expression with its types.

    Args:
        expression: what was read.
        names: what is known of the columns.
        want: what it must give; None for whatever it gives.
        hint: what it gives where nothing else says so.

    Raises:
        InputError: two types meet, or nothing says what a column is.
    """
    reader = _Typing(expression.text, names)
    reader.look(expression.part)
    tree = reader.typed(expression.part, want or reader.kind(expression.part) or hint)
    if tree.depth() > _DEEPEST:
        raise refused(
            expression.text,
            0,
            len(expression.text),
            f"its parts stand in one another more than {_DEEPEST} deep.",
            why="each level is worked out before the next, for every row",
            fix="derive columns for parts of it, and use their names",
        )
    return tree


class _Typing:
    def __init__(self, text: str, names: KnownNames) -> None:
        self._text = text
        self._names = names
        self._elsewhere: dict[str, Kind] = {}  # what a column is read as in another place

    def typed(self, part: Piece, want: Kind | None) -> Typed:
        """Return a part of the type that its place wants, or of its own where that is open."""
        kind = want or self.kind(part)
        if kind is None:
            raise nothing_said(self._text, part)
        own = self._kind(part)
        if own is not None and own != kind:
            raise mismatch(self._text, part, own, kind)
        return self._made(part, kind)

    def kind(self, part: Piece) -> Kind | None:
        """Return the type that a part has, or is said to have where its place leaves that open."""
        return self._kind(part) or self._hint(part)

    def look(self, part: Piece) -> None:
        """Note what each column is read as where its place says so."""
        kind: Kind | None = None
        if part.op in _COMPARED or part.op in _CHOSEN:
            kind = self._first(part.args)
        elif part.op in _ALIKE or part.op in _GIVES:
            kind = _ALIKE.get(part.op) or _GIVES[part.op][1]
        elif part.op in ("cast", "date_trunc"):
            kind = self._kind(part)
        for arg in part.args:
            if arg.op == "column" and kind is not None:
                self._elsewhere.setdefault(arg.value, kind)
            self.look(arg)

    def _made(self, part: Piece, kind: Kind) -> Typed:
        op = part.op
        if op == "column":
            self._check_read(part, kind)
            return Typed("column", kind, value=part.value)
        if op in _LEAVES:
            return Typed("literal", kind, value=value_of(part.op, part.value))
        if op in _ALIKE:
            return Typed(op, kind, tuple(self.typed(arg, _ALIKE[op]) for arg in part.args))
        makers: dict[str, Callable[[Piece], Typed]] = {"is_null": self._is_null}
        makers["case"] = lambda part: self._case(part, kind)
        makers["cast"] = lambda part: self._cast(part, kind)
        makers["date_trunc"] = lambda part: self._begun(part, kind)
        makers |= dict.fromkeys(_COMPARED, self._compared)
        makers |= dict.fromkeys(_CHOSEN, lambda part: self._chosen(part, kind))
        return makers.get(op, self._function)(part)

    def _is_null(self, part: Piece) -> Typed:
        (inner,) = part.args
        if inner.op == "column" and self.kind(inner) is None:
            return Typed("is_null", "truth", (Typed("column", "any", value=inner.value),))
        return Typed("is_null", "truth", (self.typed(inner, None),))

    def _chosen(self, part: Piece, kind: Kind) -> Typed:
        if part.op != "coalesce" and kind not in _ORDERED:
            raise mismatch(self._text, part, kind, "number")
        return Typed(part.op, kind, tuple(self.typed(arg, kind) for arg in part.args))

    def _kind(self, part: Piece) -> Kind | None:
        """Return the type that a part has by itself; None where its place must say."""
        if part.op == "column":
            return self._names.derived.get(part.value)
        if part.op == "null":
            return None
        if part.op in _CHOSEN:
            return self._first(part.args)
        if part.op == "case":
            return self._first(part.given())
        if part.op in ("cast", "date_trunc"):
            is_clock = part.op == "date_trunc" and part.args[0].value in CLOCK
            return CASTS.get(part.value, "moment" if is_clock else "day")
        own: dict[str, Kind] = {**_LEAVES, **_ALIKE} | {op: of[0] for op, of in _GIVES.items()}
        return own.get(part.op, "truth")

    def _first(self, parts: Sequence[Piece]) -> Kind | None:
        return next((kind for arg in parts if (kind := self._kind(arg))), None)

    def _hint(self, part: Piece) -> Kind | None:
        if part.op == "column":
            return self._names.hints.get(part.value) or self._elsewhere.get(part.value)
        inner = part.given() if part.op == "case" else part.args
        return next((kind for arg in inner if (kind := self._hint(arg))), None)

    def _check_read(self, part: Piece, kind: Kind) -> None:
        """Refuse to read a column as what, by its declaration, none of its cells is."""
        names, name = self._names, part.value
        declared = names.hints.get(name)
        texts = names.texts.get(name, frozenset())
        if kind == "number" and (
            declared in ("day", "moment") or (texts and not any(map(spells_number, texts)))
        ):
            raise no_number(self._text, part, declared or "text", min(texts, default=""))
        low, high, _ = names.bounds.get(name, (0, 1, 1))
        if kind == "truth" and (low < 0 or high > 1):
            raise mismatch(self._text, part, "number", kind)

    def _check_names(self, part: Piece) -> None:
        """Refuse a column that nobody declared and that is called like a value of the other."""
        known = {*self._names.derived, *self._names.hints}
        for other in part.args:
            texts = texts_of(other, self._names)
            for arg in part.args:
                if arg.op == "column" and arg.value not in known and arg.value in texts:
                    raise no_column(self._text, arg, other)
        columns = [piece for piece in part.args if piece.op == "column"]
        numbers = [
            piece for piece in columns if piece.value not in known and _is_number(piece.value)
        ]
        if numbers and len(numbers) < len(columns):
            raise no_number_column(self._text, numbers[0])

    def _check_texts(self, part: Piece) -> None:
        """Refuse '2,000' or '5.1.2020' beside a column that is declared as numbers, or as days.

        A text that is written as here may be what cells say, and other text says what is to be left
        out: `wage = '2000'`, `wage <> 'refused'`.
        """
        for column in part.args:
            kind = self._names.hints.get(column.value) if column.op == "column" else None
            listed = {*self._names.texts, *self._names.numbers}
            if kind not in _ORDERED or column.value in listed:
                continue
            for piece in part.args:
                meant = literals_of(piece.value) if piece.op == "text" else ()
                if is_plain(piece.value):
                    continue
                if meant and ("'" in meant[0]) == (kind != "number"):
                    fix = advice(piece.value) or ""
                    raise no_text(self._text, piece, column.value, kind, fix)

    def _compared(self, part: Piece) -> Typed:
        self._check_names(part)
        if part.op == "in" and (
            not part.args[1:] or any(arg.op == "column" for arg in part.args[1:])
        ):
            raise no_list(self._text, part.start, part.end)
        ordering = part.op not in ("=", "<>", "in")
        kind = self._first(part.args) or next(
            (kind for arg in part.args if (kind := self._hint(arg))),
            "number" if ordering else None,
        )
        if kind is None:
            raise nothing_said(self._text, *part.args[:2])
        if not ordering:
            check_listed(self._text, part, self._names)
            self._check_texts(part)
        args = tuple(self.typed(arg, kind) for arg in part.args)
        if ordering and kind not in _ORDERED:
            raise no_order(self._text, part, kind)
        if part.op == "between":
            self._check_ends(part, args[1:])
            inside = (Typed(">=", "truth", args[:2]), Typed("<=", "truth", (args[0], args[2])))
            return Typed("and", "truth", inside)
        if part.op == "in":
            return self._in(part, args)
        return Typed(part.op, "truth", args)

    def _check_ends(self, part: Piece, ends: Sequence[Typed]) -> None:
        """Refuse two literals between which nothing can be."""
        values = [end.value for tree in ends if (end := signed(tree)) is not None]
        if len(values) < len(ends):
            return
        lower, upper = map(Fraction, values)  # text has no order
        if lower > upper:
            raise refused(
                self._text,
                part.start,
                part.end,
                "this interval is the wrong way round.",
                why="no cell is between its ends, so that a question would be paid for nothing",
                fix="write the lower end behind BETWEEN, and the upper one behind AND",
            )

    def _in(self, part: Piece, args: tuple[Typed, ...]) -> Typed:
        bare = [signed(arg) for arg in args[1:]]
        if not bare or any(arg is None for arg in bare):
            raise no_list(self._text, part.start, part.end)
        return Typed("in", "truth", (args[0], *(arg for arg in bare if arg is not None)))

    def _case(self, part: Piece, kind: Kind) -> Typed:
        last = len(part.args) - len(part.args) % 2
        args = [
            None
            if arg.op == "null"
            else self.typed(arg, "truth" if place < last and place % 2 == 0 else kind)
            for place, arg in enumerate(part.args)
        ]
        missing = Typed("case", kind, (_FALSE, Typed("literal", kind, value="0")))
        return Typed("case", kind, tuple(missing if arg is None else arg for arg in args))

    def _cast(self, part: Piece, kind: Kind) -> Typed:
        (inner,) = part.args
        if kind == "number" and self._kind(inner) == "truth":
            return written_out("count", (self.typed(inner, "truth"),))
        is_number = kind == "text" and self.kind(inner) not in ("text", None)
        if is_number or (part.value == "INTEGER" and not is_whole(inner, self._names)):
            raise two_casts(self._text, part, is_number=is_number)
        return self.typed(inner, kind)

    def _begun(self, part: Piece, kind: Kind) -> Typed:
        """Return when the month, the week or the like began."""
        unit, inner = part.args
        if unit.op != "text" or unit.value not in (*CLOCK, *CALENDAR):
            units = ", ".join((*CLOCK, *CALENDAR))
            raise self._no_literal(part, f"one of {units} in ' ' first")
        return begun(unit.value, self.typed(inner, kind))

    def _divided(self, part: Piece, first: Typed) -> Typed:
        """Return a rest or a whole quotient, where the signs of both sides are known."""
        by = part.args[1]
        is_fraction = by.op == "number" and not is_whole(by, self._names)
        if is_fraction or not all(at_least_zero(one, self._names) for one in part.args):
            raise two_rests(self._text, part, is_fraction=is_fraction)
        return written_out(part.op, (first, self.typed(by, "number")))

    def _cut(self, part: Piece, first: Typed) -> Typed:
        """Return a piece of a text, whose places are public."""
        places = [self.typed(one, "number") for one in part.args[1:]]
        for one in places:
            whole = one.op == "literal" and Fraction(one.value).denominator == 1
            if not whole or not 1 <= Fraction(one.value) <= _MOST_LETTERS:
                raise self._no_literal(part, f"whole numbers from 1 to {_MOST_LETTERS}")
        if part.op == "left":
            places = [number_literal("1"), *places]
        return Typed("right" if part.op == "right" else "substr", "text", (first, *places))

    def _function(self, part: Piece) -> Typed:
        gives, takes = _GIVES[part.op]
        makers: dict[str, Callable[[Piece, Typed], Typed]] = {
            **dict.fromkeys(("mod", "div"), self._divided),
            **dict.fromkeys(("left", "right", "substr"), self._cut),
            **dict.fromkeys(("log2", "log10"), self._log),
            **dict.fromkeys(("days", "seconds"), self._since),
            **dict.fromkeys(("starts_with", "contains", "ends_with"), self._sought),
            "round": self._rounded,
            "band": self._band,
        }
        first = self.typed(part.args[0], takes)
        if part.op in makers:
            return makers[part.op](part, first)
        if part.op in WRITTEN_OUT:
            return written_out(part.op, (first,))
        return Typed(part.op, gives, (first,))

    def _band(self, part: Piece, first: Typed) -> Typed:
        return Typed("search", "number", (first,), table=self._cuts(part))

    def _since(self, part: Piece, first: Typed) -> Typed:
        counted = Typed(part.op, "number", (first,))
        if not part.args[1:]:
            return counted
        since = self.typed(part.args[1], first.kind)
        if since.op != "literal":
            raise self._no_literal(part, "the day from which it counts, as DATE '2026-11-03'")
        return Typed("-", "number", (counted, Typed("literal", "number", value=since.value)))

    def _sought(self, part: Piece, first: Typed) -> Typed:
        sought = self.typed(part.args[1], "text")
        if sought.op != "literal" or not sought.value:
            raise self._no_literal(part, "a text in ' ' that is not empty")
        if part.op == "ends_with":
            return written_out(part.op, (first, sought))
        return Typed(part.op, "truth", (first, sought))

    def _rounded(self, part: Piece, value: Typed) -> Typed:
        places = (
            signed(self.typed(part.args[1], "number")) if part.args[1:] else number_literal("0")
        )
        count = Fraction(places.value) if places is not None else Fraction(1, 2)
        if count.denominator != 1 or abs(count) > _MOST_PLACES:
            raise self._no_literal(part, f"a whole number of places, up to {_MOST_PLACES}")
        scale = number_literal(str(10 ** abs(int(count))))
        up, down = ("*", "/") if count > 0 else ("/", "*")
        scaled = Typed(up, "number", (value, scale)) if count else value
        nearest = Typed("floor", "number", (Typed("+", "number", (scaled, number_literal("0.5"))),))
        return Typed(down, "number", (nearest, scale)) if count else nearest

    def _cuts(self, part: Piece) -> tuple[tuple[str, str], ...]:
        cuts = [signed(self.typed(arg, "number")) for arg in part.args[1:]]
        values = [arg.value for arg in cuts if arg is not None]
        numbers = [Fraction(value) for value in values]
        if len(values) < len(cuts) or numbers != sorted(set(numbers)):
            raise self._no_literal(part, "rising numbers at which a band begins, as in 0, 18, 65")
        return tuple((value, value) for value in values)

    def _log(self, part: Piece, column: Typed) -> Typed:
        bounds = self._names.bounds.get(column.value) if column.op == "column" else None
        if bounds is None or bounds[1] <= 0:
            raise refused(
                self._text,
                part.start,
                part.end,
                f"{part.op} takes a column with bounds above 0.",
                why="it starts from a public number near to the cell, which is looked up between "
                "the bounds, because libraries differ in the last digit of a logarithm",
                fix="declare the bounds of the column, or derive one that has bounds",
            )
        low, high, step = bounds
        low = low if low > 0 else step
        base = 2 if part.op == "log2" else 10
        least, most = (number_literal(nearest(end)) for end in (low, high))
        below = Typed("<", "truth", (column, least))
        above = Typed(">", "truth", (column, most))
        inside = Typed("case", "number", (below, least, above, most, column))
        table = centres(base, low, high)
        near = (tuple((cut, entry[place]) for cut, *entry in table) for place in (0, 1))
        searched = (Typed("search", "number", (column,), table=pairs) for pairs in near)
        return Typed("log", "number", (inside, *searched), value=str(base))

    def _no_literal(self, part: Piece, wanted: str) -> InputError:
        fix, sought = f"see {part.op} in docs/rows.md", part.args[-1]
        if sought.op == "column" and len(part.args) == 2 and wanted.startswith("a text"):
            cell = self._text[part.args[0].start : part.args[0].end]
            fix = f"write {part.op}({cell}, '{shown(sought.value)}') where that is the text"
        return refused(
            self._text,
            part.start,
            part.end,
            f"{part.op} needs {wanted}.",
            why="that part of it must be public, and alike for all rows",
            fix=fix,
        )


def _is_number(name: str) -> bool:
    return name[:1].isdecimal() and spells_number(name)
