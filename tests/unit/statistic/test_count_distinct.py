"""How many listed values of a column occur: what is counted, how far a unit moves it, every face."""

from itertools import product

import pytest

import discreet as dp
from adversarial.moves import counted
from discreet.engine.memory import MemoryEngine
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.statistic.catalog import statistic_of
from engine.sources import opened

KEYS = {"a": ["p", "q", "r"], "b": [0, 1]}
UNIT = dp.unit("u", max_rows=2)


def declared(rows=(), *, unit=UNIT, keys=KEYS, **how):
    return dp.table(list(rows), name="t", unit=unit, keys=keys, **how)


def numbers(table, question):
    aggregates = question.aggregates(table)
    exact = opened(MemoryEngine().prepare(table, aggregates).count(1))
    return counted(aggregates, exact)[0]


@pytest.mark.claim("C433")
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("by", [None, "b", "a", ["b", "a"]], ids=str)
def test_no_unit_moves_it_further_than_declared_and_some_unit_as_far(by, neighbors):
    """All units of two rows beside all others, by enumeration."""
    cells = [{"a": a, "b": b} for a, b in product("pqr", (0, 1))]
    pairs = [[x, y] for x, y in product(cells, cells)]
    question = dp.count(by, distinct="a")
    beside = [[], [{"u": "z", "a": "p", "b": 0}], [{"u": "z", "a": "r", "b": 1}]]
    reached = [0, 0, 0]
    for others in beside:
        with_one = [
            numbers(declared([*others, *({"u": "x", **row} for row in pair)]), question)
            for pair in pairs
        ]
        without = numbers(declared(others), question)
        moves = [(x, without) for x in with_one]
        if neighbors == "replace":
            moves = [*product(with_one, with_one)]
        for x, y in moves:
            off = [abs(m - n) for m, n in zip(x, y, strict=True)]
            sizes = (sum(off), sum(n * n for n in off), max(off))
            reached = [max(pair) for pair in zip(reached, sizes, strict=True)]
    moved = question.aggregates(declared(neighbors=neighbors))[0].sensitivity
    assert reached == [moved.l1, moved.l2_squared, moved.linf]


@pytest.mark.claim("C433")
def test_only_listed_values_are_told_apart():
    """Not what is missing, nor what is none of them, with a key for all others or without."""
    rows = [{"u": i, "a": a, "b": 0} for i, a in enumerate(["p", "p", "q", None, "x", "y"])]
    for keys in (KEYS, {**KEYS, "a": dp.keys("p", "q", "r", other="rest", missing="none")}):
        table = declared(rows, keys=keys)
        assert list(numbers(table, dp.count(distinct="a"))) == [2]
        assert list(numbers(table, dp.count(by="b", distinct="a"))) == [2, 0]
        assert list(numbers(table, dp.count(distinct="a", where="a = 'p'"))) == [1]
        more = [0] * (len(table.keys["a"]) - 3)
        assert list(numbers(table, dp.count("a", distinct="a"))) == [1, 1, 0, *more]
        assert list(numbers(table, dp.count(["a", "b"], distinct="a"))) == [
            1,
            0,
            1,
            0,
            0,
            0,
            *more * 2,
        ]


@pytest.mark.claim("C433")
def test_it_is_paid_released_read_again_and_verified(tmp_path):
    """Between none and all; a plan file and SQL ask the same, and it does not add up."""
    rows = [{"u": i % 40, "a": "pq"[i % 2], "b": i % 2} for i in range(80)]
    table = declared(rows)
    plan = dp.plan(table, dp.count(by="b", distinct="a"), spend=dp.zcdp(2))
    ledger = dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp(2))
    release = dp.run(plan, ledger=ledger)
    release.save(tmp_path / "r")
    told = [(row["low"], row["value"], row["high"]) for row in release["count distinct a by b"]]
    assert all(0 <= low <= value <= high <= 3 for low, value, high in told)
    assert dp.verify(tmp_path / "r", ledger=ledger).checks
    assert "How many listed values of a occur" in (tmp_path / "r" / "report.html").read_text()
    with pytest.raises(InputError, match="do not add up"):
        release.total("count distinct a by b")
    _, question = dp.sql("SELECT b, COUNT(DISTINCT a) FROM t GROUP BY b", table)
    assert question.plain() == plan.lines[0].asked.plain()
    assert statistic_of(question.plain()) == plan.lines[0].asked
    (tmp_path / "p.toml").write_text(
        '[data]\nsource = "t.csv"\nunit = { column = "u", max_rows = 2 }\n[keys]\na = ["p", "q", "r"]\n'
        'b = [0, 1]\n[spend]\nrho = 2\n[[ask]]\nstatistic = "count"\ndistinct = "a"\nby = "b"\n'
    )
    assert read_plan_file(tmp_path / "p.toml").plan.lines[0].asked.plain() == question.plain()


@pytest.mark.parametrize(
    ("ask", "what", "fix"),
    [
        ({"distinct": True}, "not the name of a column", "discreet.count_units("),
        ({"distinct": "a", "between": [0, 3]}, "beside between", "leave between and remap out"),
        ({"distinct": "u"}, "says who is protected", "discreet.count_units()"),
        ({"distinct": "c"}, "no public keys for 'c'", 'distinct="a"'),
        ({"distinct": "k"}, "are not listed", 'discreet.group_sizes("k", at_least=[1])'),
        ({"distinct": "a", "by": "k"}, "are not known beforehand", "leave distinct out"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_told_apart_is_refused_with_what_to_ask(ask, what, fix):
    """Before anything is charged."""
    keys = {**KEYS, "k": dp.unknown(max_groups=2)}
    with pytest.raises(InputError) as raised:
        dp.count(**ask).aggregates(declared(keys=keys))
    assert what in raised.value.what
    assert fix in str(raised.value)
