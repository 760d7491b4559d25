"""What a noise law is: what it promises to plans, ledgers and the door.

What a law is handed, checked: its parameters, a chance, a loss, a count of draws.

Rules of this module:
- a law is integers' noise: symmetric around zero, with exact rational parameters;
- a law answers for itself: no other room asks which one it is;
- what a law says about its tails errs on the safe side, or is decided exactly;
- coins are handed in; nothing here can make them;
- what is wrong is refused here, with what to type instead; after that a law trusts its numbers.

Decision 69.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal, Protocol, Self

from ..errors import InputError
from ..exact.enclosure import Ball
from ..exact.number import rational, rounded, sixes, text_of
from ..fix import BLANK, Set, write
from ..privacy.conversion import converted
from ..privacy.loss import Kind, Loss

Integers = Any  # numpy array of int64; of Python ints (dtype object) where a law is too wide
Vector = Any  # numpy array of float64, one number a group
Farther = Callable[[Vector, Vector], Vector]
Beyond = Callable[[Sequence[Vector], Vector], Vector]
Tail = Callable[[float], float]
Form = Literal["discrete_laplace", "discrete_gaussian"]

_UNSEEN, _WAVE_BITS = Fraction(1, 2**50), 64  # what a wave leaves out, and how masses are made
PLACES = range(-50 * 9 * 10**5, 20 * 9 * 10**5)  # of losses of six digits


class CoinSource(Protocol):
    """A source of secret random bytes."""

    def bytes(self, n: int) -> bytes:
        """Return n fresh bytes."""


class Streams(Protocol):
    """Streams of secret bytes by name."""

    def stream(self, name: bytes) -> CoinSource:
        """Return the stream of a name, from its first byte."""

    def blocks(self, prefix: bytes, names: Iterable[bytes]) -> bytes:
        """Return the first 64 bytes of the stream of each name behind a prefix, one by one."""


class Errs(Protocol):
    """How far a released number is off: that of its noise, or less where it was moved to bounds."""

    def half_width(self, alpha: Fraction) -> int:
        """Return the least a that it is off by more than at most with probability alpha."""

    def tail_up(self, a: int) -> Fraction:
        """Return a rational at least the chance that it is off by more than a."""

    def widest(self, half_width: int, alpha: Fraction) -> "Law":
        """Return the noise of the least cost, of six digits, that keeps a half-width."""


class Continuous(Protocol):
    """Continuous noise that bounds a law's, as intervals of means ask for it (see `continuous`)."""

    def above(self, x: float, *, draws: int) -> float:
        """Return Pr[> x] of the sum of one to three draws."""

    def farther(self, levels: Vector) -> Farther:
        """Return, for each group, whether |(1 - t) X - t Y| exceeds x at most at its level."""

    def beyond(self, levels: Vector) -> Beyond:
        """Return, for each group, whether a sum of three draws, each times a weight of at least 0,
        exceeds x in size at most at its level."""

    def steepest(self, levels: Vector) -> Vector:
        """Return a number that no slope of the quantile in t exceeds, for each group."""

    def widths(self, weights: Vector, levels: Sequence[float]) -> Vector:
        """Return, in a row for each level, what a sum of draws exceeds in size at most at it, for
        each row of weights."""

    def sum_above(self, weights: Vector) -> Tail:
        """Return the function from x to Pr[> x] of a sum of draws, each times a weight."""

    def deviation(self) -> float:
        """Return the deviation of a draw."""

    def normal_deviation(self) -> float:
        """Return the deviation of a draw where sums with orthogonal weights are independent, as of
        normal draws; 0 of other noise."""


