"""Keys that nobody knows, found by discreet and by pipeline-dp and opendp at their best settings.

Rules of this module:
- epsilon is 1; each peer is tried at several max_groups and with each of its strategies, on units
  bounded at random; its best one counts, although nobody could choose it without the data;
- discreet runs at one setting, by its own finder over its own engine;
- pipeline-dp's strategies are asked for the chance that a key of so many units is kept, opendp's
  threshold is drawn once: numbers move by some percent from run to run.
"""

import importlib.util
import resource
import sysconfig
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.entropy import Coins, Keyed
from discreet.exact.number import few_down
from discreet.plans.plan import Plan
from discreet.privacy.conversion import rho_down
from discreet.privacy.loss import Loss
from discreet.releases.find import find, keyed_noise

from .table import Section, got, seconds

Pairs = tuple[np.ndarray, np.ndarray]  # of units and keys, each pair once
DELTAS = ("1e-6", "1e-8")
GROUPS, WORDS = (1, 3, 10, 30), (1, 10, 30, 100, 300, 1000)
KEYS_ALONE, KEYS_AND_COUNTS = 1.5, 1.8  # times the best of the others
BY_RHO = 1.4, 1.7  # the same, where the loss is priced in rho
CHANCE = Fraction(3, 10)  # of delta, which finding takes
BIG = 10_000_000
SLOWER, MEMORY = 3.0, 2.0  # times the plain bounded count; GB


def sections() -> list[Section]:
    """Return how many keys each shows, and what finding them costs in time."""
    return [_time(), _shown()]


def _shown() -> Section:
    rows = []
    for name, pairs, most, groups in _data():
        for delta in DELTAS:
            alone, counted, alone_by_rho, counted_by_rho = (
                _ours(pairs, most, spend, share)
                for spend in (dp.approx(1, delta), _rho_of(delta))
                for share in ("99/100", "1/2")
            )
            kept = _pipeline(pairs, groups, 1.0, float(delta))
            half = _pipeline(pairs, groups, 0.5, float(delta) / 2)
            thresholds = _opendp(pairs, groups, float(delta))
            rows.append(
                [
                    f"{name}, delta = {delta}",
                    *(f"{n:,.0f}" for n in (alone, counted, alone_by_rho, counted_by_rho)),
                    *(f"{n:,.0f}" for n in (kept, half, thresholds)),
                    got(alone / max(kept, thresholds, 1), least=KEYS_ALONE),
                    got(counted / max(half, 1), least=KEYS_AND_COUNTS),
                    got(alone_by_rho / max(kept, thresholds, 1), least=BY_RHO[0]),
                    got(counted_by_rho / max(half, 1), least=BY_RHO[1]),
                ]
            )
    about = (
        "How many keys show at epsilon = 1. Data `zipf 1,000` has 20,000 units that choose 5 of "
        "1,000 keys on average (a geometric number; exponent 1.1). `zipf 100,000` has 100,000 "
        "units and 10 of 100,000 keys (exponent 1). In `alike` each of them has exactly 10, "
        "which suits max_groups = 10. Then `words` has those of each file of Python's own "
        "library, a file the unit. discreet has one setting (max_groups = 30; 1,000 for words). "
        "pipeline-dp has the best of its strategies, and opendp is `make_laplace_threshold`, "
        "each at its best max_groups. With counts discreet spends half of its loss on them, and "
        "pipeline-dp half of its epsilon; opendp's counts are those that decided. By rho: as "
        "much rho, beside three tenths of delta, as keeps the same epsilon and delta."
    )
    columns = (
        *("data", "discreet", "with counts", "by rho", "by rho, with counts"),
        *("pipeline-dp", "with counts", "opendp"),
        *("times the best", "with counts, times pipeline-dp"),
        *("by rho, times the best", "by rho with counts, times pipeline-dp"),
    )
    return Section("Keys that nobody knows", about, columns, rows)


