"""What a noise law is: what it promises to plans, ledgers and the door.

Rules of this module:
- a law is integers' noise: symmetric around zero, with exact rational parameters;
- what a law says about its tails errs on the safe side, or is decided exactly;
- coins are handed in; nothing here can make them.
"""

from fractions import Fraction
from typing import Any, Protocol

from ..errors import InputError
from ..exact.number import rational, rounded, text_of
from ..fix import BLANK, Set, write
from ..privacy.loss import Pure, Zcdp

Integers = Any  # numpy array of int64; of Python ints (dtype object) where a law is too wide


class Coins(Protocol):
    """A source of secret random bytes."""

    def bytes(self, n: int) -> bytes:
        """Return n fresh bytes."""


class Law(Protocol):
    """An additive noise law on the integers."""

    @property
    def name(self) -> str:
        """The law's name in plans and ledgers."""

    def plain(self) -> dict[str, str]:
        """Return the law as plain data: its name and its exact parameters as text."""

    def loss(self, *, l1: int, l2_squared: int) -> Pure | Zcdp:
        """Return what this noise on every number of a vector costs, exactly."""

    def half_width(self, alpha: Fraction) -> int:
        """Return the smallest a >= 0 with Pr[|Y| > a] <= alpha, decided exactly."""

    def tail_up(self, a: int) -> Fraction:
        """Return a rational at least Pr[|Y| > a]."""

    def variance(self) -> float:
        """Return the variance, for display."""

    def draws(self, count: int, coins: Coins) -> Integers:
        """Return `count` independent draws as an array."""

    def sample(self, count: int, coins: Coins) -> list[int]:
        """Return `count` independent draws as Python ints."""


def parameter(value: object, name: str, *, least: Fraction, most: Fraction) -> Fraction:
    """Return a law's parameter as an exact rational, or raise InputError if it is out of range."""
    number = rational(value, name)
    if number <= 0:
        raise InputError(
            f"{name} = {text_of(number)} must be above 0.",
            why="a law without spread adds no noise and protects nobody",
            fix=(Set({name: BLANK}, note=", above 0"), "spend less"),
        )
    if not least <= number <= most:
        raise InputError(
            f"noise with {name} = {text_of(number)} is outside {rounded(least)} to "
            f"{rounded(most)}.",
            why="no useful release has so little or so much noise; its loss is likely mistyped",
            fix=write(f", {'less' if number < least else 'more'} than now", of="plan", spend=BLANK),
        )
    return number


def chance(alpha: Fraction) -> Fraction:
    """Return alpha if it is a probability strictly between 0 and 1, or raise InputError."""
    number = rational(alpha, "alpha")
    if not 0 < number < 1:
        raise InputError(
            f"alpha = {text_of(number)} must lie between 0 and 1.",
            why="alpha is the chance that an interval misses; no finite interval never misses",
            fix=write(alpha="0.05"),
        )
    return number


def positive(number: Fraction, name: str) -> Fraction:
    """Return a loss or sensitivity to calibrate with, or raise InputError if it is not above 0."""
    if number <= 0:
        raise InputError(
            f"{name} = {text_of(Fraction(number))} must be above 0.",
            why="noise is the sensitivity divided by the loss; neither may be zero",
            fix=Set({name: BLANK}, note=", a number above 0"),
        )
    return number


def counted(count: int) -> int:
    """Return a count of draws, or raise InputError if it is negative."""
    if count < 0:
        raise InputError(
            f"{count} draws cannot be made.",
            why="a count of draws is at least 0",
            fix="ask for 0 draws or more",
        )
    return count
