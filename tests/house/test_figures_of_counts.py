"""The figures of counts and of proportions show the numbers of an independent computation."""

import math
from fractions import Fraction

import pytest
from figures.minimax import minimax

from discreet.calculator.formulas.clamped_geometric import ClampedGeometric
from discreet.calculator.formulas.truncated_factor import true_epsilon_up
from unit.drawn_curves import at, close, curves

# At true counts 19, 20 and 21: the chance of each released count, ten digits, epsilon = 0.1.
CLAMPED = {
    0: (0.07852041219, 0.07104820703, 0.06428707621),
    1: (0.00825806384, 0.00747220516, 0.00676113083),
    10: (0.02031155951, 0.01837865906, 0.01662969841),
    19: (0.04995837496, 0.04520420701, 0.04090245795),
    20: (0.04520420701, 0.04995837496, 0.04520420701),
    21: (0.04090245795, 0.04520420701, 0.04995837496),
    29: (0.01837865906, 0.02031155951, 0.02244774487),
    30: (0.1747503911, 0.1931290501, 0.2134406096),
}

PRINTED = {
    0: (0.0293705, 0.0291867, 0.0290194),
    10: (0.0320191, 0.0318187, 0.0316363),
    20: (0.0343089, 0.0346880, 0.0344892),
    30: (0.0314709, 0.0318187, 0.0321874),
}

CALIBRATED = {
    0: (0.0175287, 0.0167913, 0.0161249),
    10: (0.0298553, 0.0285993, 0.0274644),
    20: (0.0457129, 0.0487110, 0.0467779),
    30: (0.0268390, 0.0285993, 0.0305509),
}

BOUND_FAILS = {2: 0.19946, 10: 0.15481, 30: 0.07976, 100: 0.03345}
CROSSINGS = {2: 0.1596577, 10: 0.0855709, 30: 0.0336394, 100: 0.0107076}  # by mpmath

ERRORS = {  # mean over all true counts, and largest
    "clamped": (6.7517, 7.7558),
    "redrawn, calibrated": (7.9306, 10.9218),
    "best on average": (5.6857, 8.5634),
}

MINIMAX = 6.2325

# For a rarest label of 100 and of 500 in 1,000, at epsilon = 1.
SLOPES = {100: 0.900901, 500: 0.500501}

PEAKS = {100: (500, 555), 500: (500, 999)}
AT_99 = {100: (0.00391202, 0.00352435), 500: (0.00391202, 0.00195797)}
PRINTED_HALF = {100: (0.0006832, 0.000615495), 500: (0.0006832, 0.000341942)}
TRUE_HALF = {100: (0.00460517, 0.0041488), 500: (0.00460517, 0.00230489)}


@pytest.mark.claim("C30")
@pytest.mark.parametrize("truth", [19, 20, 21])
def test_the_clamped_law_is_the_table(truth):
    """Document 003, figure 2.1; every chance changes by exactly e^0.1 or e^-0.1."""
    column = f"true count {truth}"
    for y, wanted in CLAMPED.items():
        assert at("clamped-count", "clamped", column, y) == close(9)(wanted[truth - 19])

    neighbor = f"true count {truth + 1 if truth < 21 else 20}"
    for y in range(31):
        here, there = (at("clamped-count", "clamped", c, y) for c in (column, neighbor))
        assert abs(math.log(here / there)) == pytest.approx(0.1, rel=1e-12)


@pytest.mark.claim("C30")
@pytest.mark.slow
@pytest.mark.parametrize(("panel", "table"), [("as printed", PRINTED), ("calibrated", CALIBRATED)])
def test_the_redrawn_laws_are_the_tables(panel, table):
    """Document 003, figure 2.2, as printed and calibrated; each law adds up to 1."""
    for truth in (19, 20, 21):
        points = curves("redrawn-count")[panel, f"true count {truth}"]
        for y, wanted in table.items():
            assert points[y][1] == close(6)(wanted[truth - 19])
        assert sum(p for _, p in points) == pytest.approx(1, abs=1e-12)


@pytest.mark.claim("C30")
@pytest.mark.slow
@pytest.mark.parametrize("width", CROSSINGS)
def test_the_printed_promise_is_broken_below_its_crossing(width):
    """Left of the crossing the curve lies above the diagonal, right of it below.

    The bound behind it, for noise made at an epsilon, fails up to a larger one.
    """
    found = curves("redrawn-count")
    for promised, lost in found["promise", f"n = {width}"]:
        assert (lost > promised) == (promised < CROSSINGS[width])
    least, most = found["promise", f"n = {width}"][0]

    assert most / least == pytest.approx(2 * width / (width + 1), rel=0.06)
    assert found["crossing", f"n = {width}"][0][0] == close(6)(CROSSINGS[width])
    assert found["bound fails below", f"n = {width}"][0][0] == close(4)(BOUND_FAILS[width])


def test_a_promise_that_is_kept_is_seen():
    """The comparison has power: noise at the calibrated epsilon' lies on the diagonal."""
    lost = true_epsilon_up(epsilon=Fraction("0.053252253104361"), width=30)

    assert float(lost) == pytest.approx(0.1, rel=1e-12)


@pytest.mark.claim("C30")
@pytest.mark.slow
@pytest.mark.parametrize("name", ERRORS)
def test_mean_errors_are_the_table(name):
    """Mean over all true counts, and largest."""
    errors = [y for _, y in curves("redrawn-count")["error", name]]

    assert sum(errors) / len(errors) == close(5)(ERRORS[name][0])
    assert max(errors) == close(5)(ERRORS[name][1])


@pytest.mark.claim("C30")
@pytest.mark.slow
def test_the_smallest_largest_error_is_bracketed():
    """The linear program's value lies between what no mechanism beats and what one reaches."""
    found = minimax(ClampedGeometric(Fraction(1, 10), sensitivity=1, lower=0, upper=30))

    assert found.at_least <= MINIMAX <= max(found.errors)
    assert max(found.errors) - found.at_least < 0.001 * MINIMAX


@pytest.mark.claim("C30")
@pytest.mark.parametrize("rarest", SLOPES)
def test_proportions_are_the_table(rarest):
    """Document 002, figures 1 to 4: slope, peak, quantiles and half-widths."""
    found = curves("proportions")
    points = found[f"quantiles k = {rarest}", "proportions as printed"]
    for i, name in enumerate(("frequencies / n", "proportions as printed")):
        density = dict(found[f"density k = {rarest}", name])
        (covers, printed), (_, true) = found[f"half-width k = {rarest}", name]

        assert density[0.0] == pytest.approx(PEAKS[rarest][i], abs=0.51)
        assert points[-1][i] == close(6)(AT_99[rarest][i])
        assert covers == pytest.approx(0.495, abs=1e-9)
        assert printed == pytest.approx(PRINTED_HALF[rarest][i], rel=3e-5)
        assert true == close(5)(TRUE_HALF[rarest][i])
    for x, y in points:
        assert y == pytest.approx(SLOPES[rarest] * x, rel=1e-5)