def _time() -> Section:
    """Return the CPU time of finding, beside the plain bounded count of the same pairs."""
    random = np.random.default_rng()
    units, keys = random.integers(0, BIG // 10, BIG), random.zipf(1.3, BIG) % 100_000
    plan = _plan((units, keys), 30, dp.approx(1, "1e-6"), "1/2")
    finding = plan.findings[0]
    listed = plan.found({"k": [str(n) for n in range(1_000)]})
    engine = engine_for(plan.table.source)

    def plain() -> None:
        engine.prepare(listed.table, listed.aggregates).count(Coins().salt())

    def ours() -> None:
        pool = engine.pooling(plan.table, finding.pairs).read(Coins().salt())
        find(finding, pool, keyed_noise(finding, Keyed()))

    took = seconds(ours)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    base = seconds(plain)
    about = (
        f"{BIG:,} rows, {BIG // 10:,} units, some 100,000 keys. First the plain count of units "
        "by 1,000 public keys, each unit in 30 of them at most. Then finding the keys. CPU "
        "time; the memory is the most while keys are found, with the data of 160 MB."
    )
    row = [got(base), got(took), got(took / base, most=SLOWER), got(peak, most=MEMORY)]
    columns = ("job", "plain count, s", "finding, s", "times", "GB at most")
    return Section("Finding keys in time", about, columns, [["finding keys", *row]])


def _data() -> Iterator[tuple[str, Pairs, int, tuple[int, ...]]]:
    yield "zipf 1,000", _zipf(20_000, 1_000, 5, 1.1), 30, GROUPS
    yield "zipf 100,000", _zipf(100_000, 100_000, 10, 1.0), 30, GROUPS
    yield "zipf 100,000, units alike", _zipf(100_000, 100_000, 10, 1.0, alike=True), 30, GROUPS
    yield "words", _words(), 1_000, WORDS


def _zipf(units: int, keys: int, each: int, exponent: float, *, alike: bool = False) -> Pairs:
    """Return pairs of units that choose so many keys: all of them, or geometric on average."""
    random = np.random.default_rng()
    weights = np.arange(1, keys + 1) ** -exponent
    sizes = np.full(units, each) if alike else random.geometric(1 / each, units)
    chosen = random.choice(keys, size=int(sizes.sum()), p=weights / weights.sum())
    pairs = np.unique(np.repeat(np.arange(units), sizes) * keys + chosen)
    return pairs // keys, pairs % keys


def _words() -> Pairs:
    """Return the words of each file of Python's own library."""
    import re

    found: dict[str, int] = {}
    units, keys = [], []
    library = sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py"))
    files = [path for path in library if "site-packages" not in path.parts]
    for number, path in enumerate(files):
        words = set(re.findall(r"[A-Za-z_]\w*", path.read_text("utf-8", errors="replace")))
        units += [number] * len(words)
        keys += [found.setdefault(word, len(found)) for word in words]
    return np.array(units), np.array(keys)


def _rho_of(delta: str) -> Loss:
    """Return rho with a chance that keep epsilon = 1 at a delta."""
    whole, chance = Fraction(delta), CHANCE * Fraction(delta)
    return dp.zcdp(few_down(rho_down(Fraction(1), (whole - chance) / (1 - chance))), delta=chance)


def _plan(pairs: Pairs, most: int, spend: Loss, share: str) -> Plan:
    table = dp.table(
        pa.table({"u": pairs[0], "k": pairs[1]}),
        unit=dp.unit("u"),
        keys={"k": dp.unknown(max_groups=most, share=share)},
        name="pairs",
    )
    return dp.plan(table, dp.count_units(by="k"), spend=spend)


def _ours(pairs: Pairs, most: int, spend: Loss, share: str) -> int:
    plan = _plan(pairs, most, spend, share)
    finding = plan.findings[0]
    pool = engine_for(plan.table.source).pooling(plan.table, finding.pairs).read(Coins().salt())
    return len(find(finding, pool, keyed_noise(finding, Keyed())))


def _bounded(pairs: Pairs, groups: int) -> np.ndarray:
    """Return how many units each key has, of which each is in so many keys at most."""
    order = np.lexsort((np.random.default_rng().random(pairs[0].size), pairs[0]))
    units, keys = pairs[0][order], pairs[1][order]
    starts = np.flatnonzero(np.r_[True, units[1:] != units[:-1]])
    place = np.arange(units.size) - np.repeat(starts, np.diff(np.r_[starts, units.size]))
    counts = np.bincount(keys[place < groups])
    return counts[counts > 0]


def _best(groups: tuple[int, ...], shown: Callable[[int], float]) -> float:
    return max(shown(one) for one in groups)


def _pipeline(pairs: Pairs, groups: tuple[int, ...], epsilon: float, delta: float) -> float:
    if importlib.util.find_spec("pipeline_dp") is None:
        return 0
    from pipeline_dp import PartitionSelectionStrategy, partition_selection

    def shown(most: int) -> float:
        sizes, many = np.unique(_bounded(pairs, most), return_counts=True)
        found = []
        for strategy in PartitionSelectionStrategy:
            made = partition_selection.create_partition_selection_strategy(
                strategy, epsilon, delta, most
            )
            chances = [made.probability_of_keep(int(size)) for size in sizes]
            found.append(float(np.dot(chances, many)))
        return max(found)

    return _best(groups, shown)


def _opendp(pairs: Pairs, groups: tuple[int, ...], delta: float) -> float:
    if importlib.util.find_spec("opendp") is None:
        return 0
    import opendp.prelude as odp

    odp.enable_features("contrib")

    def shown(most: int) -> float:
        counts = _bounded(pairs, most)
        domain = odp.map_domain(odp.atom_domain(T=int), odp.atom_domain(T=int))
        space = domain, odp.l01inf_distance(odp.absolute_distance(T=int))

        def made(threshold: int) -> object:
            return odp.m.make_laplace_threshold(*space, scale=float(most), threshold=threshold)

        least = odp.binary_search(
            lambda t: made(t).map((most, most, 1))[1] <= delta, bounds=(2, 100_000)
        )
        return len(made(least)({n: int(count) for n, count in enumerate(counts)}))

    return _best(groups, shown)
