"""How fast exact noise is, as ratios to NumPy's unsafe noise and to opendp's in the same run.

Rules of this module:
- the compared sides take turns, so that a busy machine slows all alike; medians are judged;
- NumPy's noise is floating point and not private: it is what speed is measured against;
- opendp draws in proportion to the count, so that its million draws are reckoned from a thousand.
"""

import statistics
import tracemalloc
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from discreet.aggregate import Exact
from discreet.entropy import Coins
from discreet.noise import discrete_gaussian, discrete_laplace
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.privacy.loss import Loss, pure, zcdp
from discreet.releases.door import door
from discreet.releases.draws import drawn
from discreet.sensitivity import Sensitivity

from .table import Cell, Section, got, median, medians, seconds

Sampler = DiscreteLaplace | DiscreteGaussian
Make = Callable[[int], Callable[[], object]]  # a count of draws to what draws them

MILLION, THOUSAND = 1_000_000, 1_000
SCALES = ("1/2", "1", "10", "1000", "1000000")
SIGMAS = ("1/2", "1", "10", "100", "1000", "1000000")
ROUNDS = {1: 50, THOUSAND: 50, MILLION: 11}
CALLS = (
    100  # single draws are timed so many at once: one takes little more than a look at the clock
)
ONE = Sensitivity(1, 1, 1)


def sections() -> list[Section]:
    """Return the tables of noise."""
    return [_draws("discrete Laplace", SCALES), _draws("discrete Gaussian", SIGMAS), _cells()]


def _draws(name: str, scales: tuple[str, ...]) -> Section:
    about = (
        "One draw: µs a call, of a hundred calls. Many: ns a draw. Then come the ratio to "
        "NumPy's float noise at a million draws, and how many times slower opendp is. The time "
        "to set the law up anew is next. The last is the peak memory of ten million draws, as a "
        "multiple of their array."
    )
    columns = ("scale" if name.endswith("Laplace") else "sigma", "1 draw, µs", "NumPy", "opendp")
    columns += ("1,000 draws, ns each", "NumPy", "opendp", "1,000,000 draws, ns each", "NumPy")
    columns += ("ratio to NumPy", "opendp slower", "set up, ms", "peak memory")
    return Section(f"Noise: {name}", about, columns, [_row(name, scale) for scale in scales])


def _row(name: str, scale: str) -> list[Cell | str]:
    width = Fraction(scale)
    is_laplace = name.endswith("Laplace")
    law: Sampler = DiscreteLaplace(width) if is_laplace else DiscreteGaussian(width**2)
    coins, unsafe, other = Coins(), np.random.default_rng(), _opendp(name, float(width))
    float_noise = unsafe.laplace if is_laplace else unsafe.normal
    row: list[Cell | str] = [f"{float(width):g}"]
    each: dict[int, list[float]] = {}
    for count, rounds in ROUNDS.items():
        acts = [
            lambda count=count: law.draws(count, coins),
            lambda count=count: float_noise(0.0, float(width), count),
        ]
        if other is not None and count < MILLION:
            acts.append(other(count))
        calls = CALLS if count == 1 else 1
        times = medians([_repeated(act, calls) for act in acts], rounds=rounds)
        each[count] = [took / (count * calls) for took in times]
    theirs = each[THOUSAND][2] if other is not None else None
    ours, floats = each[MILLION]
    row += [got(each[1][0] * 1e6, most=30), *(got(t * 1e6) for t in each[1][1:])]
    row += [] if theirs else ["not installed"]
    row += [got(t * 1e9) for t in each[THOUSAND]] + ([] if theirs else ["not installed"])
    row += [got(ours * 1e9), got(floats * 1e9)]
    row.append(got(ours / floats, most=1 if is_laplace or width <= 100 else 2))
    row.append(got(theirs / ours, least=300 if is_laplace else 200) if theirs else "not installed")
    row.append(
        got(1e3 * statistics.median(seconds(lambda: _set_up(law)) for _ in range(5)), most=20)
    )
    row.append(got(_memory(law), "x", most=4))
    return row


def _repeated(act: Callable[[], object], calls: int) -> Callable[[], object]:
    """Return what calls an act so many times."""

    def all_calls() -> None:
        for _ in range(calls):
            act()

    return all_calls if calls > 1 else act


def _set_up(law: Sampler) -> None:
    """Make the tables anew, past the caches."""
    if isinstance(law, DiscreteLaplace):
        discrete_laplace.tables_of.cache_clear()
        discrete_laplace.looks_of.cache_clear()
        discrete_laplace.looks_of(law.scale)
    else:
        discrete_gaussian._strips.cache_clear()  # noqa: SLF001 (measured here)
        discrete_gaussian._many.cache_clear()  # noqa: SLF001
        discrete_gaussian._many(law.sigma2)  # noqa: SLF001


def _memory(law: Sampler) -> float:
    coins = Coins()
    law.draws(100, coins)
    tracemalloc.start()
    draws = law.draws(10 * MILLION, coins)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(peak / draws.nbytes)


def _opendp(name: str, scale: float) -> Make | None:
    """Return what draws this noise with opendp, by adding it to zeros."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=int))
    if name.endswith("Laplace"):
        measurement = dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=scale)
    else:
        measurement = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=scale)

    def made(count: int) -> Callable[[], object]:
        zeros = [0] * count
        return lambda: measurement(zeros)

    return made


def _cells(cells: int = MILLION) -> Section:
    """Return what a release pays for the noise of so many cells, and for adding it."""
    exact = Exact(tuple(range(cells)))
    rows = []
    for scale in (10, MILLION):
        for law, paid in (
            (DiscreteLaplace(Fraction(scale)), pure(Fraction(1, scale))),
            (DiscreteGaussian(Fraction(scale) ** 2), zcdp(Fraction(1, 2 * scale**2))),
        ):

            def draw(law: Sampler = law, paid: Loss = paid) -> object:
                return drawn([(law, ONE, cells)], paid=paid, coins=Coins())

            (noise,) = drawn([(law, ONE, cells)], paid=paid, coins=Coins())
            adding = median(lambda noise=noise: door(exact, noise), rounds=5)
            row = [f"{law.name}, {scale:,}", got(1e3 * median(draw, rounds=9), most=50)]
            rows.append([*row, got(1e3 * adding)])
    about = (
        "As the release draws it, before any data is read. Then the door's additions: they are "
        "of Python's whole numbers, so no sum can overflow."
    )
    columns = ("law and scale", "noise, ms", "adding it, ms")
    return Section(f"Noise for {cells:,} cells of a release", about, columns, rows)
