"""Choosing the largest of private whole numbers: the exponential mechanism, and permute-and-flip.

With d_i by how much number i lies below the largest, a place is drawn evenly and kept with
probability e^(-d_i / scale), until one is kept. The exponential mechanism draws among all places
again, so that Pr[i] is proportional to e^(-d_i / scale); permute-and-flip does not draw a place
twice, and is never further from the largest. Several are picked one after the other, each among
those that are left.

Price. Let one unit change the numbers by moves of which the largest less the least is at most R.
Both mechanisms see differences of numbers only, so that the same may be added to all moves, and
they lie between 0 and R. Then no weight e^(-d_i / scale) changes by a factor outside e^0 to
e^(R / scale), before and after they are divided by their sum: the exponential mechanism has bounded
range R / scale, hence is pure R / scale and (R / scale)^2 / 8 in zCDP (Cesar and Rogers 2021, Lemma
3.2 of Dong, Durfee and Rogers 2020). Permute-and-flip is pure R / scale (McKenna and Sheldon 2020,
Theorem 1, whose numbers move by at most R / 2 in either direction), and has no bounded range: in
zCDP it costs what pure loss does. Picks add up. Proofs: docs/laws/choosing.md.

Rules of this module:
- a draw is decided by integers, or by a lazily revealed uniform real against a ball: no float;
- how many places are drawn before one is kept depends on the numbers, so that time tells of them.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Never, Self

from ..errors import InternalError
from ..exact.enclosure import Ball, ball, floor_of, sqrt_up
from ..exact.number import few_up, sixes
from ..privacy.conversion import converted
from ..privacy.gdp import mu2_of_pure, pure_down
from ..privacy.loss import Kind, Loss
from .inversion import Uniform, word
from .law import PLACES, CoinSource, Continuous, Law, brief_text, chance, parameter, positive

_LEAST, _MOST = Fraction(1, 64), Fraction(2**160)
_WORD = 64


@dataclass(frozen=True, slots=True)
class Choosing(Law):
    """A choice by its scale: how much lower a number must be to be e times less likely."""

    scale: Fraction

    chooses: ClassVar[bool] = True
    size_name: ClassVar[str] = "scale"
    again: ClassVar[bool]

    def __post_init__(self) -> None:
        scale = parameter(self.scale, "scale", least=_LEAST, most=_MOST)
        object.__setattr__(self, "scale", scale)

    @classmethod
    def of(cls, scale: Fraction) -> Self:
        """Return the choice of a scale."""
        return cls(scale)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return choices from the narrowest to the widest."""
        return [cls.of(Fraction(scale)) for scale in ("1/4", "1", "7/2", "30", "1000", "1e6")]

    def plain(self) -> dict[str, str]:
        """Return the choice as plain data."""
        return {"law": self.name, "scale": str(self.scale)}

    def loss_in(self, kind: str, *, l1: int, l2_squared: int) -> Loss | None:
        """Return what its picks cost: their number times the spread is `l1`, its square the other.

        In zCDP its own price; in all others that of as many pure losses.
        """
        if kind == self.costs:
            return self.loss(l1=l1, l2_squared=l2_squared)
        spread, picks = Fraction(l2_squared, l1), Fraction(l1**2, l2_squared)
        if kind == "gdp":
            return Loss("gdp", (picks * mu2_of_pure(spread / self.scale),))
        if kind == "zcdp":
            loss = converted(Loss("pure", (spread / self.scale,)), kind)
            return None if loss is None else loss.times(picks)
        return converted(Loss("pure", (l1 / self.scale,)), kind)

    def few_up(self) -> Self:
        """Return this choice, or a wider one of six digits."""
        return self.of(few_up(self.scale))

    def half_width(self, alpha: Fraction) -> int:
        """Return the least a for which a number more than a below is e^(-(a + 1) / scale) <= alpha
        times as likely as the largest."""
        least = chance(alpha)
        return max(0, floor_of(lambda: -ball(self.scale) * ball(least).log()))

    @classmethod
    def widest(cls, half_width: int, alpha: Fraction) -> Self:
        """Return the widest choice of six digits that keeps a half-width: what its price buys has
        no more digits, and so no wider scale.

        Raises:
            InputError: only a choice narrower than any would keep it.
        """

        def wider(place: int) -> bool:
            size = sixes(place)
            return size > _MOST or (size > _LEAST and cls.of(size).half_width(alpha) > half_width)

        return cls.of(sixes(bisect_left(PLACES, x=True, key=wider) + PLACES.start - 1))

    def size_up(self) -> Fraction:
        """Return the scale."""
        return self.scale

    def numbers(self) -> str:
        """Return the scale for people."""
        return f"scale = {brief_text(self.scale)}"

    def picked(self, numbers: Sequence[int], picks: int, coins: CoinSource) -> tuple[int, ...]:
        """Return the places of so many of the largest numbers, in the order of the picks.

        Args:
            numbers: private whole numbers.
            picks: how many, at most as many as there are.
            coins: secret bytes.
        """
        left, places = list(range(len(numbers))), list[int]()
        for _ in range(picks):
            places.append(self._one(numbers, left, coins))
            left.remove(places[-1])
        return tuple(places)

    def _one(self, numbers: Sequence[int], left: Sequence[int], coins: CoinSource) -> int:
        largest, among = max(numbers[place] for place in left), list(left)
        while True:
            drawn = _below(len(among), coins)
            place = among[drawn]
            if self.keeps(largest - numbers[place], coins):
                return place
            if not self.again:
                among[drawn] = among[-1]
                among.pop()

    def keeps(self, below: int, coins: CoinSource) -> bool:
        """Tell whether U < e^(-below / scale) for a uniform U, exactly.

        At most 2^-m, for m the whole part of the exponent, so that most are decided by few bits.
        """
        if below == 0:
            return True
        first = word(coins)
        whole = below * self.scale.denominator // self.scale.numerator
        if first >> max(0, _WORD - whole):
            return False

        def likely() -> Ball:
            return (-ball(below / self.scale)).exp()

        return Uniform(first, _WORD, coins).is_below(likely)

    # What a choice does not have, because it adds no noise

    def mass(self, k: int) -> Ball:
        """Refuse: a choice adds nothing."""
        _refuse(k)

    def tail(self, k: int) -> Ball:
        """Refuse: a choice adds nothing."""
        _refuse(k)

    def tail_up(self, a: int) -> Fraction:
        """Refuse: a choice adds nothing."""
        _refuse(a)

    def variance(self) -> float:
        """Refuse: a choice adds nothing."""
        _refuse()

    def continuous(self) -> Continuous:
        """Refuse: a choice adds nothing."""
        _refuse()

    def draws(self, count: int, coins: CoinSource) -> Any:
        """Refuse: a choice adds nothing."""
        _refuse(count, coins)