class Law(ABC):
    """An additive noise law on the integers: a frozen dataclass whose fields are its parameters.

    Attributes:
        name: the name in plans and ledgers; the meaning of a name never changes.
        costs: the kind of loss that this noise costs. The size of the noise follows from a loss of
            this kind.
        also: other kinds of loss from which the size of the noise can follow.
        words: what people call it.
        size_name: the word for the size of this noise, as a plan's column shows it.
        formula: the formula to which Pr[k] is proportional.
        chooses: whether the law picks places of a vector (`choosing`), instead of adding noise.

    Example: of the plan in `help(discreet.Release)`: one for each vector.

        >>> print(*(law.words for law in plan.laws))
        discrete Gaussian discrete Gaussian discrete Gaussian discrete Gaussian discrete Gaussian
    """

    __slots__ = ()
    name: ClassVar[str]
    costs: ClassVar[Kind]
    also: ClassVar[tuple[Kind, ...]] = ()
    words: ClassVar[str]
    size_name: ClassVar[str]
    formula: ClassVar[str]
    chooses: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def calibrated(cls, loss: Loss, *, l1: int, l2_squared: int) -> Self:
        """Return the least noise that costs at most this loss, on a vector that moves so far."""

    @classmethod
    @abstractmethod
    def examples(cls) -> Sequence[Self]:
        """Return laws from the narrowest to the widest, which the suite in tests/law tries."""

    @abstractmethod
    def plain(self) -> dict[str, str]:
        """Return the law as plain data: its name and its exact parameters as text."""

    # Privacy

    @abstractmethod
    def loss(self, *, l1: int, l2_squared: int) -> Loss:
        """Return what this noise on every number of a vector costs, exactly."""

    def loss_in(self, kind: str, *, l1: int, l2_squared: int) -> Loss | None:
        """Return what it costs in a kind of loss, never less, or None if no number of it follows.

        What `loss` implies; in mu^2, and in a ledger of purses where it is not pure, its own.
        """
        own = self.loss(l1=l1, l2_squared=l2_squared)
        if kind == "gdp" or (kind == "purses" and own.kind != "pure"):
            mu2 = self.mu2_up(l1=l1, l2_squared=l2_squared)
            own = own if mu2 is None else Loss("gdp", (mu2,))
        return own if own.kind == kind else converted(own, kind)

    def mu2_up(self, *, l1: int, l2_squared: int) -> Fraction | None:  # noqa: ARG002
        """Return a mu^2 that it keeps, rounded up, or None where it knows none of its own."""
        return None

    def laplace(self, *, l1: int, l2_squared: int) -> tuple[Fraction, int] | None:
        """Return as which scale and l1 it counts in the account of both laws (`mixture`).

        None where it counts by its mu^2. Pure noise of which nothing else is known counts as one
        number that moves by 1: as randomized response, which each pure pair is made of.
        """
        own = self.loss(l1=l1, l2_squared=l2_squared)
        return (1 / own.epsilon, 1) if own.kind == "pure" else None

    def few_up(self) -> Self:
        """Return this law, or a wider one of six digits where a parameter has more than eight."""
        return self

    @classmethod
    def alone(cls, loss: Loss, *, moved: int, below: Fraction) -> Self | None:  # noqa: ARG003
        """Return noise narrower than a size that keeps (epsilon, delta) on one vector; mostly None.

        Args:
            loss: (epsilon, delta), which this vector has for itself.
            moved: how many numbers one unit moves by 1; it moves none further.
            below: the size that it must be below.
        """
        return None

    def epsilon_alone(self, delta: Fraction, *, moved: int) -> Fraction | None:  # noqa: ARG002
        """Return the least epsilon of one such vector at a delta, rounded up, where it is known."""
        return None

    # Distribution

    @abstractmethod
    def mass(self, k: int) -> Ball:
        """Return Pr[Y = k], in a ball at the working precision."""

    @abstractmethod
    def tail(self, k: int) -> Ball:
        """Return Pr[Y >= k], in a ball at the working precision."""

    @abstractmethod
    def variance(self) -> float:
        """Return the variance, for display."""

    # Accuracy

    @abstractmethod
    def half_width(self, alpha: Fraction) -> int:
        """Return the smallest a >= 0 with Pr[|Y| > a] <= alpha, decided exactly."""

    @classmethod
    def widest(cls, half_width: int, alpha: Fraction) -> Self:
        """Return the noise of the least cost, of six digits, that keeps a half-width.

        A law whose edge is known says it; for any other, halving finds its least loss.

        Args:
            half_width: at least 0.
            alpha: strictly between 0 and 1.

        Raises:
            InputError: only noise that no law has would keep it.
        """

        def costing(place: int) -> "Law":
            return cls.calibrated(Loss(cls.costs, (sixes(place),)), l1=1, l2_squared=1)

        def keeps(place: int) -> bool:
            try:
                return costing(place).half_width(alpha) <= half_width
            except InputError:  # less noise than the law has
                return sixes(place) > 1

        least = PLACES[bisect_left(PLACES, x=True, key=keeps)]
        return cls.calibrated(Loss(cls.costs, (sixes(least),)), l1=1, l2_squared=1)

    @abstractmethod
    def tail_up(self, a: int) -> Fraction:
        """Return a rational at least Pr[|Y| > a]."""

    # Words

    @abstractmethod
    def size_up(self) -> Fraction:
        """Return the size of the noise, rounded up, in whole steps."""

    @abstractmethod
    def numbers(self) -> str:
        """Return the parameters for people, exact where they are short."""

    # Floats, for what is done after the noise was added

    def closed_form(self) -> tuple[Form, float] | None:
        """Return which closed form of `post.denoise.noise` it is, or None: then it is listed."""
        return None

    @abstractmethod
    def continuous(self) -> Continuous:
        """Return the continuous noise that bounds it, as `mechanism.continuous` says."""

    def wave(self, t: Vector) -> Vector:
        """Return E[cos(t Y)] for each t from 0 to pi, to twelve digits of 1: it falls from 1 to 0.

        Here by adding up the masses, which takes as long as the noise is wide.
        """
        import numpy as np
        from flint import ctx

        reach = self.half_width(_UNSEEN)
        with ctx.workprec(_WAVE_BITS):
            masses = [float(self.mass(k)) for k in range(reach + 1)]
        heights = np.full_like(t, masses[0])
        for k, mass in enumerate(masses[1:], start=1):
            heights += 2 * mass * np.cos(k * t)
        return heights

    # Sampling

    def picked(self, numbers: Sequence[int], picks: int, coins: CoinSource) -> tuple[int, ...]:
        """Return the places of so many of the largest numbers, where this is a choice."""
        del numbers, picks, coins
        raise NotImplementedError(self.name)

    @abstractmethod
    def draws(self, count: int, coins: CoinSource) -> Integers:
        """Return `count` independent draws as an array."""

    def named(self, streams: Streams, prefix: bytes, names: Sequence[bytes]) -> list[int]:
        """Return one draw of the stream of each name behind a prefix."""
        return [self.sample(1, streams.stream(prefix + name))[0] for name in names]

    def sample(self, count: int, coins: CoinSource) -> list[int]:
        """Return `count` independent draws as Python ints."""
        draws: list[int] = self.draws(count, coins).tolist()
        return draws


