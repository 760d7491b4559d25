"""Keys in order and keys on a graph are cleaned as bins are, and only where the caller says so."""

import numpy as np
import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.errors import InputError
from discreet.releases.document import compose
from discreet.releases.release import Release
from discreet.report.neighbors import layout_of, near_of

HOURS = 168
TRUTH = np.round(40 + 30 * np.sin(np.arange(HOURS) * 2 * np.pi / HOURS)).astype(int)


def release_of(*questions, noisy):
    table = dp.table(
        [],
        unit="row",
        name="calls",
        keys={"hour": range(HOURS), "day": range(4), "ward": ["A", "B", "C"]},
        columns={"age": dp.bounds(0, 8, step=1)},
    )
    plan = dp.plan(table, *questions, spend=dp.zcdp("1/200"))
    vectors = [Noisy(tuple(one)) for one in noisy]
    return Release(
        compose(plan, vectors, request="r", created="2026-11-22T00:00:00+00:00", ledger=None)
    )


@pytest.fixture(scope="module")
def hours():
    coins = np.random.default_rng(5)
    return release_of(
        dp.count(by="hour"),
        noisy=[(TRUTH + np.round(coins.normal(0, 10, HOURS)).astype(int)).tolist()],
    )


def test_hours_in_order_err_much_less(hours):
    """A smooth week: in order, less than half the error of cleaning by key, and a filter is taken."""
    plain, ordered = dp.denoise(hours), dp.denoise(hours, ordered="hour")
    errors = [
        np.sqrt(np.mean((np.array(one.statistics[0].values) - TRUTH) ** 2))
        for one in (plain, ordered)
    ]

    assert errors[1] < 0.6 * errors[0]
    assert ordered.statistics[0].denoiser not in ("raw", plain.statistics[0].denoiser)


def test_rising_numbers_rise(hours):
    """Said of a list in order; of keys in no order it says nothing."""
    ordered = dp.denoise(hours, ordered="hour", known=["rising"]).statistics[0].values
    plain = dp.denoise(hours, "raw", known=["rising"]).statistics[0].values

    assert (np.diff(ordered) >= 0).all()
    assert not (np.diff(plain) >= 0).all()


def edges_of(question, **near):
    (counted,) = question.aggregates(_table())
    release = release_of(question, noisy=[[0] * counted.size(_table())])
    found = near_of(release.document, near.get("ordered", ()), near.get("graph", {}))
    return layout_of(release.document.statistics[0], found)


def _table():
    return dp.table(
        [], unit="row", name="calls", columns={"age": dp.bounds(0, 8, step=1)},
        keys={"hour": range(HOURS), "day": range(4), "ward": ["A", "B", "C"]},
    )  # fmt: skip


def test_who_is_next_to_whom():
    """A list, lists in groups, a grid, a graph, and bins in groups as ever."""
    line = edges_of(dp.count(by="day"), ordered="day")
    assert (line.ordered, line.edges, line.line) == (True, None, True)
    groups = edges_of(dp.count(by=["ward", "day"]), ordered=["day"])
    assert groups.ordered
    assert groups.edges.tolist() == [[4 * w + d, 4 * w + d + 1] for d in range(3) for w in range(3)]
    across = edges_of(dp.count(by=["day", "ward"]), ordered="day")
    assert not across.ordered
    assert sorted(across.edges.tolist()) == [
        [3 * d + w, 3 * d + 3 + w] for d in range(3) for w in range(3)
    ]
    graph = edges_of(dp.count(by="ward"), graph={"ward": [("A", "C")]})
    assert graph.edges.tolist() == [[0, 2]]
    grid = edges_of(dp.histogram("age", by="day", bins=8), ordered="day")
    assert len(grid.edges) == 3 * 8 + 4 * 7
    bins = edges_of(dp.histogram("age", by="ward", bins=8))
    assert bins.ordered
    assert len(bins.edges) == 3 * 7
    none = edges_of(dp.count(by="ward"))
    assert (none.ordered, none.edges) == (False, None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ordered": "houre"}, "grouped by houre"),
        ({"ordered": 3}, "says of no column"),
        ({"graph": {"hour": [(1, 500)]}}, "no pair of keys"),
        ({"graph": {"hour": [(1, 1)]}}, "no pair of keys"),
        ({"graph": [(1, 2)]}, "says of no column"),
        ({"graph": {"ward": [("A", "B")]}}, "grouped by ward"),
    ],
)
def test_what_is_not_there_is_refused(hours, options, words):
    """Columns that nothing is grouped by, and pairs that are no keys."""
    with pytest.raises(InputError, match=words) as refused:
        dp.denoise(hours, **options)
    assert len(str(refused.value).splitlines()) == 3
