"""How long the denoisers of a map take together, how much memory a large map, and a long vector.

The maps are made up: a grid of streets without one in twelve, and points that crowd around twelve
places. Coins are seeded; what is timed is `denoise(noisy, law, graph=...)` with every candidate.
"""

import json
import subprocess
import sys
from fractions import Fraction

import numpy as np

from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.post.denoise.noise import noise_of
from discreet.post.denoise.prior import empirical_bayes
from discreet.post.denoise.select import denoise

from .table import Cell, Section, got, median, seconds

LAWS = {
    **{f"discrete Gaussian, sigma = {s}": DiscreteGaussian(Fraction(s**2)) for s in (306, 36, 4)},
    **{f"discrete Laplace, scale = {s}": DiscreteLaplace(Fraction(s)) for s in (100, 10, 1)},
    "discrete Laplace, scale = 200000000": DiscreteLaplace(Fraction(200_000_000)),
}
LARGE = ("discrete Gaussian, sigma = 36", "discrete Laplace, scale = 10")
WIDE = "discrete Laplace, scale = 200000000"  # of a weight up to 20,000,000 at epsilon = 0.1
ROUNDS = 3
MISSING = 1 / 12
MANY = 1_000_000


def sections(places: int = 4_000, large: int = 100_000, numbers: int = MANY) -> list[Section]:
    """Return the table of maps, and of a million numbers."""
    rows = [_map(places, law) for law in LAWS if law != WIDE]
    rows += [_large(large, law) for law in LARGE]
    rows += [_large(places, WIDE)]
    rows += [_long(numbers, law) for law in LARGE]
    about = (
        "CPU time of `denoise` with all candidates on a map of made-up streets. The noise is as "
        "at epsilon = 0.01, 0.1 and 1 (for a Gaussian with delta = 1e-6). A large map is "
        "denoised in a process of its own, whose peak memory is told. So is one with noise as "
        "wide as for a weight up to 20,000,000, which costs no more. The last rows are "
        "empirical Bayes alone."
    )
    return [Section("Maps", about, ("what", "seconds", "peak memory", "taken"), rows)]


def streets(places: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of about so many places, and the true counts."""
    side, coins = round(places**0.5), np.random.default_rng(1)
    at = np.arange(side * side).reshape(side, side)
    pairs = [(at[:, :-1], at[:, 1:]), (at[:-1], at[1:])]
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])
    x, y = np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side))
    density = np.zeros((side, side))
    for _ in range(12):
        away = (x - coins.random()) ** 2 + (y - coins.random()) ** 2
        density += coins.exponential(40) * np.exp(-away / coins.exponential(0.02))
    return edges[coins.random(len(edges)) > MISSING], coins.poisson(density.ravel()).astype(float)


def noisy(truth: np.ndarray, law: str) -> np.ndarray:
    """Return the numbers with seeded noise of a law."""
    coins, noise = np.random.default_rng(2), noise_of(LAWS[law])
    return truth + noise.quantiles(coins.random(truth.size))


def _map(places: int, law: str) -> list[Cell | str]:
    edges, truth = streets(places)
    given, taken = noisy(truth, law), []
    time = median(lambda: taken.append(denoise(given, LAWS[law], graph=edges).name), rounds=ROUNDS)
    return [f"{truth.size:,} places, {law}", got(time, most=2), "", taken[-1]]


def _large(places: int, law: str) -> list[Cell | str]:
    code = f"from bench import maps; maps.told({places}, {law!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    memory = got(found["megabytes"], "MB", most=2000)
    return [
        f"{found['places']:,} places, {law}",
        got(found["seconds"], most=60),
        memory,
        found["taken"],
    ]


def told(places: int, law: str) -> None:
    """Denoise a map, and print the seconds and this process's peak memory."""
    import resource

    edges, truth = streets(places)
    given, taken = noisy(truth, law), []
    time = seconds(lambda: taken.append(denoise(given, LAWS[law], graph=edges).name))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = {"places": truth.size, "seconds": time, "megabytes": memory, "taken": taken[-1]}
    print(json.dumps(found))


def _long(numbers: int, law: str) -> list[Cell | str]:
    truth = np.random.default_rng(3).poisson(20, numbers).astype(float)
    given, noise = noisy(truth, law), noise_of(LAWS[law])
    time = median(lambda: empirical_bayes(given, noise), rounds=ROUNDS)
    return [f"{numbers:,} numbers, {law}", got(time, most=10), "", "empirical_bayes"]
