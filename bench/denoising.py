"""The brake on seven signals and two maps, at every epsilon: writes docs/denoising-table.md.

Rules of this module:
- coins are seeded: the same command writes the same table;
- a choice is held to "never above raw by more than 1 %" and "within 5 % of the best candidate", and
  every case that misses either is marked and counted;
- noise is drawn until the standard error of auto against every candidate that is not clearly worse
  is 1 % of the best, and half the way to the 5 % or less, or MOST times;
- a third map is of real streets, for whoever has the data; a second table is of short vectors,
  where a choice has little to go by; real tables are in `real_tables`.
"""

import argparse
import math
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import count as counted
from pathlib import Path
from typing import Any

import numpy as np
from figures import heat_map, street_map

from discreet.calculator.formulas.gaussian import sigma_up
from discreet.post.denoise.noise import Noise, Vector, gaussian
from discreet.post.denoise.select import Denoised, denoise

COUNT = 1000
EPSILONS = ("0.01", "0.1", "0.5", "1", "2", "5", "10")
AT_ONCE, MOST, MOST_OF_MAPS = 40, 400, 10
EXACT = 0.01  # standard error of a ratio, from which no more noise is drawn
RAW_MORE, BEST_MORE = 1.01, 1.05
SHORT_COUNTS, SHORT_EPSILONS = (5, 10, 20, 50, 100, 200), ("0.1", "0.5", "1")
DOCUMENT = Path(__file__).parents[1] / "docs" / "denoising-table.md"
Coins = np.random.Generator
HEAD = """# Which denoiser, and when none

Written by `python -m bench.denoising{data}`; do not edit.

Two kinds of truth are released and denoised:

- seven signals of {count} whole numbers, and a map of three plateaus (24 x 24): under discrete
  Laplace noise of scale 1 / epsilon;
- the made-up street grid of the figures (3,784 junctions){streets}: under analytic Gaussian noise
  for one trip at delta = 10^-6.

Shown is the mean squared error per number over the variance of the noise. Raw is the mean of
the draws, so its distance from 1 shows what they can tell. The "best" is the denoiser of least
mean error, which nobody knows beforehand. The "auto" is what `denoise(..., "auto")` took from
the noisy numbers alone. On maps it may be a mixture. Beside "auto / best" stands the standard
error of auto against the denoisers that are not clearly worse. There are {least} draws or more,
until it is at most 0.01 and half the way to 1.05, and {most} at most. Of streets, whose draws
have thousands of numbers, there are {maps} at most. The marks:

- R: auto was above raw by more than 1 %;
- B: auto was above the best by more than 5 %.
"""
SHORT = """## Short vectors

The same seven shapes, and numbers one standard deviation apart, at epsilon = {epsilons}.
A case has {short} / count draws, at least {least}.
Both "best" and "auto" are means over the {cases} cases.
The "worst" is the case where auto is farthest above raw, with its standard error.
"""