_LONG = 24  # characters


def parameter(value: object, name: str, *, least: Fraction, most: Fraction) -> Fraction:
    """Return a law's parameter as an exact rational, or raise InputError if it is out of range."""
    number = rational(value, name)
    if number <= 0:
        raise InputError(
            f"{name} = {text_of(number)} must be above 0.",
            kind="out-of-range",
            why="a law without spread adds no noise and protects nobody",
            fix=(Set({name: BLANK}, note=", above 0"), "spend less"),
        )
    if not least <= number <= most:
        raise InputError(
            f"noise with {name} = {text_of(number)} is outside {rounded(least)} to "
            f"{rounded(most)}.",
            kind="no-such-noise",
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
            kind="out-of-range",
            why="alpha is the chance that an interval misses; no finite interval never misses",
            fix=write(alpha="0.05"),
        )
    return number


def positive(number: Fraction, name: str) -> Fraction:
    """Return a loss or sensitivity to calibrate with, or raise InputError if it is not above 0."""
    if number <= 0:
        raise InputError(
            f"{name} = {text_of(Fraction(number))} must be above 0.",
            kind="out-of-range",
            why="noise is the sensitivity divided by the loss; neither may be zero",
            fix=Set({name: BLANK}, note=", a number above 0"),
        )
    return number


def counted(count: int) -> int:
    """Return a count of draws, or raise InputError if it is negative."""
    if count < 0:
        raise InputError(
            f"{count} draws cannot be made.",
            kind="out-of-range",
            why="a count of draws is at least 0",
            fix="ask for 0 draws or more",
        )
    return count


def brief_text(number: Fraction) -> str:
    """Return a parameter exactly where its text is short, else rounded, and said to be."""
    exact = text_of(number)
    return exact if len(exact) < _LONG else f"{rounded(number, 4)} (rounded)"
