"""What reads an expression, as those see it who read a part of it.

Rules of this module:
- a part is made by the reader alone, which counts the parts.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from ..errors import InputError
from .kinds import Piece
from .tokens import Token


class Making(Protocol):
    """What holds a text, and makes parts of it."""

    text: str
    parts: int

    def part(self, op: str, args: Sequence[Piece], start: int, value: str = "") -> Piece:
        """Return a part that ends here."""


class Reading(Making, Protocol):
    """What reads a text, word by word."""

    tokens: Sequence[Token]
    place: int
    is_code: bool
    is_framed: bool
    is_sheet: bool
    is_r: bool
    is_sas: bool
    sum: tuple[Piece | None, int]

    @property
    def here(self) -> Token:
        """The next word or sign."""

    def take(self, *words: str) -> Token | None:
        """Return the next word or sign if it is one of these, and go on behind it."""

    def need(self, word: str) -> Token:
        """Return the next word or sign, which must be this one."""

    def wrong(self, wanted: str) -> InputError:
        """Return the error for what stands here."""

    def whole(self) -> Piece:
        """Read an expression."""

    def arguments(self, closed: str = ")", read: Callable[[], Piece] | None = None) -> list[Piece]:
        """Read parts up to a sign."""

    def spelled(self) -> str:
        """Read a name, with quotation marks or without."""

    def named_in(self, closed: str, start: int) -> Piece:
        """Read the name of a column in quotation marks, up to a sign."""

    def is_call(self, place: int) -> bool:
        """Say whether a function is called at a place."""
