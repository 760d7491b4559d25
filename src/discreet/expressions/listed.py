"""What a column with public values is compared with: one of them, in each way that cells say it.

Rules of this module:
- refused is what by the declaration is true of no row, or of a part of a key's rows alone; a value
  of a column's own type that is no key may be in the data, and the plan says that it is none.
"""

from collections.abc import Callable, Sequence, Set
from fractions import Fraction

from ..errors import shown
from .expression import name_of
from .kinds import KnownNames, Piece
from .literals import number
from .parser import RESERVED
from .refusals import refused, spells_number

_OF_TEXTS: dict[str, Callable[..., str]] = {
    "lower": lambda text: text.lower(),
    "upper": lambda text: text.upper(),
    "trim": lambda text: text.strip(" "),
    "left": lambda text, many=0: text[:many],
    "right": lambda text, many=0: text[-many:],
    "substr": lambda text, place=1, many=0: text[place - 1 : place - 1 + many],
}
_TRUTHS = {
    **dict.fromkeys(("yes", "y", "true", "t", "on", "ja", "oui", "1"), 1),
    **dict.fromkeys(("no", "n", "false", "f", "off", "nein", "non", "0"), 0),
}


def texts_of(part: Piece, names: KnownNames) -> Set[str]:
    """Return the texts that a part gives of the public values of its columns, where it is text.

    Example:
        >>> names = KnownNames(texts={"zip": frozenset({"02138", "10001"})})
        >>> letters = Piece("left", (Piece("column", value="zip"), Piece("number", value="3")))
        >>> sorted(texts_of(letters, names))
        ['021', '100']
    """
    if part.op == "column":
        return names.texts.get(part.value, frozenset())
    if part.op not in _OF_TEXTS:
        return frozenset()
    places = [int(place.value) for place in part.args[1:] if place.value.isdecimal()]
    make = _OF_TEXTS[part.op]
    return {make(text, *places) for text in texts_of(part.args[0], names)}


def check_listed(text: str, part: Piece, names: KnownNames) -> None:
    """Refuse to compare a column with what its declaration says is none of its values.

    Raises:
        InputError: a text, where its public values are numbers and it spells none of them; or a
            text that is one of several ways to say a public value, without the others.
    """
    for place, column in enumerate(part.args):
        if column.op == "column":
            values = [value for at, value in enumerate(part.args) if at != place]
            _check_numbers(text, part, names, column.value, values)
            _check_ways(text, part, names, column.value, values)


def number_of(text: str) -> Fraction | None:
    """Return the number that a text spells; None where it spells none, or a truth value."""
    word = text.strip().lower()
    if word in ("true", "false"):
        return Fraction(word == "true")
    double = number(word) if word[:1] not in ("", "e") and spells_number(word) else None
    return None if double is None else Fraction(double)


def _check_numbers(
    text: str, part: Piece, names: KnownNames, name: str, values: Sequence[Piece]
) -> None:
    """Refuse a text that spells none of the numbers which a column has as public values."""
    numbers = names.numbers.get(name)
    texts = [literal for literal in values if literal.op == "text"]
    if numbers is None or all(number_of(literal.value) in numbers for literal in texts):
        return
    meant = [_TRUTHS.get(literal.value.strip().casefold()) for literal in texts]
    op, column = part.op.upper(), name_of(name, RESERVED)
    fix = f"write one of them, as in {column} = {str(numbers[0]).upper()}"
    if {*numbers[:3]} == {0, 1} and None not in meant:
        listed = ", ".join(map(str, meant))
        fix = f"write {column} {op} {f'({listed})' if part.op == 'in' else listed}"
    first = next(literal for literal in texts if number_of(literal.value) not in numbers)
    raise refused(
        text,
        first.start,
        first.end,
        f"{shown(name)} has whole numbers as public values, and this is none of them.",
        why="by that declaration no row says so, and noise alone would be paid for",
        fix=f"{fix}; or declare the keys as cells say them",
    )


def _check_ways(
    text: str, part: Piece, names: KnownNames, name: str, values: Sequence[Piece]
) -> None:
    """Refuse a comparison with some of the ways to say one key: rows that say it otherwise differ.

    By a number are read what spells it, and so no name that cells need not say.
    """
    texts = [literal.value for literal in values if literal.op == "text"]
    read = {number_of(literal.value) for literal in values if literal.op == "number"} - {None}
    whole, part_of = [*texts], ""
    for ways in names.ways.get(name, ()):
        met = {way for way in ways if way in texts or number_of(way) in read}
        needed = {*ways[1:]} if read and not texts else {*ways}
        if met and not needed <= met:
            part_of = part_of or ways[0]
            whole += ways
    if not part_of:
        return
    quoted = ", ".join("'" + way.replace("'", "''") + "'" for way in dict.fromkeys(whole))
    raise refused(
        text,
        part.start,
        part.end,
        f"cells say {shown(part_of)} of {shown(name)} in several ways, of which some are not here.",
        why="an expression looks at the cell as it stands: rows that say it otherwise are left out",
        fix=f"write {'NOT ' * (part.op == '<>')}{name_of(name, RESERVED)} IN ({quoted})",
    )
