"""Rows that cannot stay are dropped before they are sorted: no integer changes."""

import random

import pyarrow as pa
import pytest

import discreet as dp
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.memory import MemoryEngine
from discreet.schema import unit
from engine.sources import native_hash, opened

pytestmark = pytest.mark.of_speed

GROUPS = 900


def crowd():
    """Units with 900, 90, 9 and one groups, two rows in each, and one with the same group 900 times."""
    rows = [
        {"u": f"u{size}", "k": group, "v": float((group * 7 + again) % 10)}
        for size in (900, 90, 9, 1)
        for group in range(size)
        for again in range(2)
    ]
    return rows + [{"u": "same", "k": 5, "v": float(n % 10)} for n in range(900)]


def vectors(engine, source, salt, whose, **limits):
    table = dp.table(
        source,
        name="t",
        unit=whose,
        keys={"k": range(GROUPS)},
        columns={"v": dp.bounds(0, 9, step=1)},
    )
    asked = dp.count("k", **limits), dp.sum("v", "k", **limits), dp.count_units("k", **limits)
    aggregates = tuple(a for one in asked for a in one.aggregates(table))
    prepared = engine.prepare(table, aggregates)
    return prepared, opened(prepared.count(salt))


@pytest.mark.exhaustive("rows that are pruned")
@pytest.mark.claim("C86")
@pytest.mark.slow
@pytest.mark.parametrize("limits", [(1, 1), (3, 2), (30, 1), (80, 5)], ids=str)
def test_what_is_pruned_would_not_have_stayed(limits):
    """DuckDB against the reference with DuckDB's own hash, and against its own portable choice."""
    rows = crowd()
    source = pa.Table.from_pylist(rows)
    how = dict(zip(("max_groups", "max_rows_per_group"), limits, strict=True))
    for salt in (0, 1, 2**64 - 1):
        prepared, found = vectors(DuckEngine(), source, salt, unit("u"), **how)
        _, expected = vectors(MemoryEngine(hash_of=native_hash), rows, salt, unit("u"), **how)

        assert "discreet_cut_0" in prepared._text
        assert found == expected


@pytest.mark.claim("C86")
def test_rows_are_pruned_where_the_declaration_allows_large_units():
    """Not where no unit can have many rows; what has few rows is not looked at."""
    source = pa.Table.from_pylist(crowd())
    for whose, is_pruned in [
        (unit("u"), True),
        (unit("u", max_rows=1_000), True),
        (unit("u", max_rows=32), False),
        (unit("u", sampling="portable"), False),
    ]:
        prepared, _ = vectors(DuckEngine(), source, 1, whose, max_groups=2, max_rows_per_group=1)
        assert ("discreet_cut_0" in prepared._text) is is_pruned


@pytest.mark.exhaustive("rows that are pruned")
@pytest.mark.claim("C86")
@pytest.mark.parametrize("most", [1, 7, 60], ids=str)
def test_rows_that_are_chosen_one_by_one_are_those_of_the_reference(most):
    """Equal ones among them, which are numbered, with limits of groups and without."""
    rows = crowd()
    source = pa.Table.from_pylist(rows)
    for how in ({}, {"max_groups": 2, "max_rows_per_group": 1}):
        prepared, found = vectors(DuckEngine(), source, 3, unit("u", max_rows=most), **how)
        memory = MemoryEngine(hash_of=native_hash)
        _, expected = vectors(memory, rows, 3, unit("u", max_rows=most), **how)

        assert ("discreet_cut_0" in prepared._text) is (most > 32 and bool(how))
        assert found == expected


def small_units():
    """Units with up to nine rows in up to four groups, many of them equal."""
    chance = random.Random(3)
    return [
        {"u": f"u{who}", "k": chance.randrange(4), "v": float(chance.randrange(3))}
        for who in range(120)
        for _ in range(1 + chance.randrange(9))
    ]


@pytest.mark.exhaustive("rows that are pruned")
@pytest.mark.claim("C86")
@pytest.mark.parametrize("whose", [unit("u"), unit("u", max_rows=8)], ids=["pruned", "not pruned"])
@pytest.mark.parametrize("limits", [(1, 1), (2, 1), (2, 3), (3, 2)], ids=str)
def test_rows_are_told_apart_by_content_wherever_a_group_has_too_many(limits, whose):
    """DuckDB against the reference: whole units pass only where no group is beyond its limit."""
    rows = small_units()
    how = dict(zip(("max_groups", "max_rows_per_group"), limits, strict=True))

    prepared, found = vectors(DuckEngine(), pa.Table.from_pylist(rows), 7, whose, **how)
    _, expected = vectors(MemoryEngine(hash_of=native_hash), rows, 7, whose, **how)

    assert "discreet_often" in prepared._text
    assert found == expected


@pytest.mark.exhaustive("rows that are pruned")
@pytest.mark.claim("C332")
@pytest.mark.slow
@pytest.mark.parametrize("few", [1, 2**12], ids=["one sort", "groups"])
@pytest.mark.parametrize("sampling", ["native", "portable"])
def test_however_equal_rows_are_numbered_the_same_stay(few, sampling, monkeypatch):
    """By groups and by one sort; of rows, of groups' rows, and of both; left out before, or not."""
    from discreet.engine.sql.faster import numbered

    monkeypatch.setattr(numbered, "_FEW", few * 10**6 if few > 1 else 0)
    rows = crowd() + [{"u": "u9", "k": 5, "v": None}] * 3
    source = pa.Table.from_pylist(rows)
    for most in (None, 1, 8, 60):
        whose = unit("u", max_rows=most, sampling=sampling)
        for how in ({}, {"max_rows_per_group": 2, "max_groups": GROUPS}, {"max_groups": 3}):
            if most is None and "max_rows_per_group" not in how:
                continue
            prepared, found = vectors(DuckEngine(), source, 3, whose, **how)
            memory = MemoryEngine(hash_of=native_hash)
            _, expected = vectors(memory, rows, 3, whose, **how)

            assert most is None or ("discreet_equal" in prepared._text) is (few > 1)
            assert found == expected
