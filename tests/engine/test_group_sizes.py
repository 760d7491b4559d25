"""How many keys have how many units: what one unit can move, and what comes out without noise."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import pandas as pd
import pytest

import discreet as dp
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError, InternalError
from discreet.finding.pairs import Pairs
from discreet.releases.sealed import at_least
from discreet.releases.steps import sized_by
from discreet.schema import table, unit, unknown
from discreet.sensitivity import Sensitivity

pytestmark = pytest.mark.claim("C131")

KEYS = ("a", "b", "c")
UNITS = [set(found) for size in range(4) for found in combinations(KEYS, size)]
SIZES = [(1,), (1, 2), (1, 2, 3), (2, 3)]


def declared(source, *, groups=2, who="who", neighbors="add_remove"):
    """A table of films that nobody knows."""
    return table(
        source,
        unit="row" if who is None else unit(who),
        keys={"film": unknown(max_groups=groups)},
        neighbors=neighbors,
        name="films",
    )


def counted(rows, sizes, groups, *, engine=None, salt=3, pairs=None, who="who"):
    """The numbers of keys, without noise."""
    known = declared(rows, groups=groups, who=who)
    most = 1 if who is None else groups
    pairs = pairs or Pairs("film", (1,) * most)
    pool = (engine or engine_for(rows)).pooling(known, pairs).read(salt)
    return at_least(pool.sums(frozenset()), sizes).opened_by_the_door()


def rows_of(units):
    """The rows of some units, each a set of keys; every row stands there twice."""
    found = [{"who": f"u{n}", "film": key} for n, keys in units for key in sorted(keys)] * 2
    return found or [{"who": None, "film": None}]


def moved(one, other):
    """How far two vectors are apart."""
    apart = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return sum(apart), sum(a * a for a in apart), max(apart)


def declared_moves(sizes, groups, neighbors):
    """What the question declares."""
    question = dp.group_sizes("film", at_least=sizes)
    (found,) = question.aggregates(declared([], groups=groups, neighbors=neighbors))
    return found.sensitivity.l1, found.sensitivity.l2_squared, found.sensitivity.linf


def worlds():
    """All tables of up to two units, and one to come or be exchanged."""
    for size in range(3):
        for others in combinations_with_replacement(UNITS, size):
            yield [*enumerate(others)]


def within(one, other, most):
    """Whether two vectors are no further apart than declared."""
    return all(a <= b for a, b in zip(moved(one, other), most, strict=True))


def vectors(sizes, groups, pairs=None):
    """For each world, its numbers with each unit that may come."""
    return [
        [counted(rows_of([*others, (9, keys)]), sizes, groups, pairs=pairs) for keys in UNITS]
        for others in worlds()
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("sizes", "groups"), [*product(SIZES, (1, 2, 3))])
def test_no_unit_moves_the_counts_further_than_declared(sizes, groups):
    """All tables of up to two units and one more, which comes or goes or is exchanged."""
    known = vectors(sizes, groups)
    once, twice = (declared_moves(sizes, groups, one) for one in ("add_remove", "replace"))

    for found in known:
        assert all(within(found[0], other, once) for other in found)
        assert all(within(one, other, twice) for one, other in product(found, repeat=2))


def test_the_declared_moves_are_reached():
    """By a unit all of whose keys cross one size: declaring less would be wrong."""
    sizes, groups = (1, 2, 3), 2
    found = [moved(one[0], other) for one in vectors(sizes, groups) for other in one]

    assert tuple(map(max, zip(*found, strict=True))) == declared_moves(sizes, groups, "add_remove")
    both = [
        moved(one, other) for found in vectors(sizes, 1) for one, other in product(found, repeat=2)
    ]
    assert tuple(map(max, zip(*both, strict=True))) == declared_moves(sizes, 1, "replace")


def test_counting_rows_and_keys_without_a_limit_is_caught():
    """The check has power: pairs with multiplicity, and more keys of a unit than are paid for."""
    sizes = (1, 2, 3)
    once = declared_moves(sizes, 1, "add_remove")
    for pairs in (Pairs("film", (2, 2, 2)), Pairs("film", (1, 1, 1))):
        found = vectors(sizes, 1, pairs)
        assert not all(within(one[0], other, once) for one in found for other in one)


@pytest.mark.parametrize("make", [list, pd.DataFrame])
def test_counts_of_keys_are_those_of_their_definition(make):
    """Three keys of 30, 3 and 1 units; rows that stand there several times count once."""
    units = [
        *((n, {"a"}) for n in range(27)),
        *((n, {"a", "b"}) for n in range(27, 30)),
        (30, {"c"}),
    ]

    assert counted(make(rows_of(units)), (1, 2, 3, 4, 30, 31), 3) == (3, 2, 2, 1, 1, 0)
    rows = [{"film": key} for key in "aaabbc"]
    assert counted(make(rows), (1, 2, 3), 1, who=None) == (3, 2, 1)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"at_least": []}, "no list of 1 to 100 different sizes"),
        ({"at_least": [1, 1]}, "no list of 1 to 100 different sizes"),
        ({"at_least": range(1, 102)}, "no list of 1 to 100 different sizes"),
        ({"at_least": "10"}, "no list of 1 to 100 different sizes"),
        ({"at_least": [0]}, "at_least"),
        ({"column": 7}, "is not the name of a column"),
        ({"max_groups": 0}, "max_groups"),
    ],
)
def test_what_cannot_be_asked_is_refused(how, why):
    """Before any table is seen."""
    with pytest.raises(InputError, match=why):
        dp.group_sizes(**{"column": "film", **how})


def test_it_is_asked_of_unknown_keys_alone():
    """Listed ones can be counted each by itself; of a row there is one key."""
    listed = table([], unit="row", keys={"film": ["a"]}, name="films")
    with pytest.raises(InputError, match="not declared as unknown"):
        dp.group_sizes("film").aggregates(listed)
    with pytest.raises(InputError, match="the unit is a row"):
        dp.group_sizes("film", max_groups=2).aggregates(declared([], who=None))
    (found,) = dp.group_sizes("film").aggregates(declared([], who=None))
    assert found.sensitivity == Sensitivity(1, 1, 1)
    (found,) = dp.group_sizes("film", max_groups=1).aggregates(declared([], groups=9))
    assert (found.sizes.most, found.sensitivity.l1) == (1, 1)


def test_no_engine_counts_it_as_if_it_were_a_count():
    """Nothing there bounds how many keys of one unit count."""
    known = declared([{"who": "p", "film": "a"}])
    aggregates = dp.group_sizes("film").aggregates(known)

    with pytest.raises(InternalError, match="asked for the sizes of groups"):
        MemoryEngine().prepare(known, aggregates)
    ((pooling, sizes),) = sized_by(MemoryEngine(), known, aggregates)
    assert pooling.pairs.weights == (1,) * sizes.most


def films(people=3_000):
    """A film of all, ten of a tenth each, and one of each person alone."""
    return pd.DataFrame(
        [
            {"who": f"p{n}", "film": film}
            for n in range(people)
            for film in ("all", f"tenth {n % 10}", f"own {n}")
        ]
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "spend", [dp.pure("0.5"), dp.zcdp("0.02"), dp.gdp(mu2="0.04"), dp.approx("0.5", "1e-6")]
)
def test_a_release_of_sizes_needs_no_delta_shows_no_key_and_checks(spend, tmp_path):
    """Each kind of loss; its intervals hold the truth, but once in 10^7 runs of all four."""
    known = declared(films(), groups=3)
    plan = dp.plan(
        known, dp.group_sizes("film", at_least=[1, 200, 2_000]), spend=spend, alpha="1e-8"
    )
    ledger = dp.ledger(tmp_path / "films.ledger", budget=spend)
    release = dp.run(plan, ledger=ledger)
    rows = release["group_sizes film"].rows

    assert plan.findings == ()
    assert [row["at"] for row in rows] == [1, 200, 2_000]
    for row, truth in zip(rows, (3_011, 11, 1), strict=True):
        assert row["low"] <= truth <= row["high"]
    assert "tenth" not in release.document.text()
    assert dp.verify(release.save(tmp_path / "films.release"), ledger=ledger).checks
    assert dp.run(plan, ledger=ledger).repeated


def test_sizes_beside_keys_that_are_found_and_in_a_rehearsal(tmp_path):
    """One plan, one charge; and nothing read where it is rehearsed."""
    plan = dp.plan(
        declared(films(), groups=3),
        dp.count_units(by="film"),
        dp.group_sizes("film", at_least=[100]),
        spend=dp.approx(4, "1e-6"),
        alpha="1e-8",
    )
    release = dp.run(plan, ledger=dp.ledger(tmp_path / "l", budget=dp.approx(4, "1e-6")))

    assert len(release["count_units by film"].rows) == 12
    (row,) = release["group_sizes film"].rows
    assert row["low"] <= 11 <= row["high"]
    assert dp.rehearse(plan)["group_sizes film"].rows
    assert "group_sizes film" in str(plan)
    assert Fraction(1, 100) < plan.lines[1].cost.numbers[0]
