"""An expression as it was read: its parts, and the one text that plans and releases hold."""

from dataclasses import dataclass, field

from ..errors import InternalError
from ..text import prompt
from .canonical import text_of
from .literals import checked
from .parser import RESERVED, parsed
from .tree import Piece, Typed


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
        InputError: it is not of the language; the place is marked.

    Example:
        >>> print(expression("(age>=18) and not (status = 'a' OR status='b')"))
        age >= 18 AND NOT (status = 'a' OR status = 'b')
    """
    if isinstance(text, Expression):
        return text
    part = parsed(checked(text))
    said = text_of(part, RESERVED)
    again = parsed(said)
    if again != part:
        raise InternalError(
            "an expression is read in another way when it is written again.",
            why="a release would not say what was counted",
            fix=f"please report it: {said}",
        )
    return Expression(said, again)


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression whose types are known: as it is written, and as engines work it out."""

    expression: Expression
    tree: Typed
