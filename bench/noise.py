"""How fast exact noise is, as ratios to NumPy's unsafe noise (and opendp's) in the same run.

Rules of this module:
- ratios, not times, are judged: both sides of each run on the same core in alternation;
- a time is the best of several rounds, so that a busy machine disturbs both sides alike;
- `wanted` is a ceiling for the ratio, or for opendp a floor.
"""

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.entropy import Coins
from discreet.mechanism import discrete_gaussian, discrete_laplace
from discreet.mechanism.discrete_gaussian import DiscreteGaussian
from discreet.mechanism.discrete_laplace import DiscreteLaplace

DRAWS = 1_000_000
SCALES = ("1/2", "1", "10", "32", "100", "1000", "1e4", "1e5", "1e6")
SIGMAS = ("1/2", "1", "10", "100", "200", "1000", "1e4", "1e6", "1e9")
OPENDP_DRAWS = 2_000
_ROUNDS = 15


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: what, how much, in which unit, and the wanted bound."""

    name: str
    value: float
    unit: str
    wanted: str
    reached: bool


def rows() -> list[Row]:
    """Return all measurements of noise."""
    found = []
    for scale in SCALES:
        law = DiscreteLaplace(Fraction(scale))
        found += _against_numpy(law, f"laplace, scale {scale}", 1.0)
    for sigma in SIGMAS:
        law_ = DiscreteGaussian(Fraction(sigma) ** 2)
        found += _against_numpy(
            law_, f"gaussian, sigma {sigma}", 1.0 if law_.sigma2 <= 10**4 else 2.0
        )
    found += [_memory(DiscreteLaplace(Fraction(1000))), _memory(DiscreteGaussian(Fraction(10**6)))]
    wide, coins = DiscreteLaplace(Fraction(1000)), Coins()
    cells = _best(lambda: wide.draws(DRAWS, coins), _ROUNDS)
    found.append(_ceiling("noise for 10^6 cells, as an array", cells * 1e3, "ms", 50))
    cells = _best(lambda: wide.sample(DRAWS, coins), _ROUNDS)
    found.append(_ceiling("noise for 10^6 cells, as Python ints", cells * 1e3, "ms", 50))
    return found + _against_opendp()


def main() -> None:
    """Print the rows."""
    for row in rows():
        mark = "ok " if row.reached else "NOT"
        print(f"{mark} {row.name:44} {row.value:10.2f} {row.unit:18} wanted {row.wanted}")


def _against_numpy(law: DiscreteLaplace | DiscreteGaussian, name: str, ceiling: float) -> list[Row]:
    coins, unsafe = Coins(), np.random.default_rng()
    other = unsafe.laplace if isinstance(law, DiscreteLaplace) else unsafe.normal
    setup = min(_time(lambda: _set_up(law)) for _ in range(_ROUNDS))
    ours, theirs = _alternate(lambda: law.draws(DRAWS, coins), lambda: other(size=DRAWS))
    one = _best(lambda: law.draws(1, coins), 200)
    return [
        Row(name, ours / theirs, "x numpy", f"<= {ceiling}", ours <= ceiling * theirs),
        _ceiling(f"{name}: a draw", ours / DRAWS * 1e9, "ns", 50),
        _ceiling(f"{name}: set-up", setup * 1e3, "ms", 20),
        _ceiling(f"{name}: one draw", one * 1e6, "us", 30),
    ]


def _set_up(law: DiscreteLaplace | DiscreteGaussian) -> None:
    """Make the tables anew, past the caches."""
    if isinstance(law, DiscreteLaplace):
        discrete_laplace._digits.cache_clear()  # noqa: SLF001 (measured here)
        discrete_laplace._looks.cache_clear()  # noqa: SLF001
        discrete_laplace._looks(law.scale)  # noqa: SLF001
    else:
        discrete_gaussian._strips.cache_clear()  # noqa: SLF001
        discrete_gaussian._many.cache_clear()  # noqa: SLF001
        discrete_gaussian._many(law.sigma2)  # noqa: SLF001


def _memory(law: DiscreteLaplace | DiscreteGaussian) -> Row:
    coins = Coins()
    law.draws(100, coins)
    tracemalloc.start()
    draws = law.draws(10 * DRAWS, coins)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return _ceiling(f"{law.name}: peak memory of 10^7", peak / draws.nbytes, "x the array", 4)


def _against_opendp() -> list[Row]:
    try:
        import opendp.prelude as dp
    except ImportError:
        return []
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    square = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    zeros, coins = [0] * OPENDP_DRAWS, Coins()
    found = []
    for scale in (10.0, 1000.0):
        exact, theirs = Fraction(scale), dp.m.make_laplace(*space, scale=scale)
        found.append(
            _slower("laplace", DiscreteLaplace(exact), lambda m=theirs: m(zeros), coins, 300)
        )
        theirs = dp.m.make_gaussian(*square, scale=scale)
        law = DiscreteGaussian(exact**2)
        found.append(_slower("gaussian", law, lambda m=theirs: m(zeros), coins, 200))
    return found


def _slower(
    name: str,
    law: DiscreteLaplace | DiscreteGaussian,
    theirs: Callable[[], object],
    coins: Coins,
    floor: int,
) -> Row:
    mine, other = _alternate(lambda: law.draws(DRAWS, coins), theirs)
    ratio = (other / OPENDP_DRAWS) / (mine / DRAWS)
    spread = law.plain()
    return Row(f"opendp {name} {spread}", ratio, "x slower", f">= {floor}", ratio >= floor)


def _alternate(left: Callable[[], object], right: Callable[[], object]) -> tuple[float, float]:
    times = [(_time(left), _time(right)) for _ in range(_ROUNDS)]
    return min(a for a, _ in times), min(b for _, b in times)


def _best(act: Callable[[], object], rounds: int) -> float:
    return min(_time(act) for _ in range(rounds))


def _time(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def _ceiling(name: str, value: float, unit: str, most: float) -> Row:
    return Row(name, value, unit, f"<= {most}", value <= most)


if __name__ == "__main__":
    main()