def signals(count: int = COUNT) -> dict[str, Vector]:
    """Return the seven truths, as whole numbers; of few numbers at least one is a spike."""
    coins, place = np.random.default_rng(3), np.arange(1, count + 1)
    return {
        "10 spikes of 8": np.where(place <= max(1, count // 100), 8.0, 0.0),
        "50 spikes of 4": np.where(place <= max(1, count // 20), 4.0, 0.0),
        "N(0, 1), rounded": np.round(coins.normal(size=count)),
        "1000 / i, rounded": np.round(1000 / place),
        "100 / sqrt i, rounded": np.round(100 / np.sqrt(place)),
        "constant 5": np.full(count, 5.0),
        "Poisson(3)": coins.poisson(3, count).astype(float),
    }


def plateaus() -> tuple[Vector, list[tuple[int, int]]]:
    """Return a map of three plateaus on a grid of 24 x 24, and its edges."""
    place = np.arange(576)
    row, column = np.divmod(place, 24)
    truth = np.where(column < 12, 3.0, 12.0) + 20.0 * ((row < 6) & (column > 17))
    edges = [(int(i), int(i) + 1) for i in place if i % 24 < 23]
    return truth, edges + [(int(i), int(i) + 24) for i in place[:-24]]


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A truth under noise.

    Attributes:
        epsilon: of the release, as written.
        name: what the truth is.
        truth: the numbers.
        noise: of each.
        graph: which are neighbors, or None.
        most: how often noise is drawn at most.
        seed: of the coins.
    """

    epsilon: str
    name: str
    truth: Vector
    noise: Noise
    graph: Any
    most: int
    seed: int


def cases(data: Path | None) -> Iterator[Case]:
    """Return every truth at each epsilon."""
    alone: list[tuple[str, Vector, Any]] = [
        *((name, truth, None) for name, truth in signals().items()),
        ("map of plateaus", *plateaus()),
    ]
    streets = [("street grid, made up", heat_map.truth(), heat_map.graph())]
    if data is not None:
        net, truth = street_map.read(data)
        streets.append(("streets of Manhattan", truth, net.graph()))
    for at, epsilon in enumerate(EPSILONS):
        seeds = counted(100 * at)
        laplace = Noise("discrete_laplace", float(1 / Fraction(epsilon)))
        for name, truth, graph in alone:
            yield Case(epsilon, name, truth, laplace, graph, MOST, next(seeds))
        sigma = sigma_up(epsilon=Fraction(epsilon), delta=street_map.DELTA, sensitivity=Fraction(1))
        for name, truth, graph in streets:
            yield Case(
                epsilon, name, truth, gaussian(float(sigma)), graph, MOST_OF_MAPS, next(seeds)
            )


def measured(
    truth: Vector, noise: Noise, run: Callable[[Vector], Denoised], *, runs: int, coins: Coins
) -> dict[str, Vector]:
    """Return the mean squared error, over the noise's variance, of each candidate and of auto."""
    reach = noise.reach()
    steps, mass = np.arange(-reach, reach + 1.0), noise.mass(reach)
    found: dict[str, list[float]] = {}
    for _ in range(runs):
        if noise.whole:
            drawn = coins.choice(steps, p=mass, size=truth.size)
        else:
            drawn = coins.normal(scale=noise.sigma, size=truth.size)
        taken = run(truth + drawn)
        errors = {one.name: one.values for one in taken.candidates}
        for name, values in (errors | {"auto": taken.values}).items():
            loss = float(np.mean((values - truth) ** 2)) / noise.variance
            found.setdefault(name, []).append(loss)
    return {name: np.array(losses) for name, losses in found.items()}


def best_of(means: dict[str, float]) -> str:
    """Return the name of the candidate of least mean error."""
    return min((name for name in means if name != "auto"), key=lambda name: means[name])


def row(case: Case) -> tuple[str, str]:
    """Return a line of the table, and its marks."""
    run = partial(denoise, law=case.noise, graph=case.graph)
    coins = np.random.default_rng([29, case.seed])
    found: dict[str, Vector] = {}
    while True:
        runs = min(AT_ONCE, case.most)
        more = measured(case.truth, case.noise, run, runs=runs, coins=coins)
        found = {name: np.append(found.get(name, []), losses) for name, losses in more.items()}
        means = {name: float(losses.mean()) for name, losses in found.items()}
        best, draws = best_of(means), found["auto"].size
        error = max(_rivals(found).values(), default=0.0) / means[best]
        clear = abs(means["auto"] / means[best] - BEST_MORE) > 2 * error
        if (clear and error <= EXACT) or draws >= case.most:
            break
    auto, ratio = means["auto"], means["auto"] / means[best]
    marks = "R" * (auto > RAW_MORE * means["raw"]) + "B" * (ratio > BEST_MORE)
    cells = [case.epsilon, case.name, f"{means['raw']:.3f}", f"{means[best]:.4f}", best]
    cells += [f"{auto:.4f}", f"{ratio:.3f} ± {error:.3f}", str(draws), marks]
    return "| " + " | ".join(cells) + " |", marks


def _rivals(found: dict[str, Vector]) -> dict[str, float]:
    """Return the standard error of each candidate's gap to auto, unless it is clearly worse."""
    gaps = {name: losses - found["auto"] for name, losses in found.items() if name != "auto"}
    errors = {name: float(gap.std()) / math.sqrt(gap.size) for name, gap in gaps.items()}
    return {name: error for name, error in errors.items() if gaps[name].mean() < 3 * error}


def short(count: int) -> str:
    """Return a line of the second table."""
    best, auto, worst = [], [], (-1.0, 0.0, "")
    runs = max(AT_ONCE, 25 * AT_ONCE // count)
    for epsilon in SHORT_EPSILONS:
        noise = Noise("discrete_laplace", float(1 / Fraction(epsilon)))
        apart = {"one sigma apart": np.round(noise.sigma * np.arange(count))}
        for name, truth in (signals(count) | apart).items():
            run = partial(denoise, law=noise)
            coins = np.random.default_rng([31, len(auto)])
            found = measured(truth, noise, run, runs=runs, coins=coins)
            means = {which: float(losses.mean()) for which, losses in found.items()}
            best.append(means[best_of(means)] / means["raw"])
            auto.append(means["auto"] / means["raw"])
            gap = (found["auto"] - found["raw"]) / means["raw"]
            error = float(gap.std()) / math.sqrt(runs)
            worst = max(worst, (float(gap.mean()), error, f"{name}, {epsilon}"))
    more, error, where = worst
    cells = [str(count), f"{np.mean(best):.3f}", f"{np.mean(auto):.3f}"]
    cells.append(f"{100 * more:+.1f} % ± {100 * error:.1f} % ({where})")
    return "| " + " | ".join(cells) + " |"


def head_of(columns: list[str]) -> list[str]:
    """Return the two lines above a table."""
    return ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]


def main() -> int:
    """Measure, on as many cores as there are, and write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with the streets of Manhattan")
    data = parser.parse_args().data
    lines, marks = [], []
    with ProcessPoolExecutor() as pool:
        for line, mark in pool.map(row, cases(data)):
            print(line, flush=True)
            lines.append(line)
            marks.append(mark)
        rows = list(pool.map(short, SHORT_COUNTS))
    worse, apart = (sum(letter in mark for mark in marks) for letter in "RB")
    said = (
        f"There are {len(marks)} cases. In {worse} auto was above raw by more than 1 % (R). In "
        f"{apart} it was above the best denoiser by more than 5 % (B)."
    )
    DOCUMENT.write_text(_text([*lines, "", said], rows, data), encoding="utf-8")
    print(said)
    return 0


def _text(lines: list[str], rows: list[str], data: Path | None) -> str:
    streets = "" if data is None else " and the streets of Manhattan (3,940 junctions)"
    option = "" if data is None else " --data FOLDER"
    head = HEAD.format(
        data=option, count=COUNT, streets=streets, least=AT_ONCE, most=MOST, maps=MOST_OF_MAPS
    )
    below = SHORT.format(
        epsilons=", ".join(SHORT_EPSILONS),
        short=25 * AT_ONCE,
        least=AT_ONCE,
        cases=len(SHORT_EPSILONS) * (len(signals()) + 1),
    )
    columns = ["epsilon", "truth", "raw", "best", "which", "auto", "auto / best", "draws", "mark"]
    columns_below = ["numbers", "best / raw", "auto / raw", "worst"]
    text = [head, *head_of(columns), *lines, "", below, *head_of(columns_below), *rows, ""]
    return "\n".join(text)


if __name__ == "__main__":
    raise SystemExit(main())
