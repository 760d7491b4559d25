"""Two-sided geometric noise on a count, redrawn until it is between public bounds.

Rules of this module:
- the bounds are public, and the count is clamped to them first;
- no loop redraws: the finite law is drawn from one table, so that no time tells the count;
- redrawing costs privacy: noise made at epsilon' loses epsilon' + ln M, with the exact M of the
  law at epsilon'; epsilon' is found so that this is at most the epsilon that was asked for;
- the factor and the epsilon' of document 003 are here under names that say `note`; they are
  neither safe nor tight, and the law made with them refuses to run.

With q = e^(-epsilon'/s), n = upper - lower and s the sensitivity, the law at truth t is
q^|y - t| / Z_t, where Z_t = (1 + q - q^(t+1) - q^(n-t+1)) / (1 - q), and
M = Z_s / Z_0 = (1 + q - q^(s+1) - q^(n-s+1)) / (1 - q^(n+1)).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from ...errors import InputError
from ...exact.enclosure import Ball, ball
from ...noise.geometric_accuracy import Convention
from ...noise.inversion import InversionTable, Outcomes
from ...noise.law import CoinSource
from ...noise.reals import real_near, start_of
from ...privacy.loss import Loss
from . import truncated_accuracy
from .clamped_geometric import check_count_law, listed
from .truncated_factor import (
    calibrated_epsilon_down,
    note_epsilon_not_private,
    power,
    reject_chance_up,
    true_epsilon_up,
)

_WIDEST = 1 << 15  # outcomes that one table holds
_NEGLIGIBLE = 50  # beyond q^k = e^-50 outcomes are listed only when 64 bits did not decide


@dataclass(frozen=True, slots=True)
class TruncatedGeometric:
    """Geometric noise conditioned on staying between public bounds, correctly calibrated.

    Args:
        epsilon: pure loss of one release, above 0.
        sensitivity: how far one unit moves the count, at least 1.
        lower: the least count that is released.
        upper: the largest, at least `lower`; both within 64 bits.

    Raises:
        InputError: a parameter is out of range, or the law is too wide for one table.

    Source: the exact factor is proved in docs/laws/truncated_geometric.md and enumerated by the
        tests; the idea is section 2.4 of the geometric mechanism notes (Covington 2020).

    Example: noise made at 0.0532523 costs 0.1.

        >>> law = TruncatedGeometric(Fraction(1, 10), sensitivity=1, lower=0, upper=30)
        >>> print(f"{float(law.epsilon_made_at):.10f}")
        0.0532522531
    """

    epsilon: Fraction
    sensitivity: int
    lower: int
    upper: int
    epsilon_made_at: Fraction = field(init=False)

    def __post_init__(self) -> None:
        check_count_law(self.epsilon, self.sensitivity, self.lower, self.upper)
        width = self.upper - self.lower
        made_at = calibrated_epsilon_down(
            epsilon=self.epsilon, width=width, sensitivity=self.sensitivity
        )
        object.__setattr__(self, "epsilon_made_at", made_at)

    def loss(self) -> Loss:
        """Return what one release costs: at most epsilon, so epsilon is charged."""
        return Loss("pure", (self.epsilon,))

    def masses(self, *, truth: int) -> list[Fraction]:
        """Return Pr[released = y] for y = lower..upper at a stated truth, each within 2^-60."""
        return _masses(self.rate, truth, self.lower, self.upper)

    def reject_chance(self, *, truth: int) -> Fraction:
        """Return how often a loop would have redrawn, at a truth inside the bounds, rounded up.

        Source: (q^(t-lower+1) + q^(upper-t+1)) / (1 + q).
        """
        return reject_chance_up(rate=self.rate, below=truth - self.lower, above=self.upper - truth)

    def mean_error(self, *, truth: int) -> Fraction:
        """Return E|released - truth|, from masses that are each within 2^-60."""
        return self._mean(truth, abs)

    def bias(self, *, truth: int) -> Fraction:
        """Return E[released] - truth, from masses that are each within 2^-60."""
        return self._mean(truth, int)

    def variance(self, *, truth: int) -> Fraction:
        """Return the variance of what is released, from masses that are each within 2^-60."""
        return self._mean(truth, lambda error: error * error) - self.bias(truth=truth) ** 2

    def _mean(self, truth: int, of: Callable[[int], int]) -> Fraction:
        span = range(self.lower, self.upper + 1)
        pairs = zip(span, self.masses(truth=truth), strict=True)
        return sum((of(y - truth) * mass for y, mass in pairs), Fraction(0))

    def accuracy(
        self,
        alpha: Fraction,
        *,
        truth: int | None = None,
        convention: Convention = "gt",
        coordinates: int = 1,
    ) -> int:
        """Return the exact accuracy, at a stated truth inside the bounds or at the worst one.

        With several coordinates it is kept by all of so many counts, each released by itself.
        """
        if truth is None:
            return truncated_accuracy.worst_accuracy(
                rate=self.rate,
                alpha=alpha,
                width=self.upper - self.lower,
                convention=convention,
                coordinates=coordinates,
            )
        return truncated_accuracy.accuracy(
            rate=self.rate,
            alpha=alpha,
            below=truth - self.lower,
            above=self.upper - truth,
            convention=convention,
            coordinates=coordinates,
        )

    def release(self, count: int, coins: CoinSource) -> int:
        """Return a draw of the law at this count, clamped to the bounds first.

        Guarantee: exactly the stated law, if the coins are uniform, by one look-up.
        """
        at = max(self.lower, min(self.upper, count))
        if self.lower == self.upper:
            return self.lower
        return InversionTable(self.outcomes(at)).one(coins)

    def outcomes(self, truth: int) -> Outcomes:
        """List the law at a truth inside bounds that differ, the nearest outcomes first.

        Raises:
            InputError: more than 32,768 outcomes matter.
        """
        rate, below, above = self.rate, truth - self.lower, self.upper - truth
        last = below + above
        reach = min(last, 2 * int(_NEGLIGIBLE / start_of(rate)) + 2)
        if reach > _WIDEST:
            raise InputError(
                f"the truncated law is too wide: more than {_WIDEST} outcomes matter.",
                kind="too-large-to-calculate",
                why="it is drawn from one table, so that no loop tells the count",
                fix="use clamped geometric noise, which has no such limit",
            )
        near = min(below, above)

        def label(i: int) -> int:
            if i > 2 * near:
                return truth + (i - near if above > below else near - i)
            return truth + ((i + 1) // 2 if i % 2 else -(i // 2))

        def cumulative(n: int) -> list[Ball]:
            return _cumulative(rate, near, last, n)

        return Outcomes(cumulative, label, reach, "last" if reach == last else "more")

    @property
    def rate(self) -> Fraction:
        """epsilon_made_at / the farthest move; q = e^-rate."""
        return self.epsilon_made_at / min(self.sensitivity, max(1, self.upper - self.lower))


@dataclass(frozen=True, slots=True)
class NoteTruncatedNotPrivate:
    """Document 003's rejection mechanism, to look at: it tells its law and refuses to run."""

    epsilon: Fraction
    lower: int
    upper: int

    def masses(self, *, truth: int) -> list[Fraction]:
        """Return Pr[released = y] for y = lower..upper at a stated truth, each within 2^-60."""
        return _masses(self.epsilon_made_at(), truth, self.lower, self.upper)

    def epsilon_made_at(self) -> Fraction:
        """Return the document's epsilon'."""
        return note_epsilon_not_private(epsilon=self.epsilon, width=self.upper - self.lower)

    def true_loss(self) -> Loss:
        """Return what it really loses, rounded up; at small epsilon more than it promises."""
        width = self.upper - self.lower
        return Loss("pure", (true_epsilon_up(epsilon=self.epsilon_made_at(), width=width),))

    def release(self, count: int, coins: CoinSource) -> int:  # noqa: ARG002 (it refuses every count)
        """Refuse: this law does not keep its promise.

        Raises:
            InputError: always.
        """
        raise InputError(
            "the rejection mechanism of document 003 does not run on data.",
            kind="formula-not-valid",
            why="it can lose nearly twice the epsilon that it promises",
            fix="use TruncatedGeometric, which is calibrated with the exact factor",
        )


