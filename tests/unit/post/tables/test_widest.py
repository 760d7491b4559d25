"""Cubes and lists of tables with a wanted error cost hardly more than the least that keeps it."""

from fractions import Fraction
from itertools import combinations
from math import sqrt

import pytest

import discreet as dp
from discreet.post.tables.designs import designed, narrowest
from discreet.post.tables.family import CountedTable, below, cells, closed, told_by
from discreet.post.tables.widest import balanced, dimensions, largest, rows_of

PEOPLE = dp.table(
    "people.csv",
    unit=dp.unit("id", max_rows=3),
    keys={"a": range(5), "b": range(40), "c": [1, 2], **{f"x{n}": [0, 1] for n in range(6)}},
)
TRIPLES = closed([tuple(int(at in some) for at in range(8)) for some in combinations(range(8), 3)])
CASES = {
    "cube": (((1, 2), (1, 3), (1, 4), (1, 5)), closed([(1, 1, 1, 1)])),
    "list": (((1, 5, 50), (1, 2), (1, 10)), closed([(2, 1, 0), (0, 1, 1), (1, 0, 1)])),
    "contrasts": (((1, 2),) * 8, TRIPLES),
    "apart": (((1, 60), (1, 2), (1, 1_000)), closed([(1, 1, 0), (0, 0, 1)])),
}


@pytest.mark.claim("C387")
@pytest.mark.parametrize("case", CASES)
def test_the_widest_number_is_within_a_fiftieth_of_the_least(case):
    """The price and the variances of a design by definition; the bound by its formula."""
    sizes, shown = CASES[case]
    design = designed(sizes, shown, (), "zcdp", widest=True)
    balance = balanced(sizes, shown, ())

    assert cost_of(sizes, design) * widest_of(sizes, shown, design) <= 1.02 * balance.least
    counts = {table: n / sum(balance.counts.values()) for table, n in balance.counts.items()}
    assert balance.least == pytest.approx(bound(sizes, shown, counts), rel=1e-6)


@pytest.mark.claim("C387")
@pytest.mark.parametrize("case", CASES)
def test_no_counts_make_a_bound_above_the_widest_number(case):
    """Weak duality: even ones, one table alone, all of them but one."""
    sizes, shown = CASES[case]
    design = designed(sizes, shown, (), "zcdp", widest=True)
    top = cost_of(sizes, design) * widest_of(sizes, shown, design)

    tried = [dict.fromkeys(shown, 1 / len(shown)), *({one: 1.0} for one in shown)]
    assert max(bound(sizes, shown, counts) for counts in tried) <= top * (1 + 1e-9)


def bound(sizes, shown, counts):
    found = 0.0
    for part in shown:
        worth = sum(
            n * (cells(sizes, part) / cells(sizes, table)) ** 2
            for table, n in counts.items()
            if part in below(table)
        )
        found += dimensions(sizes, part) * sqrt(worth)
    return found**2


def cost_of(sizes, design):
    """Return the squares of the column of each vector, over the variances of its noise."""
    return sum(
        float(n) * (steps_cost(sizes, one.shows) if one.contrasts else 1)
        for one, n in design.items()
    )


def steps_cost(sizes, shown):
    found = 1
    for each, level in zip(sizes, shown, strict=True):
        if level:
            many = each[level] // each[level - 1]
            found *= many * (many - 1)
    return found


def widest_of(sizes, shown, design):
    told = {p: sum(float(n) * told_by(sizes, one, p) for one, n in design.items()) for p in shown}
    return largest(rows_of(sizes, shown, ()), told)


@pytest.mark.claim("C387")
def test_one_attribute_is_told_alike_at_each_level():
    """Of two levels both get the same noise."""
    assert [float(n) for n in narrowest((1, 50))] == pytest.approx([1, 1], abs=0.01)
    found = narrowest((1, 5, 50, 500))
    sizes, levels = ((1, 5, 50, 500),), tuple((n,) for n in range(4))
    design = {CountedTable((n,)): weight for n, weight in enumerate(found)}
    price = cost_of(sizes, design) * widest_of(sizes, levels, design)
    assert price <= 1.005 * balanced(sizes, levels, ()).least


@pytest.mark.exhaustive("widest")
@pytest.mark.slow
@pytest.mark.claim("C387")
@pytest.mark.parametrize(
    "asked",
    [
        dp.cube(["a", "b", "c"]),
        dp.tables([["a", "b"], ["b", "c"]]),
        dp.tables([list(some) for some in combinations([f"x{n}" for n in range(6)], 3)]),
    ],
)
def test_a_wanted_error_costs_less_than_the_same_by_mean(asked):
    """At its price the design of the least mean has a number that is wider; the plan says how near."""
    plan = dp.plan(PEOPLE, asked, within=30)
    (loss,) = plan.spend.numbers
    by_mean = dp.plan(PEOPLE, asked, spend=dp.zcdp(loss))

    assert width_of(plan) <= 30
    assert width_of(by_mean) > 30
    told = " ".join(str(plan).split())
    (share,) = (one.split(" %")[0] for one in told.split("a variance at most ")[1:])
    assert 0 <= Fraction(share) <= 2
    assert "a variance at most" not in " ".join(str(by_mean).split())


def width_of(plan):
    (line,) = plan.lines
    return line.statistic.expected(PEOPLE, line.laws, plan.alpha).half_width


@pytest.mark.slow
@pytest.mark.claim("C387")
def test_where_no_least_is_known_the_plan_says_so():
    """Under Laplace noise, and where a row is in the place of another."""
    pure = str(dp.plan(PEOPLE, dp.cube(["a", "c"], within=30), spend=dp.pure(100)))
    other = dp.table("p.csv", unit="row", keys={"a": range(5), "c": [1, 2]}, neighbors="replace")
    replace = str(dp.plan(other, dp.cube(["a", "c"], within=30)))

    assert "nobody knows the least loss" in " ".join(pure.split())
    assert "The least loss that keeps this error is not known" in " ".join(replace.split())


@pytest.mark.exhaustive("widest")
@pytest.mark.slow
@pytest.mark.claim("C387")
@pytest.mark.parametrize(
    "asked",
    [
        dp.cube(["a", "b"], within=20),
        dp.tables([list(some) for some in combinations([f"x{n}" for n in range(6)], 3)], within=20),
        dp.cube(["a", "b"], known={"total": 3}, within=20),
    ],
)
def test_a_release_of_it_checks(asked, tmp_path):
    """Which tables were counted, and with which noise, follows from the question."""
    rows = [{"id": 1, "a": 1, "b": 2, "c": 1, **{f"x{n}": 0 for n in range(6)}}] * 3
    table = dp.table(rows, name="people", unit=PEOPLE.unit, keys=PEOPLE.keys)
    plan = dp.plan(table, asked)
    release = dp.run(plan, ledger=dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp(10)))
    saved = release.save(tmp_path / "a.release")

    assert "answers and intervals follow" in str(dp.verify(saved))
