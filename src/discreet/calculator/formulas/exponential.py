"""The exponential mechanism over a public finite list of whole scores, exactly.

Rules of this module:
- the list is public, its scores are private; they are clamped to a public range first, and no
  error depends on them;
- Pr[choice] is proportional to e^(epsilon score / (2 sensitivity)) and nothing is rounded: the
  cumulative probabilities stay enclosed reals, and lazy bits decide (see `table`);
- scores are whole numbers, so that no snapping is needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...errors import InputError
from ...exact.enclosure import Ball, ball
from ...fix import write
from ...noise.inversion import InversionTable, Outcomes
from ...noise.law import CoinSource
from ...noise.reals import real_near
from ...privacy.loss import Loss

_MOST = 1 << 15  # choices in one list
_DEEPEST = 20_000  # nats between the best and the worst score


@dataclass(frozen=True, slots=True)
class Exponential:
    """The exponential mechanism with whole scores.

    Args:
        epsilon: pure loss of one choice, above 0.
        sensitivity: how far one unit moves any one score, at least 1.
        lower: the least score, public.
        upper: the largest score, public; scores outside are clamped.

    Raises:
        InputError: a parameter is out of range.

    Source: McSherry and Talwar 2007, Theorem 6; drawing it exactly answers Ilvento 2020.

    Example: of three scores 2 apart, at epsilon = 2.

        >>> law = Exponential(Fraction(2), sensitivity=1, lower=0, upper=10)
        >>> [round(float(chance), 4) for chance in law.masses([0, 2, 4])]
        [0.0159, 0.1173, 0.8668]
    """

    epsilon: Fraction
    sensitivity: int
    lower: int
    upper: int

    def __post_init__(self) -> None:
        if self.epsilon <= 0 or self.sensitivity < 1 or self.lower > self.upper:
            raise InputError(
                f"epsilon = {self.epsilon}, sensitivity = {self.sensitivity} and scores from"
                f" {self.lower} to {self.upper} give no mechanism.",
                kind="no-such-noise",
                why="epsilon must be above 0, the sensitivity at least 1, the range not empty",
                fix=write(epsilon="0.1", sensitivity=1, lower=0, upper=100),
            )
        if self._rate() * (self.upper - self.lower) > _DEEPEST:
            raise InputError(
                "the range of scores is too wide for this epsilon.",
                kind="no-such-noise",
                why=f"the worst choice would have a chance below e^-{_DEEPEST}",
                fix="narrow the public range of scores, or spend less",
            )

    def loss(self) -> Loss:
        """Return what one choice costs: epsilon.

        Moving every score by at most the sensitivity changes each weight, and their sum, by a
        factor of at most e^(epsilon / 2).
        """
        return Loss("pure", (self.epsilon,))

    def masses(self, scores: Sequence[int]) -> list[Fraction]:
        """Return the chance of each choice for made-up scores, each within 2^-60."""
        clamped = self._clamped(scores)
        best = max(clamped)

        def total() -> Ball:
            return sum((self._weight(best - score) for score in clamped), ball(Fraction(0)))

        return [
            real_near(lambda score=score: self._weight(best - score) / total())  # type: ignore[misc]
            for score in clamped
        ]

    def choose(self, scores: Sequence[int], coins: CoinSource) -> int:
        """Return the index of one choice.

        Guarantee: exactly the stated law, if the coins are uniform; one look-up among as many
            thresholds as there are choices.
        """
        clamped = self._clamped(scores)
        if len(clamped) == 1:
            return 0
        return InversionTable(self.outcomes(clamped)).one(coins)

    def outcomes(self, scores: Sequence[int]) -> Outcomes:
        """List the choices, the best scores first.

        In this order no cumulative probability but that of equal scores is rational: the part of
        the list up to it and the whole are different polynomials in a transcendental number.
        """
        order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
        best = scores[order[0]]

        def cumulative(n: int) -> list[Ball]:
            added, sums = ball(Fraction(0)), []
            for i in order:
                added = added + self._weight(best - scores[i])
                sums.append(added)
            return [value / added for value in sums[:n]]

        return Outcomes(cumulative, lambda i: order[i], len(order) - 1, "last")

    def _rate(self) -> Fraction:
        return self.epsilon / (2 * self.sensitivity)

    def _weight(self, behind: int) -> Ball:
        return (-ball(self._rate()) * behind).exp()

    def _clamped(self, scores: Sequence[int]) -> list[int]:
        if not 0 < len(scores) <= _MOST:
            raise InputError(
                f"a list of {len(scores)} choices cannot be chosen from.",
                kind="wrong-numbers",
                why=f"the public list holds 1 to {_MOST} choices",
                fix="give one whole score for each choice on the list",
            )
        return [max(self.lower, min(self.upper, score)) for score in scores]