def masses_made_at(
    epsilon: Fraction, *, truth: int, lower: int, upper: int, sensitivity: int = 1
) -> list[Fraction]:
    """Return Pr[released = y] for noise made at this epsilon', whatever it then loses.

    It describes; a law that runs is made by `TruncatedGeometric`, which finds epsilon' itself.
    """
    return _masses(epsilon / sensitivity, truth, lower, upper)


def _masses(rate: Fraction, truth: int, lower: int, upper: int) -> list[Fraction]:
    listed(upper - lower + 1)

    def total() -> Ball:
        q = (-ball(rate)).exp()
        below, above = truth - lower + 1, upper - truth + 1
        return (1 + q - power(rate, below) - power(rate, above)) / (1 - q)

    return [
        real_near(lambda y=y: power(rate, abs(y - truth)) / total())  # type: ignore[misc]
        for y in range(lower, upper + 1)
    ]


def _cumulative(rate: Fraction, near: int, last: int, n: int) -> list[Ball]:
    """Return the sums of q^0, q^1, q^1, q^2, ... (once each beyond `near`), over their total."""
    q = (-ball(rate)).exp()
    added, next_one, sums = ball(Fraction(1)), q, [ball(Fraction(1))]
    for i in range(1, min(n, last + 1)):
        added = added + next_one
        sums.append(added)
        if i % 2 == 0 or i > 2 * near:
            next_one = next_one * q
    far = last - near
    total = (1 + q - power(rate, near + 1) - power(rate, far + 1)) / (1 - q)
    cumulative = [value / total for value in sums]
    if n > last:
        cumulative[last] = ball(Fraction(1))
    return cumulative
