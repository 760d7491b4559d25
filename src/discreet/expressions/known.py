"""What the declaration says of a number before a cell is read: that it is whole, or at least 0.

Rules of this module:
- it decides which of two meanings a word has, and nothing else: what is worked out is total, and
  the same on every engine, whatever the cells are.
"""

from fractions import Fraction

from .kinds import KnownNames, Piece

_PARTS = frozenset({"year", "month", "day", "weekday", "hour", "quarter", "minute", "second"})
_PARTS |= {"dayofyear", "isoweek", "isoyear"}
WHOLE = _PARTS | {"days", "seconds", "length", "floor", "ceil", "trunc", "sign", "div"}
_KEPT = frozenset(
    {"+", "*", "least", "greatest", "coalesce", "mod", "band"}
)  # of parts that are so


def is_whole(part: Piece, names: KnownNames) -> bool:
    """Say whether a part is a whole number by what is declared."""
    if part.op == "column":
        low, _, step = names.bounds.get(part.value, (Fraction(1, 2),) * 3)
        keys = names.numbers.get(part.value, ())
        has_keys = bool(keys) and all(isinstance(key, int) for key in keys)
        is_truth = "truth" in (names.hints.get(part.value), names.derived.get(part.value))
        return is_truth or has_keys or (low.denominator == 1 and step.denominator == 1)
    if part.op == "number":
        return Fraction(part.value).denominator == 1
    if part.op in WHOLE or (part.op == "round" and len(part.args) == 1):
        return True
    if part.op == "cast":
        return part.value == "INTEGER"
    inner = part.given() if part.op == "case" else part.args
    kept = part.op in _KEPT or part.op in ("-", "neg", "abs", "case")
    return kept and all(one.op == "null" or is_whole(one, names) for one in inner)


def at_least_zero(part: Piece, names: KnownNames) -> bool:
    """Say whether a part is at least 0 by what is declared."""
    if part.op == "column":
        keys = names.numbers.get(part.value, ())
        has_keys = bool(keys) and all(isinstance(key, int) and key >= 0 for key in keys)
        return has_keys or names.bounds.get(part.value, (-1, 0, 0))[0] >= 0
    if part.op == "number":
        return True
    if part.op in _PARTS or part.op in ("length", "abs"):
        return True
    if part.op == "greatest":
        return any(at_least_zero(one, names) for one in part.args)
    inner = part.given() if part.op == "case" else part.args
    kept = part.op in _KEPT | {"/", "case", "cast", "floor", "ceil", "trunc", "div"}
    kept |= part.op == "round" and len(part.args) == 1
    return kept and all(one.op == "null" or at_least_zero(one, names) for one in inner)
