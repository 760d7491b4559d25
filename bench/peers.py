"""discreet beside opendp, pipeline-dp and diffprivlib: one small table, the same questions.

Rules of this module:
- the unit is a row, the keys are public, values are clamped to the same bounds, epsilon is 1;
- each peer is used as its documentation shows; what is not installed says so;
- discreet does all that a release does: plan, ledger on the disk, count, noise, intervals.
"""

import tempfile
import time
from collections.abc import Callable
from itertools import count as numbers
from pathlib import Path

import numpy as np
import pyarrow as pa

import discreet as dp

from .table import Cell, Section, got, median

Act = Callable[[], object]
Make = Callable[..., Act | None]  # keys, values, means: what answers, or None if it cannot
ROWS, GROUPS, UPPER = 100_000, 1_000, 1_000.0
ROUNDS = 3


def sections() -> list[Section]:
    """Return the table of peers."""
    random = np.random.default_rng()
    keys, values = random.integers(0, GROUPS, ROWS), random.uniform(0, UPPER, ROWS)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for job, ours in (("counts", False), ("counts and means", True)):
            base = median(
                _discreet(keys, values, Path(folder), means=ours),
                rounds=ROUNDS,
                clock=time.perf_counter,
            )
            rows.append([f"{job} by key", "discreet", got(1e3 * base), got(1.0)])
            for name, make in PEERS.items():
                rows.append([f"{job} by key", name, *_beside(make, keys, values, base, means=ours)])
    about = (
        f"{ROWS:,} rows in memory, {GROUPS:,} public keys, the unit a row, epsilon = 1. discreet "
        "does all of a release, its ledger on the disk and its intervals included; the others "
        "return numbers. Times of the clock."
    )
    columns = ("job", "library", "ms", "times discreet")
    return [Section("Beside other libraries", about, columns, rows)]


def _beside(
    make: Make, keys: np.ndarray, values: np.ndarray, base: float, *, means: bool
) -> list[Cell | str]:
    try:
        act = make(keys, values, means=means)
    except ImportError as error:
        return [f"not installed ({error.name or 'it does not import'})", ""]
    if act is None:
        return ["cannot, without a data frame library of its own choice", ""]
    took = median(act, rounds=ROUNDS, clock=time.perf_counter)
    return [got(1e3 * took), got(took / base)]


def _discreet(keys: np.ndarray, values: np.ndarray, folder: Path, *, means: bool) -> Act:
    source, names = pa.table({"key": keys, "value": values}), numbers()
    table = dp.table(
        source,
        name="peers",
        unit="row",
        columns={"value": dp.bounds(0, 1000, step="0.01")},
        keys={"key": list(range(GROUPS))},
    )
    ledger = dp.ledger(folder / f"{means}.ledger", budget=dp.pure(1000), subject="peers")
    asked = [dp.count(by="key"), dp.mean("value", by="key")][: 1 + means]

    def act() -> object:
        plan = dp.plan(table, *asked, spend=dp.pure(1))
        return dp.run(plan, ledger=ledger, request=f"run {next(names)}").table()

    return act


def _opendp(keys: np.ndarray, _values: np.ndarray, *, means: bool) -> Act | None:
    import opendp.prelude as odp

    if means:
        return None
    odp.enable_features("contrib")
    space = odp.vector_domain(odp.atom_domain(T=int)), odp.symmetric_distance()
    counts = space >> odp.t.then_count_by_categories(list(range(GROUPS)), null_category=False)
    measurement = counts >> odp.m.then_laplace(1.0)
    return lambda: measurement(keys.tolist())


def _pipeline_dp(keys: np.ndarray, values: np.ndarray, *, means: bool) -> Act:
    import pipeline_dp as pdp

    rows = list(zip(range(ROWS), keys.tolist(), values.tolist(), strict=True))
    extractors = pdp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: row[2],
    )
    params = pdp.AggregateParams(
        metrics=[pdp.Metrics.COUNT, pdp.Metrics.MEAN][: 1 + means],
        noise_kind=pdp.NoiseKind.LAPLACE,
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        min_value=0.0,
        max_value=UPPER,
    )

    def act() -> object:
        accountant = pdp.NaiveBudgetAccountant(total_epsilon=1, total_delta=1e-9)
        found = pdp.DPEngine(accountant, pdp.LocalBackend()).aggregate(
            rows, params, extractors, public_partitions=list(range(GROUPS))
        )
        accountant.compute_budgets()
        return list(found)

    return act


def _diffprivlib(keys: np.ndarray, values: np.ndarray, *, means: bool) -> Act:
    from diffprivlib import tools

    share = 0.5 if means else 1.0

    def act() -> object:
        counts, _ = tools.histogram(keys, epsilon=share, bins=GROUPS, range=(0, GROUPS))
        order = np.argsort(keys, kind="stable")
        cuts = np.searchsorted(keys[order], np.arange(1, GROUPS))
        groups = np.split(values[order], cuts) if means else []
        return counts, [tools.mean(g, epsilon=share, bounds=(0, UPPER)) for g in groups]

    return act


PEERS: dict[str, Make] = {
    "opendp": _opendp,
    "pipeline-dp": _pipeline_dp,
    "diffprivlib": _diffprivlib,
}
