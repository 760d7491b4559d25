"""An expression as it was read: its parts, and the one text that plans and releases hold.

An expression in its one way to be written: what plans, digests and releases hold.

Rules of this module:
- read again it is the same tree; parentheses stand where they are needed and nowhere else.
"""

import re
from dataclasses import dataclass, field

from ..errors import InternalError
from ..text import prompt
from .kinds import Piece, Typed
from .literals import checked
from .parser import RESERVED, parsed
from .refusals import two_meanings


@dataclass(frozen=True, slots=True)
class Expression:
    """What is said of one row: equal exactly for equal texts.

    Attributes:
        text: its one way to be written.
        part: its parts, with their places in `text`.
    """

    text: str
    part: Piece = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return prompt("Expression", self.text)


def expression(text: object) -> Expression:
    """Return an expression that was typed.

    Raises:
        InputError: the condition is not of the language; the message marks the place.

    Example:
        >>> print(expression("(age>=18) and not (status = 'a' OR status='b')"))
        age >= 18 AND NOT (status = 'a' OR status = 'b')
    """
    if isinstance(text, Expression):
        return text
    part, negated = parsed(checked(text))
    if negated is not None:
        raise two_meanings(str(text), negated, *_both_ways(negated))
    written = text_of(part, RESERVED)
    again, _ = parsed(written)
    if again != part:
        raise InternalError(
            "an expression is read in another way when it is written again.",
            kind="internal-fault",
            why="a release would not say what was counted",
            fix=f"please report it: {written}",
        )
    return Expression(written, again)


def _both_ways(negated: Piece) -> tuple[str, str]:
    """Return a negation without the rows of which it is unknown, and with them."""
    is_not = negated.op == "not"
    inner = negated.args[0] if is_not else Piece("=", negated.args)
    truth = Piece("truth", value="FALSE")
    with_them = Piece("not", (Piece("coalesce", (inner, truth)),))
    return text_of(negated, RESERVED), text_of(with_them, RESERVED)


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression whose types are known: as it is written, and as engines work it out."""

    expression: Expression
    tree: Typed


_WORD = re.compile(r"[^\W\d]\w*")
_OR, _AND, _NOT, _COMPARED, _SUM, _PRODUCT, _SIGNED, _LEAF = range(8)
_LEVELS = {
    "or": _OR,
    "and": _AND,
    "not": _NOT,
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "in", "between", "is_null"), _COMPARED),
    **dict.fromkeys("+-", _SUM),
    **dict.fromkeys("*/", _PRODUCT),
    "neg": _SIGNED,
}
_PREFIXES = {"not": ("NOT ", _NOT), "neg": ("-", _LEAF)}
_TURNED = ("in", "between", "is_null")  # written with NOT inside


def text_of(part: Piece, reserved: frozenset[str]) -> str:
    """Return an expression in its one way to be written."""
    return _Writer(reserved).said(part, _OR)


def name_of(name: str, reserved: frozenset[str]) -> str:
    """Return the name of a column or a table as it is written: quoted where it must be."""
    plain = _WORD.fullmatch(name) and name.upper() not in reserved
    return name if plain else '"' + name.replace('"', '""') + '"'


class _Writer:
    def __init__(self, reserved: frozenset[str]) -> None:
        self._reserved = reserved

    def said(self, part: Piece, least: int) -> str:
        """Return a part; in parentheses if it binds less than what it stands in."""
        if part.op == "not" and part.args[0].op in _TURNED:
            text, level = self._turned(part.args[0], "NOT "), _COMPARED
        else:
            text, level = self._plain(part), _LEVELS.get(part.op, _LEAF)
        return text if level >= least else f"({text})"

    def _plain(self, part: Piece) -> str:
        if not part.args:
            return self._leaf(part)
        if part.op == "dotted":
            return f"{self._plain(part.args[0])}.{part.value}"
        writers = {"or": self._joined, "and": self._joined, "case": self._case}
        writers |= dict.fromkeys(_PREFIXES, self._prefixed) | dict.fromkeys(_TURNED, self._turned)
        default = self._between if part.op in _LEVELS else self._called
        return writers.get(part.op, default)(part)

    def _joined(self, part: Piece) -> str:
        inner = _LEVELS[part.op] + 1
        return f" {part.op.upper()} ".join(self.said(arg, inner) for arg in part.args)

    def _prefixed(self, part: Piece) -> str:
        sign, least = _PREFIXES[part.op]
        return sign + self.said(part.args[0], least)

    def _between(self, part: Piece) -> str:
        """Return an operator between two parts; equal ones bind from the left, comparisons none."""
        level = _LEVELS[part.op]
        least = (level, level + 1) if level > _COMPARED else (_SUM, _SUM)
        left, other = map(self.said, part.args, least)
        return f"{left} {part.op} {other}"

    def _called(self, part: Piece) -> str:
        if part.op == "cast":
            return f"CAST({self.said(part.args[0], _OR)} AS {part.value})"
        return f"{part.op}({', '.join(self.said(arg, _OR) for arg in part.args)})"

    def _turned(self, part: Piece, no: str = "") -> str:
        first, *rest = part.args
        left = self.said(first, _SUM)
        if part.op == "is_null":
            return f"{left} IS {no}NULL"
        if part.op == "in":
            return f"{left} {no}IN ({', '.join(self.said(arg, _OR) for arg in rest)})"
        low, high = rest
        return f"{left} {no}BETWEEN {self.said(low, _SUM)} AND {self.said(high, _SUM)}"

    def _case(self, part: Piece) -> str:
        texts = [self.said(arg, _OR) for arg in part.args]
        pairs = zip(texts[0::2], texts[1::2], strict=False)
        parts = [f"WHEN {condition} THEN {value}" for condition, value in pairs]
        parts += [f"ELSE {texts[-1]}"] if len(texts) % 2 else []
        return f"CASE {' '.join(parts)} END"

    def _leaf(self, part: Piece) -> str:
        if part.op == "column":
            return name_of(part.value, self._reserved)
        if part.op == "text":
            return "'" + part.value.replace("'", "''") + "'"
        return {"date": f"DATE '{part.value}'", "timestamp": f"TIMESTAMP '{part.value}'"}.get(
            part.op, part.value
        )
