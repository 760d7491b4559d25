"""The privacy curve of a count between bounds, against sums over its whole law."""

from fractions import Fraction

import mpmath
import pytest

from discreet import calculator as calc
from discreet.calculator.formulas import bounded_curve as curve
from discreet.calculator.formulas.clamped_geometric import ClampedGeometric
from discreet.calculator.formulas.truncated_geometric import TruncatedGeometric
from discreet.errors import InputError

CASES = [
    (made, Fraction(epsilon), sensitivity, width)
    for made in (ClampedGeometric, TruncatedGeometric)
    for epsilon, sensitivity, width in [("0.1", 1, 30), ("1", 1, 5), ("1", 3, 12), ("2", 9, 4)]
]
WAYS = {
    ClampedGeometric: (curve.clamped_delta_up, curve.clamped_epsilon_up),
    TruncatedGeometric: (curve.truncated_delta_up, curve.truncated_epsilon_up),
}


def by_listing(law, epsilon, sensitivity):
    """The largest sum of what one count's law has above e^epsilon times its neighbor's."""
    laws = [law.masses(truth=truth) for truth in range(law.lower, law.upper + 1)]
    factor = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
    return max(
        sum(max(mpmath.mpf(0), exact(a) - factor * exact(b)) for a, b in zip(p, q, strict=True))
        for t, p in enumerate(laws)
        for u, q in enumerate(laws)
        if 0 < abs(t - u) <= sensitivity
    )


def exact(number):
    return mpmath.mpf(number.numerator) / number.denominator


@pytest.mark.exhaustive
@pytest.mark.claim("C21")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_curve_is_the_largest_over_all_events_and_neighbors(case):
    """Both directions, every move up to the sensitivity, from epsilon 0 to the pure loss."""
    made, epsilon, sensitivity, width = case
    law = made(epsilon, sensitivity, -3, width - 3)
    facts = {"rate": law.rate, "sensitivity": sensitivity, "width": width}
    delta_up, epsilon_up = WAYS[made]
    for share in (0, Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), 1):
        at = epsilon * share
        found = delta_up(epsilon=at, **facts)
        listed = by_listing(law, at, sensitivity)

        assert float(found) == pytest.approx(float(listed), rel=1e-12, abs=1e-15)
        if 0 < found < 1:
            back = epsilon_up(delta=found, **facts)
            assert delta_up(epsilon=back, **facts) <= found
            if made is TruncatedGeometric or min(sensitivity, width) == 1:
                assert float(back) == pytest.approx(float(at), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_at_delta_0_it_is_the_pure_loss(case):
    """Never above the epsilon that the law was made for, and reached where that is exact."""
    made, epsilon, sensitivity, width = case
    law = made(epsilon, sensitivity, 0, width)

    pure = WAYS[made][1](delta=Fraction(0), rate=law.rate, sensitivity=sensitivity, width=width)

    assert pure <= epsilon * (1 + Fraction(1, 10**12))
    if sensitivity <= width:
        assert float(pure) == pytest.approx(float(epsilon), rel=1e-12)


def test_half_the_noise_is_seen():
    """The check has power: a law drawn at twice the rate breaks the promise."""
    law = TruncatedGeometric(Fraction(1), 1, 0, 30)

    found = curve.truncated_delta_up(
        epsilon=Fraction(1), rate=2 * law.rate, sensitivity=1, width=30
    )

    assert found > Fraction(1, 10)


def test_the_calculator_knows_the_curves_between_bounds():
    """delta, epsilon and rho, from an epsilon or a scale; and says what it does not know."""
    made = {"epsilon": 1, "bounds": (0, 30)}
    for law in ("clamped_geometric", "truncated_geometric"):
        delta = calc.delta_of(law, at_epsilon="0.5", **made)
        assert 0 < delta < 1
        assert abs(float(calc.epsilon_of(law, at_delta=delta, **made)) - 0.5) < 1e-9
        assert float(calc.rho_of(law, **made)) == pytest.approx(0.5, rel=1e-12)
    assert calc.delta_of(
        "clamped_geometric", at_epsilon="0.5", scale=1, bounds=(0, 30)
    ) == calc.delta_of("geometric", at_epsilon="0.5", scale=1)
    for wrong in (
        lambda: calc.delta_of("clamped_geometric", at_epsilon=1, epsilon=1),
        lambda: calc.delta_of("geometric", at_epsilon=1, epsilon=1, bounds=(0, 3)),
        lambda: calc.delta_of("truncated_geometric", at_epsilon=1, releases=2, **made),
        lambda: calc.delta_of("truncated_geometric", at_epsilon=1, epsilon=1, bounds=(0, 10**6)),
    ):
        with pytest.raises(InputError) as refused:
            wrong()
        assert str(refused.value).count("\n") == 2
