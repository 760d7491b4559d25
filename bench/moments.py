"""How far off variances and slopes are, beside opendp, diffprivlib and SmartNoise's formulas.

Rules of this module:
- one data set of 1,000 rows with public bounds from -1 to 1, epsilon 1, many releases of each;
- peers know more where their functions ask for it: the number of rows is public for all of them;
- SmartNoise's formulas are those of its core: Laplace noise on a variance or covariance, whose
  sensitivity is (n - 1) / n^2 times both ranges; a slope takes two of three, each a third of
  epsilon;
- noisy sums that are divided by each other, each with its part of epsilon, are what anybody would
  do by hand; nothing is wanted of them.
"""

import time
from collections.abc import Callable

import numpy as np

import discreet as dp
from discreet.aggregate import Exact, Noisy
from discreet.entropy import Coins
from discreet.plans.plan import Plan
from discreet.post.curve import leading_back, rows_of
from discreet.releases.door import door
from discreet.releases.draws import DrawnNoise
from discreet.statistic.curve import root

from .table import Cell, Section, got, median

ROWS, RELEASES, FITTED = 1_000, 1_000, 200
STEPS = 1_000  # of a column, from -1 to 1
BETTER = 1.5
SUMS = "noisy sums"
GROUPS = 1_000  # of a curve
DECILES = {256: 5.6, 1_024: 8.2}  # bins, and the variance that was designed
Release = Callable[[], float]


def sections() -> list[Section]:
    """Return the table of errors."""
    random = np.random.default_rng()
    x = np.clip(random.normal(0, 0.4, ROWS), -1, 1)
    y = np.clip(0.5 * x + random.normal(0, 0.2, ROWS), -1, 1)
    rows = [
        *_table("variance", float(np.var(x)), _variances(x), VARIANCES, (x,)),
        *_table("slope", _slope(x, y), _slopes(x, y), SLOPES, (x, y)),
    ]
    about = (
        f"{ROWS:,} rows between -1 and 1, epsilon = 1, the unit a row; the median error of "
        f"{RELEASES:,} releases (a regression of {FITTED}). The number of rows is private in "
        "discreet and in noisy sums, and public in the others. Wanted is 1.5 times less error than "
        "the libraries have. Noisy sums give a slope about as near, but no interval."
    )
    return [
        Section(
            "Errors of variances and slopes",
            about,
            ("question", "library", "median error", "times discreet"),
            rows,
        ),
        _curves(),
        _deciles(),
    ]


