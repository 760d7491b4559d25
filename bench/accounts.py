"""What noise costs together, beside dp-accounting; how close a plan of both laws can come.

Rules of this module:
- both sides are asked in one run, for the same noise; dp-accounting's Gaussian is continuous, its
  account pessimistic in doubles, on a grid of 10^-4;
- ours is never below the truth: 1,000 random mixtures are compared with 50 digits; the test
  (tests/unit/noise/test_mixture.py) takes `mixtures` and `exact_delta` from here, and tries a few.
"""

import random
import time
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath

from discreet.noise import mixture
from discreet.noise.mixture import Laplace
from discreet.privacy import gdp

from .table import Cell, Section, got, median

DELTA = Fraction(1, 10**6)
GRID = 1e-4
MIXTURES = 1_000
Mixture = tuple[Fraction, list[Laplace], Fraction]
JOBS: dict[str, tuple[list[Laplace], int, Fraction, str]] = {  # sigma^2 of as many Gaussians
    "100 geometric of 0.1": ([(Fraction(10), 1)] * 100, 0, Fraction(1), "4.774568"),
    "100 Gaussians, sigma 50": ([], 100, Fraction(2500), "0.83412"),
    "10,000 Gaussians, sigma 50": ([], 10_000, Fraction(2500), "10.99715"),
    "50 of both laws, each another": (
        [(Fraction(100 + n), 1) for n in range(25)],
        25,
        Fraction(10_000),
        "",
    ),
}


def sections() -> list[Section]:
    """Return the tables of accounts."""
    rows = []
    for name, (laplace, many, sigma2, wanted) in JOBS.items():
        mu2 = many / sigma2
        took = median(lambda m=mu2, p=laplace: _fresh(m, p), rounds=3)
        found = float(mixture.epsilon_up(mu2, laplace, DELTA))
        exact = abs(found - float(wanted)) < 1e-5 if wanted else True
        rows.append(
            [
                name,
                Cell(f"{found:.6f}", wanted, reached=exact) if wanted else f"{found:.6f}",
                got(1e3 * took, "ms", most=1_000),
                *_peer(laplace, many, sigma2),
            ]
        )
    about = (
        "epsilon at delta = 1e-6, all fixed in advance. Ours is certified; dp-accounting's is in "
        f"doubles, on a grid of {GRID:g}."
    )
    columns = ("noise", "epsilon", "time", "dp-accounting", "its time")
    return [Section("Accounts", about, columns, rows), _enumerated()]


def _fresh(mu2: Fraction, laplace: list[Laplace]) -> Fraction:
    """Return an epsilon that nobody has asked for before."""
    mixture.tabled.cache_clear()
    gdp.epsilon_up.cache_clear()
    return mixture.epsilon_up(mu2, laplace, DELTA)


def _peer(laplace: list[Laplace], many: int, sigma2: Fraction) -> list[Cell | str]:
    try:
        from dp_accounting.pld import privacy_loss_distribution as pld
    except ImportError:
        return ["not installed", ""]

    def asked() -> float:
        one: dict[Laplace, int] = {}
        for each in laplace:
            one[each] = one.get(each, 0) + 1
        parts: list[Any] = [
            pld.from_discrete_laplace_mechanism(
                float(1 / scale), sensitivity=l1, value_discretization_interval=GRID
            ).self_compose(times)
            for (scale, l1), times in one.items()
        ]
        if many:
            gaussian = pld.from_gaussian_mechanism(
                float(sigma2) ** 0.5, value_discretization_interval=GRID
            )
            parts.append(gaussian.self_compose(many))
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.compose(part)
        return float(whole.get_epsilon_for_delta(float(DELTA)))

    start = time.process_time()
    found = asked()
    return [f"{found:.6f}", got(1e3 * (time.process_time() - start), "ms")]


def _enumerated() -> Section:
    below, loose = 0, 0
    start = time.process_time()
    for mu2, laplace, delta in mixtures(14, MIXTURES):
        found = mixture.epsilon_up(mu2, laplace, delta)
        with mpmath.workdps(50):
            epsilon = number(found)
            below += exact_delta(mu2, laplace, epsilon) > number(delta)
            less = epsilon * mpmath.mpf("0.999") - mpmath.mpf("1e-6")
            loose += less > 0 and exact_delta(mu2, laplace, less) <= number(delta)
    rows: list[list[Cell | str]] = [
        ["mixtures", f"{MIXTURES:,}"],
        ["below the truth, by 50 digits", got(float(below), most=0)],
        ["above it by more than a thousandth", f"{loose} of {MIXTURES:,}"],
        ["time of all, with the enumeration", got(time.process_time() - start, "s")],
    ]
    about = (
        "One Gaussian sum and one to three Laplace vectors that move by 1 to 4, with every "
        "combination of their losses enumerated."
    )
    return Section("Mixtures against enumeration", about, ("what", "found"), rows)


def mixtures(seed: int, how_many: int) -> Any:
    """Yield random noise of both laws, and a delta."""
    coins = random.Random(seed)
    for _ in range(how_many):
        laplace = [
            (Fraction(coins.randint(5, 400), 10), coins.randint(1, 4))
            for _ in range(coins.randint(1, 3))
        ]
        mu2 = Fraction(coins.choice([0, coins.randint(1, 200)]), coins.randint(20, 2000))
        yield mu2, laplace, Fraction(1, 10 ** coins.randint(3, 9))


def exact_delta(mu2: Fraction, laplace: list[Laplace], epsilon: Any) -> Any:
    """Return delta by every combination of Laplace losses, and the normal curve for the rest."""
    mu, found = mpmath.sqrt(number(mu2)), mpmath.mpf(0)
    for combination in product(*(_atoms(*one) for one in laplace)):
        loss = mpmath.fsum(loss for loss, _ in combination)
        chance = mpmath.fprod(chance for _, chance in combination)
        left = epsilon - loss
        if mu:
            first = mpmath.ncdf(mu / 2 - left / mu)
            found += chance * (first - mpmath.exp(left) * mpmath.ncdf(-mu / 2 - left / mu))
        else:
            found += chance * max(mpmath.mpf(0), -mpmath.expm1(left))
    return found


def _atoms(scale: Fraction, l1: int) -> list[tuple[Any, Any]]:
    rate = 1 / number(scale)
    q = mpmath.exp(-rate)
    found = {l1: 1 / (1 + q), -l1: q**l1 / (1 + q)}
    for j in range(1, l1):
        found[l1 - 2 * j] = (1 - q) / (1 + q) * q**j
    return [(rate * place, chance) for place, chance in found.items()]


def number(given: Fraction) -> Any:
    """Return a rational with as many digits as mpmath works with."""
    return mpmath.mpf(given.numerator) / given.denominator
