"""The brake on seven signals and a map, at every epsilon: writes docs/denoising-table.md.

Rules of this module:
- coins are seeded: the same command writes the same table;
- a choice is held to "never above raw by more than 1 %" and "within 5 % of the best candidate", and
  every case that misses either is marked and counted;
- a second, weaker mark is our own: it lets pass what is less than 2 % of the raw error away.
"""

import argparse
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from discreet.post.denoise.brake import Denoised, denoise
from discreet.post.denoise.noise import Noise, Vector

COUNT = 1000
EPSILONS = ("0.01", "0.1", "0.5", "1", "2", "5", "10")
RAW_MORE, BEST_MORE, OF_RAW = 1.01, 1.05, 0.02
DOCUMENT = Path(__file__).parents[1] / "docs" / "denoising-table.md"
HEAD = """# Which denoiser, and when none

Written by `python -m bench.denoising`; do not edit.

Discrete Laplace noise of scale 1 / epsilon on {count} whole numbers (and on a map of 24 x 24);
mean squared error per number over {runs} draws, divided by the variance of the noise. Raw is the
mean of the draws, so that its distance from 1 shows what {runs} draws can tell. "best" is the
candidate of least mean error, which nobody knows beforehand; "auto" is what
`denoise(..., "auto")` took from the noisy numbers alone. The marks:

- R: auto was above raw by more than 1 %;
- B: auto was above the best by more than 5 %;
- b, beside B: it was so by more than 2 % of raw, too. This weaker mark is our own and no part of
  what was asked for: where the best candidate's error is a hundredth of raw's, numbers that are
  read once cannot tell it from its neighbors, and 5 % of it are a small part of what was gained.
"""


def signals() -> dict[str, Vector]:
    """Return the seven truths, as whole numbers."""
    coins, place = np.random.default_rng(3), np.arange(1, COUNT + 1)
    return {
        "10 spikes of 8": np.where(place <= 10, 8.0, 0.0),
        "50 spikes of 4": np.where(place <= 50, 4.0, 0.0),
        "N(0, 1), rounded": np.round(coins.normal(size=COUNT)),
        "1000 / i, rounded": np.round(1000 / place),
        "100 / sqrt i, rounded": np.round(100 / np.sqrt(place)),
        "constant 5": np.full(COUNT, 5.0),
        "Poisson(3)": coins.poisson(3, COUNT).astype(float),
    }


def plateaus() -> tuple[Vector, list[tuple[int, int]]]:
    """Return a map of three plateaus on a grid of 24 x 24, and its edges."""
    place = np.arange(576)
    row, column = np.divmod(place, 24)
    truth = np.where(column < 12, 3.0, 12.0) + 20.0 * ((row < 6) & (column > 17))
    edges = [(int(i), int(i) + 1) for i in place if i % 24 < 23]
    return truth, edges + [(int(i), int(i) + 24) for i in place[:-24]]


def measured(
    truth: Vector, noise: Noise, run: Callable[[Vector], Denoised], *, runs: int, seed: int
) -> dict[str, float]:
    """Return the mean squared error of each candidate and of auto, over the noise's variance."""
    coins, reach = np.random.default_rng([29, seed]), noise.reach()
    sums: dict[str, float] = {}
    for _ in range(runs):
        drawn = coins.choice(np.arange(-reach, reach + 1.0), p=noise.mass(reach), size=truth.size)
        taken = run(truth + drawn)
        errors = {"auto": taken.values}
        errors |= {one.name: one.values for one in taken.candidates}
        for name, values in errors.items():
            loss = float(np.mean((values - truth) ** 2)) / noise.variance
            sums[name] = sums.get(name, 0.0) + loss / runs
    return sums


def row(epsilon: str, name: str, found: dict[str, float]) -> tuple[str, str]:
    """Return a line of the table, and its marks."""
    candidates = {k: v for k, v in found.items() if k != "auto"}
    best = min(candidates, key=lambda k: candidates[k])
    raw, auto = found["raw"], found["auto"]
    marks = "R" if auto > RAW_MORE * raw else ""
    marks += "B" if auto > BEST_MORE * candidates[best] else ""
    marks += "b" if auto > BEST_MORE * candidates[best] + OF_RAW * raw else ""
    cells = [epsilon, name, f"{raw:.3f}", f"{candidates[best]:.4f}", best, f"{auto:.4f}", marks]
    return "| " + " | ".join(cells) + " |", marks


def table(runs: int, epsilons: tuple[str, ...] = EPSILONS) -> tuple[list[str], list[str]]:
    """Return the lines of the table, and the marks of all of them."""
    lines, marks = [], []
    ground, edges = plateaus()
    for epsilon in epsilons:
        noise = Noise("discrete_laplace", float(1 / Fraction(epsilon)))
        cases = [(name, truth, None) for name, truth in signals().items()]
        for name, truth, graph in [*cases, ("map of plateaus", ground, edges)]:
            run = partial(denoise, law=noise, graph=graph)
            found = measured(truth, noise, run, runs=runs, seed=len(lines))
            line, mark = row(epsilon, name, found)
            lines.append(line)
            marks.append(mark)
            print(line, flush=True)
    return lines, marks


def main() -> int:
    """Measure, and write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    runs = parser.parse_args().runs
    lines, marks = table(runs)
    worse, apart, far = (sum(letter in mark for mark in marks) for letter in "RBb")
    said = (
        f"Of {len(marks)} cases auto was above raw by more than 1 % in {worse} (R), and above the "
        f"best candidate by more than 5 % in {apart} (B); in {far} of these by more than 2 % of "
        "raw, too (b)."
    )
    columns = ["epsilon", "truth", "raw", "best", "which", "auto", "mark"]
    head = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    text = [HEAD.format(count=COUNT, runs=runs), *head, *lines, "", said, ""]
    DOCUMENT.write_text("\n".join(text), encoding="utf-8")
    print(said)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