def _deciles() -> Section:
    """Return the variance of ranks at the nine deciles, from the matrices themselves."""
    rows: list[list[Cell | str]] = []
    for size, designed in DECILES.items():
        kernel = root(size)
        squares, back = sum(k * k for k in kernel), rows_of(leading_back(kernel))
        found = []
        for tenth in range(1, 10):
            row = back[max(0, size * tenth // 10 - 1)] / 2 + (0.5 - tenth / 10) * back[-1]
            found.append(squares * float(row @ row))
        rows.append([f"{size:,} bins", got(float(np.mean(found)), most=1.01 * designed)])
    about = (
        "The variance of a decile's rank, the mean of all nine if cells are spread evenly, in "
        "units of 1 / (2 rho). It is worked out, not drawn. Wanted is the design's figure and 1 "
        "%. A binary tree of counts without its root has 7.7 and 11.4, by least squares."
    )
    return Section("Nine deciles from one curve", about, ("curve", "variance"), rows)


def _curves() -> Section:
    """Return how long curves of many groups take, from what was counted to the answer."""
    table = dp.table(
        [],
        unit="row",
        name="curves",
        columns={"v": dp.bounds(0, 10_000, step=1)},
        keys={"group": range(GROUPS)},
    )
    plan = dp.plan(table, dp.median("v", by="group"), spend=dp.zcdp("1/8"))
    (line,), coins = plan.lines, Coins()
    (aggregate,), (law,) = line.aggregates, line.laws
    size = aggregate.size(table)
    counts = Exact(tuple(np.random.default_rng().poisson(1.0, size).tolist()))

    def act() -> object:
        noise = [DrawnNoise(law.draws(size, coins))]
        noisy = [door(counts.transformed(aggregate.transform), noise[0])]
        return line.statistic.answer(table, noisy, line.laws, plan.alpha)

    took = median(act, rounds=3, clock=time.process_time)
    name = f"{GROUPS:,} groups of {size // GROUPS:,} bins"
    about = (
        "Noise, transform, the door, medians and their intervals; what an engine counts is made up."
    )
    return Section("Curves of many groups", about, ("what", "CPU s"), [[name, got(took, most=1.0)]])


def _table(
    question: str,
    truth: float,
    ours: np.ndarray,
    peers: dict[str, Callable[..., Release]],
    data: tuple[np.ndarray, ...],
) -> list[list[Cell | str]]:
    base = float(np.median(np.abs(ours - truth)))
    rows: list[list[Cell | str]] = [[question, "discreet", got(base), got(1.0)]]
    for name, make in peers.items():
        try:
            release = make(*data)
        except ImportError as error:
            rows.append([question, name, f"not installed ({error.name})", ""])
            continue
        errors = [abs(release() - truth) for _ in range(RELEASES)]
        found = float(np.median(errors))
        least = None if name == SUMS else BETTER
        rows.append([question, name, got(found), got(found / base, least=least)])
    return rows


def _slope(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.cov(x, y, ddof=0)[0, 1] / np.var(x))


# discreet: as many groups as releases, each with the same rows


def _answered(plan: Plan, exact: list[int], copies: int) -> list[float]:
    (line,) = plan.lines
    (law,) = line.laws
    drawn = law.sample(len(exact) * copies, Coins())
    noisy = Noisy(tuple(value + z for value, z in zip(exact * copies, drawn, strict=True)))
    answer = line.statistic.answer(plan.table, [noisy], [law], plan.alpha)
    return [float("nan") if value is None else float(value) for value in answer.values]


def _counted(plan: Plan, rows: list[dict[str, object]]) -> list[int]:
    from dataclasses import replace

    from discreet.engine.memory import MemoryEngine

    (line,) = plan.lines
    one = replace(plan.table, source=rows)
    (exact,) = MemoryEngine().prepare(one, line.aggregates).count(1)
    (aggregate,) = line.aggregates
    values = exact.opened_by_the_door()
    return list(values[: aggregate.size(plan.table) // plan.table.groups(("copy",))])


def _planned(question: object, copies: int) -> Plan:
    table = dp.table(
        [],
        unit="row",
        name="moments",
        columns={name: dp.bounds(-1, 1, step=f"{2 / STEPS}") for name in ("x", "y")},
        keys={"copy": range(copies)},
    )
    return dp.plan(table, question, spend=dp.pure(1))


def _rows(x: np.ndarray, y: np.ndarray) -> list[dict[str, object]]:
    return [{"copy": 0, "x": float(a), "y": float(b)} for a, b in zip(x, y, strict=True)]


def _variances(x: np.ndarray) -> np.ndarray:
    plan = _planned(dp.variance("x", by="copy"), RELEASES)
    return np.array(_answered(plan, _counted(plan, _rows(x, x)), RELEASES))


def _slopes(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    plan = _planned(dp.regression("y", on=["x"], by="copy"), FITTED)
    found = _answered(plan, _counted(plan, _rows(x, y)), FITTED)
    return np.array(found[1::2])  # behind each intercept


# The others


def _opendp_variance(x: np.ndarray) -> Release:
    import opendp.prelude as odp

    odp.enable_features("contrib", "floating-point")
    domain = odp.vector_domain(odp.atom_domain(bounds=(-1.0, 1.0)), size=ROWS)
    known = (domain, odp.symmetric_distance()) >> odp.t.then_variance()
    noisy = odp.binary_search_chain(lambda s: known >> odp.m.then_laplace(s), d_in=2, d_out=1.0)
    return lambda: float(noisy(x.tolist()))


def _diffprivlib_variance(x: np.ndarray) -> Release:
    from diffprivlib import tools

    return lambda: float(tools.var(x, epsilon=1.0, bounds=(-1.0, 1.0)))


def _diffprivlib_slope(x: np.ndarray, y: np.ndarray) -> Release:
    from diffprivlib.models import LinearRegression

    def fitted() -> float:
        model = LinearRegression(epsilon=1.0, bounds_X=(-1.0, 1.0), bounds_y=(-1.0, 1.0))
        return float(model.fit(x.reshape(-1, 1), y).coef_[0])

    return fitted


def _noisy_sums(*columns: np.ndarray) -> Callable[[], np.ndarray]:
    """Sums of numbers from -1 to 1, and how many there are, each with its part of epsilon."""
    random, sums = np.random.default_rng(), np.array([len(columns[0]), *map(np.sum, columns)])
    return lambda: sums + random.laplace(0, len(sums), len(sums))


def _smartnoise_variance(x: np.ndarray) -> Release:
    random, moved, known = np.random.default_rng(), 4 * (ROWS - 1) / ROWS**2, float(np.var(x))
    return lambda: known + float(random.laplace(0, moved))


def _smartnoise_slope(x: np.ndarray, y: np.ndarray) -> Release:
    random, moved = np.random.default_rng(), 4 * (ROWS - 1) / ROWS**2
    square, product = np.var(x), np.cov(x, y, ddof=0)[0, 1]

    def release() -> float:
        one, other = random.laplace(0, 3 * moved, 2)
        return float((product + one) / (square + other))

    return release


def _sums_variance(x: np.ndarray) -> Release:
    sums = _noisy_sums(x, x * x)

    def release() -> float:
        n, first, second = sums()
        return float(second / n - (first / n) ** 2)

    return release


def _sums_slope(x: np.ndarray, y: np.ndarray) -> Release:
    sums = _noisy_sums(x, y, x * x, x * y)

    def release() -> float:
        n, one, other, square, product = sums()
        return float((product / n - one * other / n**2) / (square / n - (one / n) ** 2))

    return release


VARIANCES: dict[str, Callable[..., Release]] = {
    "opendp": _opendp_variance,
    "diffprivlib": _diffprivlib_variance,
    "SmartNoise's formula": _smartnoise_variance,
    SUMS: _sums_variance,
}
SLOPES: dict[str, Callable[..., Release]] = {
    "diffprivlib": _diffprivlib_slope,
    "SmartNoise's formula": _smartnoise_slope,
    SUMS: _sums_slope,
}
