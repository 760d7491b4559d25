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

from dataclasses import dataclass, field
from fractions import Fraction

from ..errors import InputError
from ..exact.enclosure import Ball, Real, ball, is_less, round_down
from ..privacy.loss import Pure
from .clamped_geometric import check_count_law, listed
from .law import Coins
from .reals import least_that_holds, real_down, real_near, real_up, start_of
from .table import Outcomes, Table

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

    def loss(self) -> Pure:
        """Return what one release costs: at most epsilon, so epsilon is charged."""
        return Pure(self.epsilon)

    def masses(self, *, truth: int) -> list[Fraction]:
        """Return Pr[released = y] for y = lower..upper at a stated truth, each within 2^-60."""
        return _masses(self._rate(), truth, self.lower, self.upper)

    def reject_chance(self, *, truth: int) -> Fraction:
        """Return how often a loop would have redrawn, at a truth inside the bounds, rounded up.

        Source: (q^(t-lower+1) + q^(upper-t+1)) / (1 + q).
        """
        return reject_chance_up(
            rate=self._rate(), below=truth - self.lower, above=self.upper - truth
        )

    def mean_error(self, *, truth: int) -> Fraction:
        """Return E|released - truth| within 2^-59."""
        span = range(self.lower, self.upper + 1)
        pairs = zip(span, self.masses(truth=truth), strict=True)
        return sum((abs(y - truth) * mass for y, mass in pairs), Fraction(0))

    def release(self, count: int, coins: Coins) -> int:
        """Return a draw of the law at this count, clamped to the bounds first.

        Guarantee: exactly the stated law, if the coins are uniform, by one look-up.
        """
        at = max(self.lower, min(self.upper, count))
        if self.lower == self.upper:
            return self.lower
        return Table(self.outcomes(at)).one(coins)

    def outcomes(self, truth: int) -> Outcomes:
        """List the law at a truth inside bounds that differ, the nearest outcomes first.

        Raises:
            InputError: more than 32,768 outcomes matter.
        """
        rate, below, above = self._rate(), truth - self.lower, self.upper - truth
        last = below + above
        reach = min(last, 2 * int(_NEGLIGIBLE / start_of(rate)) + 2)
        if reach > _WIDEST:
            raise InputError(
                f"the truncated law is too wide: more than {_WIDEST} outcomes matter.",
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

    def _rate(self) -> Fraction:
        return self.epsilon_made_at / min(self.sensitivity, max(1, self.upper - self.lower))


def factor_up(*, epsilon: Fraction, width: int, sensitivity: int = 1) -> Fraction:
    """Return the exact M of the law made at epsilon, rounded up.

    Example: the printed formula says 1.0957 at n = 30, epsilon = 0.1.

        >>> print(f"{float(factor_up(epsilon=Fraction(1, 10), width=30)):.4f}")
        1.0852
    """
    if _is_exact(width, sensitivity):
        return Fraction(1)
    return real_up(lambda: _factor(epsilon, width, min(sensitivity, width)))


def true_epsilon_up(*, epsilon: Fraction, width: int, sensitivity: int = 1) -> Fraction:
    """Return what the law made at epsilon loses: epsilon + ln M, rounded up."""
    if _is_exact(width, sensitivity):
        return epsilon if width else Fraction(0)
    return real_up(lambda: ball(epsilon) + _factor(epsilon, width, min(sensitivity, width)).log())


def calibrated_epsilon_down(*, epsilon: Fraction, width: int, sensitivity: int = 1) -> Fraction:
    """Return the largest epsilon' whose law loses at most epsilon, rounded down.

    Guarantee: epsilon' + ln M(epsilon') is at most epsilon, and no longer with 6e-14 more.

    Args:
        epsilon: the loss that is promised, above 0.
        width: upper - lower, public.
        sensitivity: at least 1; a count cannot move further than the width.
    """
    if _is_exact(width, sensitivity):
        return epsilon
    shift = min(sensitivity, width)

    def excess(inverse: Fraction) -> Real:
        made_at = 1 / inverse
        return lambda: (ball(made_at) + _factor(made_at, width, shift).log()) / ball(epsilon) - 1

    low, high = 1 / epsilon, 2 / epsilon
    while not is_less(excess(high), lambda: ball(Fraction(0))):
        low, high = high, 2 * high
    return round_down(1 / least_that_holds(excess, low, high))


def any_width_epsilon_down(epsilon: Fraction) -> Fraction:
    """Return an epsilon' that is safe for every width, at sensitivity 1: asinh((e^epsilon - 1)/2).

    M is at most 1 + q - q^2, and asinh((e^epsilon - 1) / 2) solves e^x (1 + q - q^2) = e^epsilon.
    """

    def real() -> Ball:
        return (ball(epsilon).expm1() / 2).asinh()

    return real_down(real)


def reject_chance_up(*, rate: Fraction, below: int, above: int) -> Fraction:
    """Return Pr[noise leaves the bounds], (q^(below+1) + q^(above+1)) / (1 + q), rounded up."""
    return real_up(
        lambda: (
            ((-ball(rate) * (below + 1)).exp() + (-ball(rate) * (above + 1)).exp())
            / (1 + (-ball(rate)).exp())
        )
    )


def loss_ratio(*, q: Fraction, width: int) -> Fraction:
    """Return e^loss = M / q exactly, for a rational q, sensitivity 1 and width of at least 1.

    Example:
        >>> loss_ratio(q=Fraction(1, 2), width=5)
        Fraction(52, 21)
    """
    return (1 + q - q**2 - q**width) / (1 - q ** (width + 1)) / q


def note_factor_up(*, epsilon: Fraction, width: int) -> Fraction:
    """Return document 003's M, (1 + q^(n+2)) / (q + q^(n+1)), rounded up; it bounds nothing."""

    def real() -> Ball:
        q = _power(epsilon, 1)
        return (1 + q * q * _power(epsilon, width)) / (q + q * _power(epsilon, width))

    return real_up(real)


def note_ratio_not_private(*, q: Fraction, width: int) -> Fraction:
    """Return document 003's M e^epsilon exactly, for a rational q: the truth can exceed it."""
    return (1 + q ** (width + 2)) / (q + q ** (width + 1)) / q


def note_epsilon_not_private(*, epsilon: Fraction, width: int) -> Fraction:
    """Return document 003's epsilon' = epsilon - ln M, within 2^-60: its promise can be broken.

    It is ln((1 + q^n) / (1 + q^(n+2))), written so that no digits cancel.
    """

    def real() -> Ball:
        low, high = _power(epsilon, width), _power(epsilon, width + 2)
        return ((low - high) / (1 + high)).log1p()

    return real_near(real)


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

    def true_loss(self) -> Pure:
        """Return what it really loses, rounded up; at small epsilon more than it promises."""
        width = self.upper - self.lower
        return Pure(true_epsilon_up(epsilon=self.epsilon_made_at(), width=width))

    def release(self, count: int, coins: Coins) -> int:  # noqa: ARG002 (it refuses every count)
        """Refuse: this law does not keep its promise.

        Raises:
            InputError: always.
        """
        raise InputError(
            "the rejection mechanism of document 003 does not run on data.",
            why="it can lose nearly twice the epsilon that it promises",
            fix="use TruncatedGeometric, which is calibrated with the exact factor",
        )


def _is_exact(width: int, sensitivity: int) -> bool:
    return width <= max(1, sensitivity)  # the largest move is from end to end, where Z is equal


def _power(epsilon: Fraction, steps: int) -> Ball:
    return (-ball(epsilon) * steps).exp()


def _factor(epsilon: Fraction, width: int, shift: int) -> Ball:
    """Return M at the working precision: 1 + q (1 - q^s)(1 - q^(n-s)) / (1 - q^(n+1))."""
    rate = ball(epsilon) / shift

    def gap(steps: int) -> Ball:
        return -((-rate * steps).expm1())

    return 1 + (-rate).exp() * gap(shift) * gap(width - shift) / gap(width + 1)


def _masses(rate: Fraction, truth: int, lower: int, upper: int) -> list[Fraction]:
    listed(upper - lower + 1)

    def total() -> Ball:
        q = (-ball(rate)).exp()
        below, above = truth - lower + 1, upper - truth + 1
        return (1 + q - _power(rate, below) - _power(rate, above)) / (1 - q)

    return [
        real_near(lambda y=y: _power(rate, abs(y - truth)) / total())  # type: ignore[misc]
        for y in range(lower, upper + 1)
    ]


def _cumulative(rate: Fraction, near: int, last: int, n: int) -> list[Ball]:
    """Return the sums of q^0, q^1, q^1, q^2, ... (once each beyond `near`), over their total."""
    q = (-ball(rate)).exp()
    added, power, found = ball(Fraction(1)), q, [ball(Fraction(1))]
    for i in range(1, min(n, last + 1)):
        added = added + power
        found.append(added)
        if i % 2 == 0 or i > 2 * near:
            power = power * q
    far = last - near
    total = (1 + q - _power(rate, near + 1) - _power(rate, far + 1)) / (1 - q)
    cumulative = [value / total for value in found]
    if n > last:
        cumulative[last] = ball(Fraction(1))
    return cumulative