@dataclass(frozen=True, slots=True)
class PermuteAndFlip(Choosing):
    """The largest number, by going through them in a random order: for pure losses."""

    name: ClassVar[str] = "permute_and_flip"
    costs: ClassVar[Kind] = "pure"
    also: ClassVar[tuple[Kind, ...]] = ("gdp",)
    words: ClassVar[str] = "permute-and-flip"
    formula: ClassVar[str] = (
        "the chance that k, d below the largest, is the first kept in a random order, each with "
        "e^(−d / scale)"
    )
    again: ClassVar[bool] = False

    @classmethod
    def calibrated(cls, loss: Loss, *, l1: int, l2_squared: int) -> Self:
        """Return the choice that costs at most this loss: pure, or Gaussian."""
        if loss.kind != "gdp":
            return cls(l1 / positive(loss.epsilon, "epsilon"))
        spread, picks = Fraction(l2_squared, l1), Fraction(l1**2, l2_squared)
        return cls(spread / pure_down(positive(loss.mu2, "mu2") / picks))

    def loss(self, *, l1: int, l2_squared: int) -> Loss:  # noqa: ARG002 - the price is linear
        """Return the pure loss of all picks."""
        return Loss("pure", (l1 / self.scale,))


@dataclass(frozen=True, slots=True)
class ExponentialMechanism(Choosing):
    """The largest number, by weights that fall with the distance from it: for zCDP."""

    name: ClassVar[str] = "exponential_mechanism"
    costs: ClassVar[Kind] = "zcdp"
    words: ClassVar[str] = "exponential mechanism"
    formula: ClassVar[str] = "e^(−d / scale), d how far k is below the largest"
    again: ClassVar[bool] = True

    @classmethod
    def calibrated(cls, loss: Loss, *, l1: int, l2_squared: int) -> Self:  # noqa: ARG003
        """Return the choice that costs at most this rho: scale^2 = l2_squared / (8 rho)."""
        return cls(sqrt_up(l2_squared / (8 * positive(loss.rho, "rho"))))

    def loss(self, *, l1: int, l2_squared: int) -> Loss:  # noqa: ARG002 - by bounded range
        """Return the rho of all picks: the spread over the scale, squared, over 8, for each."""
        return Loss("zcdp", (l2_squared / (8 * self.scale**2),))


def _below(limit: int, coins: CoinSource) -> int:
    """Return a whole number below a limit, each as likely as the others."""
    whole = (1 << _WORD) - (1 << _WORD) % limit
    while (number := word(coins)) >= whole:
        pass
    return number % limit


def _refuse(*_: object) -> Never:
    raise InternalError(
        "a choice was asked for its noise.",
        kind="not-to-be-copied",
        why="it adds none: places leave, and no number",
        fix="please report it, with the plan",
    )
