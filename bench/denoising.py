"""The brake on seven signals and a map, at every epsilon: writes docs/denoising-table.md.

Rules of this module:
- coins are seeded: the same command writes the same table;
- a choice is held to "never above raw by more than 1 %" and "within 5 % of the best candidate", and
  every case that misses either is marked and counted;
- beside each case stands what the choice costs more than the best, in variances of one number;
- a second table is of short vectors, where a choice has little to go by.
"""

import argparse
import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from discreet.post.denoise.brake import Denoised, denoise
from discreet.post.denoise.noise import Noise, Vector

COUNT = 1000
EPSILONS = ("0.01", "0.1", "0.5", "1", "2", "5", "10")
RARE = 5.0  # epsilon from which noise is rare, so that more draws are needed and cheap
RAW_MORE, BEST_MORE = 1.01, 1.05
SHORT_COUNTS, SHORT_EPSILONS = (5, 10, 20, 50, 100, 200), ("0.1", "0.5", "1")
DOCUMENT = Path(__file__).parents[1] / "docs" / "denoising-table.md"
HEAD = """# Which denoiser, and when none

Written by `python -m bench.denoising`; do not edit.

Discrete Laplace noise of scale 1 / epsilon on {count} whole numbers (and on a map of 24 x 24);
mean squared error per number over {runs} draws ({rare} from epsilon = 5 on), over the variance
of the noise. Raw is the mean of the draws, so that its distance from 1 shows what they can tell.
"best" is the candidate of least mean error, which nobody knows beforehand; "auto" is what
`denoise(..., "auto")` took from the noisy numbers alone. "more" is what auto costs more than the
best in all numbers together, in variances of one number. The marks:

- R: auto was above raw by more than 1 %;
- B: auto was above the best by more than 5 %.
"""
SHORT = """## Short vectors

The same seven shapes and numbers one standard deviation apart, at epsilon = {epsilons}, over
{short} / count draws a case, at least {least}. "best" and "auto" are means over the {cases} cases;
"worst" is the case where auto is farthest above raw, with its standard error.
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


def measured(
    truth: Vector, noise: Noise, run: Callable[[Vector], Denoised], *, runs: int, seed: int
) -> dict[str, Vector]:
    """Return the mean squared error, over the noise's variance, of each candidate and of auto."""
    coins, reach = np.random.default_rng([29, seed]), noise.reach()
    found: dict[str, list[float]] = {}
    for _ in range(runs):
        drawn = coins.choice(np.arange(-reach, reach + 1.0), p=noise.mass(reach), size=truth.size)
        taken = run(truth + drawn)
        errors = {"auto": taken.values}
        errors |= {one.name: one.values for one in taken.candidates}
        for name, values in errors.items():
            loss = float(np.mean((values - truth) ** 2)) / noise.variance
            found.setdefault(name, []).append(loss)
    return {name: np.array(losses) for name, losses in found.items()}


def best_of(means: dict[str, float]) -> str:
    """Return the name of the candidate of least mean error."""
    return min((name for name in means if name != "auto"), key=lambda name: means[name])


def row(epsilon: str, name: str, found: dict[str, Vector], count: int) -> tuple[str, str]:
    """Return a line of the table, and its marks."""
    means = {name: float(losses.mean()) for name, losses in found.items()}
    best, auto, raw = best_of(means), means["auto"], means["raw"]
    marks = "R" if auto > RAW_MORE * raw else ""
    marks += "B" if auto > BEST_MORE * means[best] else ""
    more = f"{count * (auto - means[best]):.1f}"
    cells = [epsilon, name, f"{raw:.3f}", f"{means[best]:.4f}", best, f"{auto:.4f}", more, marks]
    return "| " + " | ".join(cells) + " |", marks


def table(runs: int, epsilons: tuple[str, ...] = EPSILONS) -> tuple[list[str], list[str]]:
    """Return the lines of the table, and the marks of all of them."""
    lines, marks = [], []
    ground, edges = plateaus()
    for epsilon in epsilons:
        noise = Noise("discrete_laplace", float(1 / Fraction(epsilon)))
        draws = runs if float(epsilon) < RARE else 2 * runs
        cases = [(name, truth, None) for name, truth in signals().items()]
        for name, truth, graph in [*cases, ("map of plateaus", ground, edges)]:
            run = partial(denoise, law=noise, graph=graph)
            found = measured(truth, noise, run, runs=draws, seed=len(lines))
            line, mark = row(epsilon, name, found, truth.size)
            lines.append(line)
            marks.append(mark)
            print(line, flush=True)
    return lines, marks


def short(count: int, runs: int) -> str:
    """Return a line of the second table."""
    best, auto, worst = [], [], (-1.0, 0.0, "")
    for epsilon in SHORT_EPSILONS:
        noise = Noise("discrete_laplace", float(1 / Fraction(epsilon)))
        apart = {"one sigma apart": np.round(noise.sigma * np.arange(count))}
        for name, truth in (signals(count) | apart).items():
            run = partial(denoise, law=noise)
            found = measured(truth, noise, run, runs=runs, seed=1000 + len(auto))
            means = {which: float(losses.mean()) for which, losses in found.items()}
            best.append(means[best_of(means)] / means["raw"])
            auto.append(means["auto"] / means["raw"])
            gap = (found["auto"] - found["raw"]) / means["raw"]
            error = float(gap.std()) / math.sqrt(runs)
            worst = max(worst, (float(gap.mean()), error, f"{name}, {epsilon}"))
    more, error, where = worst
    cells = [str(count), f"{np.mean(best):.3f}", f"{np.mean(auto):.3f}"]
    cells.append(f"{100 * more:+.1f} % ± {100 * error:.1f} % ({where})")
    line = "| " + " | ".join(cells) + " |"
    print(line, flush=True)
    return line


def head_of(columns: list[str]) -> list[str]:
    """Return the two lines above a table."""
    return ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]


def main() -> int:
    """Measure, and write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    runs = parser.parse_args().runs
    lines, marks = table(runs)
    worse, apart = (sum(letter in mark for mark in marks) for letter in "RB")
    said = (
        f"Of {len(marks)} cases auto was above raw by more than 1 % in {worse} (R), and above the "
        f"best candidate by more than 5 % in {apart} (B)."
    )
    rows = [short(count, max(runs, 25 * runs // count)) for count in SHORT_COUNTS]
    cases = len(SHORT_EPSILONS) * (len(signals()) + 1)
    below = SHORT.format(
        epsilons=", ".join(SHORT_EPSILONS), short=25 * runs, least=runs, cases=cases
    )
    columns = ["epsilon", "truth", "raw", "best", "which", "auto", "more", "mark"]
    text = [HEAD.format(count=COUNT, runs=runs, rare=2 * runs), *head_of(columns), *lines, "", said]
    text += ["", below, *head_of(["numbers", "best / raw", "auto / raw", "worst"]), *rows, ""]
    DOCUMENT.write_text("\n".join(text), encoding="utf-8")
    print(said)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
