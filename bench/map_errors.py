"""How near what is said of a cleaned map's error is to the truth: twenty maps, many draws of noise.

The maps are made up: 30 x 30 streets without one in twelve, crowds of 300 to 20,000 trips, noise of
a variance from 4 to 100. Coins are seeded. `python -m bench.map_errors DRAWS` takes about half a
second a draw and map; what is stated is compared as a root mean square, of each map and of all.
"""

import sys
from fractions import Fraction

import numpy as np

from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.post.denoise.graph import graph_of
from discreet.post.denoise.select import denoise

SIDE, MISSING = 30, 1 / 12
TRIPS, VARIANCES = (300, 1_000, 3_000, 8_000, 20_000), (48, 16, 4, 100)
MAPS = 20


def streets(number: int, side: int = SIDE) -> tuple[list[list[int]], np.ndarray]:
    """Return the edges and the true counts of a map."""
    coins = np.random.default_rng(1_000 + number)
    at = np.arange(side * side).reshape(side, side)
    pairs = [(at[:, :-1], at[:, 1:]), (at[:-1], at[1:])]
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])
    x, y = np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side))
    density = np.full((side, side), coins.exponential(0.2) * (number % 3))
    kept = edges[coins.random(len(edges)) > MISSING]
    for _ in range(coins.integers(1, 12)):
        away = (x - coins.random()) ** 2 + (y - coins.random()) ** 2
        density += coins.exponential(1) * np.exp(-away / coins.exponential(0.05))
    trips = TRIPS[number % len(TRIPS)] * side**2 // SIDE**2
    counts = coins.multinomial(trips, density.ravel() / density.sum())
    return kept.tolist(), counts.astype(float)


def compared(number: int, draws: int, side: int = SIDE) -> tuple[float, float, float]:
    """Return the mean squares stated and true of a map, and how often it is at most `most`."""
    edges, truth = streets(number, side)
    graph, variance = graph_of(edges, truth.size), VARIANCES[number % len(VARIANCES)]
    law, coins = DiscreteGaussian(Fraction(variance)), np.random.default_rng(number)
    stated, true, within = [], [], 0
    for _ in range(draws):
        noise = np.rint(coins.normal(0, variance**0.5, truth.size))
        found = denoise(truth + noise, law, graph=graph, least=0.0)
        stated.append(found.error**2)
        true.append(float(np.mean((found.values - truth) ** 2)))
        within += true[-1] <= found.most**2
    return float(np.mean(stated)), float(np.mean(true)), within / draws


def main(draws: int) -> None:
    """Print each map, and all together."""
    rows = []
    for number in range(MAPS):
        rows.append(compared(number, draws))
        stated, true, within = rows[-1]
        ratio = (stated / true) ** 0.5
        print(f"map {number}: stated / true {ratio:.2f}, at most `most` {within:.3f}", flush=True)
    stated, true, within = (float(np.mean(column)) for column in zip(*rows, strict=True))
    ratio = (stated / true) ** 0.5
    print(f"all: stated / true {ratio:.3f}, at most `most` {within:.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
