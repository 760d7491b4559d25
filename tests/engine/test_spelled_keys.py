"""Keys that cells say in several ways: counted as if each cell said the name of its key."""

import json
import random
from datetime import date, datetime

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.explain_expression import meanings
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.schema import table_of
from engine.sources import native_hash, opened
from servers import filled, spark

WARDS = {"north": ["North", "N", "1"], "south": ["S", "SOUTH "], "west": []}
SMOKES = {"yes": ["Yes", "YES", "1"], "no": ["No", "0", "n\u00f8"]}
KINDS = {"u": "TEXT", "ward": "TEXT", "smokes": "TEXT", "cost": "DOUBLE PRECISION"}
REFERENCE = MemoryEngine(hash_of=native_hash)


def drawn(number, rng):
    """Rows of few units, who say one key in many ways, and other words too."""
    words = [[*(t for name, of in keys.items() for t in (name, *of)), "x", "yEs", None]
             for keys in (WARDS, SMOKES)]  # fmt: skip
    return [
        {
            "u": f"p{rng.randrange(number // 8)}",
            "ward": rng.choice(words[0]),
            "smokes": rng.choice(words[1]),
            "cost": float(rng.randrange(10)),
        }
        for _ in range(number)
    ]


def in_one_way(rows):
    """The same rows, each key by its name."""
    names = {
        column: {text: name for name, of in keys.items() for text in (name, *of)}
        for column, keys in (("ward", WARDS), ("smokes", SMOKES))
    }
    return [{c: names.get(c, {}).get(cell, cell) for c, cell in row.items()} for row in rows]


def declared(source, unit, *, spelled, **names):
    kinds = {"ward": WARDS, "smokes": SMOKES}
    keys = {c: dp.keys(of if spelled else [*of], **names) for c, of in kinds.items()}
    bounds = {"cost": dp.bounds(0, 9, step=1)}
    return dp.table(source, name="t", unit=unit, keys=keys, columns=bounds)


def asked(table):
    limits = {} if table.unit.column is None else {"max_groups": 2, "max_rows_per_group": 2}
    both = ["ward", "smokes"]
    questions = [dp.count("ward", **limits), dp.sum("cost", both, **limits), dp.count()]
    questions += [dp.count("smokes", where="cost > 4", **limits)]
    if limits:
        questions += [dp.count_units("ward", max_groups=1), dp.count_units(both, max_groups=3)]
    return tuple(a for one in questions for a in one.aggregates(table))


def arrow(rows, folder):
    return pa.Table.from_pylist(rows, pa.schema([(n, pa.string()) for n in [*KINDS][:3]]
        + [("cost", pa.float64())]))  # fmt: skip


def parquet(rows, folder):
    pq.write_table(arrow(rows, folder), folder / f"{len(list(folder.iterdir()))}.parquet")
    return str(max(folder.iterdir(), key=lambda path: int(path.stem)))


def csv(rows, folder):
    path = folder / f"{len(list(folder.iterdir()))}.csv"
    lines = [",".join("" if cell is None else str(cell) for cell in row.values()) for row in rows]
    path.write_text("\n".join([",".join(KINDS), *lines, ""]), "utf-8")
    return path


def database(rows, folder):
    found = duckdb.connect()
    found.register("given", arrow(rows, folder))
    found.execute("CREATE TABLE t AS SELECT * FROM given")
    return found


def objects(rows, folder):
    return arrow(rows, folder).to_pandas()


def server(rows, folder):
    return filled(KINDS, [[*row.values()] for row in rows])


def frame(rows, folder):
    return spark().createDataFrame([tuple(row.values()) for row in rows], ", ".join(
        f"{name} {'double' if name == 'cost' else 'string'}" for name in KINDS))  # fmt: skip


SOURCES = [arrow, parquet, csv, database, objects, server, frame]
UNITS = ["row", dp.unit("u", max_rows=3), dp.unit("u", max_rows=5, sampling="portable")]
NAMES = [{}, {"other": "else"}, {"other": "else", "missing": "gone"}]


@pytest.mark.exhaustive
@pytest.mark.claim("C271")
@pytest.mark.parametrize("names", NAMES, ids=str)
@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("source", SOURCES, ids=lambda one: one.__name__)
def test_each_way_to_say_a_key_counts_as_its_name_does(source, unit, names, tmp_path):
    """Every integer, after the limits of a unit too: limits are by the key, not by how it is said."""
    rows = drawn(300, random.Random(5))
    spelled = declared(source(rows, tmp_path), unit, spelled=True, **names)
    plain = declared(source(in_one_way(rows), tmp_path), unit, spelled=False, **names)

    found, expected = (
        opened(engine_for(one.source).prepare(one, asked(one)).count(9)) for one in (spelled, plain)
    )

    assert found == expected
    assert sum(map(abs, found[0])) > 20
    if source not in (server, frame):
        by = MemoryEngine() if getattr(unit, "sampling", "") == "portable" else REFERENCE
        table = declared(rows, unit, spelled=True, **names)
        assert opened(by.prepare(table, asked(table)).count(9)) == found


@pytest.mark.exhaustive
@pytest.mark.claim("C271")
@pytest.mark.parametrize("source", [arrow, csv, server], ids=lambda one: one.__name__)
def test_one_unit_more_moves_nothing_further_than_declared(source, tmp_path):
    """A unit that says each key in every way, eight times, is in two groups of two rows."""
    rows = drawn(120, random.Random(6))
    ways = [[name, *of] for name, of in WARDS.items()]
    more = [
        {"u": "new", "ward": way, "smokes": smokes, "cost": 9.0}
        for of in ways
        for way in of
        for smokes in ("yes", "Yes", "YES", "1", "No")
    ]
    unit = dp.unit("u", max_rows=30, sampling="portable")
    for added in (more, more[:7], more[::3]):
        tables = [
            declared(source(one, tmp_path), unit, spelled=True) for one in (rows, rows + added)
        ]
        questions = asked(tables[0])

        before, after = (
            opened(engine_for(one.source).prepare(one, questions).count(4)) for one in tables
        )

        for one, two, aggregate in zip(before, after, questions, strict=True):
            moved = [abs(a - b) for a, b in zip(one, two, strict=True)]
            assert sum(moved) <= aggregate.sensitivity.l1
            assert sum(m * m for m in moved) <= aggregate.sensitivity.l2_squared
            assert max(moved) <= aggregate.sensitivity.linf


@pytest.mark.claim("C271")
@pytest.mark.parametrize(
    ("cells", "keys", "expected"),
    [
        ([1, 1, 0, 2, None], {"yes": ["1", "01"], "no": [0]}, [2, 1]),
        ([True, False, None, True], {"yes": [1], "no": ["false"]}, [2, 1]),
        ([1.0, 0.5, -0.0], {"one": ["1"], "half": [".5", "0.50"], "0": []}, [1, 1, 1]),
        ([date(2020, 1, 1), date(2020, 1, 2)], {"early": ["2020-01-01"], "2020-01-02": []}, [1, 1]),
        ([datetime(2020, 1, 1, 3), None], {"early": ["2020-01-01"], "2020-01-02": []}, [1, 0]),
    ],
)
def test_a_column_of_a_type_holds_the_ways_and_not_the_names(cells, keys, expected):
    """Ways that are one value there are one; a name that no cell can be is said by none."""
    table = dp.table(pa.table({"k": cells}), unit="row", name="t", keys={"k": keys})

    (found,) = opened(DuckEngine().prepare(table, dp.count("k").aggregates(table)).count(1))
    by_hand = dp.table([{"k": cell} for cell in cells], unit="row", name="t", keys={"k": keys})
    (same,) = opened(MemoryEngine().prepare(by_hand, dp.count("k").aggregates(by_hand)).count(1))

    assert list(found) == list(same) == expected


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"yes": ["1"], "no": ["01"]}, "are one value"),
        ({"yes": ["1", "Yes"]}, "Yes of k can be no cell"),
        ({"yes": ["Yes"]}, "Yes of k can be no cell"),
    ],
)
def test_ways_that_a_column_of_a_type_cannot_hold_are_refused(keys, said):
    """Before the charge: what is listed, but for a name alone."""
    table = dp.table(pa.table({"k": [1]}), unit="row", name="t", keys={"k": keys})

    with pytest.raises(InputError, match=said):
        DuckEngine().prepare(table, dp.count("k").aggregates(table))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"yes": ["a"], "no": ["a"]}, "a says two keys"),
        ({"yes": ["no"], "no": []}, "no says two keys"),
        ({1: ["a"]}, '{"1": ["a"]}'),
        ({"yes": [True]}, '{"yes": ["true"]}'),
        ({"m": "male", "f": "female"}, '["m", "f"]'),
        ({}, "empty list"),
        ({"yes": [None]}, "missing cell"),
    ],
)
def test_what_is_no_list_of_ways_is_refused(keys, said):
    """In three lines; two keys that are said alike among them."""
    with pytest.raises(InputError) as caught:
        dp.table("t.csv", unit="row", keys={"k": keys})

    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 3


def test_a_derived_column_says_its_ways_itself():
    """In its expression."""
    with pytest.raises(InputError, match="part of its expression"):
        dp.derived("x", keys={"yes": ["Yes"]})


PLAN = """
[data]
source = "t.csv"
unit = "row"
[keys]
smokes = { yes = ["Yes", "YES", 1], no = ["No"], unknown = ["-"] }
[other]
smokes = "else"
[spend]
rho = 1
[[ask]]
statistic = "count"
by = "smokes"
"""


def test_a_plan_file_says_it_as_python_does(tmp_path):
    """And the plan, its release and what `check` says are of the name."""
    path = tmp_path / "p.toml"
    path.write_text(PLAN)
    ways = {"yes": ["Yes", "YES", "1"], "no": ["No"], "unknown": ["-"]}

    plan = read_plan_file(path).plan

    table = dp.table("t.csv", unit="row", keys={"smokes": dp.keys(ways, other="else")})
    assert plan.table.plain() == table.plain()
    assert table_of(json.loads(json.dumps(table.plain()))) == table
    assert "written otherwise: yes (Yes, YES, 1), no (No)" in " ".join(str(plan).split())
    said = [meanings(table, cell)[0].value for cell in ("YES", "no", "yES", "1")]
    assert said == ["yes", "no", "else", "yes"]
    release = dp.rehearse(plan)
    assert [row["smokes"] for row in release["count by smokes"].rows] == [*ways, "else"]
    assert dp.verify(release)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('smokes = { yes = "Yes" }', "keys, smokes"),
        ('smokes = { yes = ["a"], no = ["a"] }', "a says two keys"),
        ("smokes = { yes = [1.5] }", "keys, smokes"),
    ],
)
def test_a_slip_in_a_plan_file_is_named_with_its_place(line, said, tmp_path):
    """A part whose values are no lists is none of keys."""
    path = tmp_path / "p.toml"
    path.write_text(
        PLAN.replace('smokes = { yes = ["Yes", "YES", 1], no = ["No"], unknown = ["-"] }', line)
    )

    with pytest.raises(InputError, match=said):
        read_plan_file(path)


def test_a_derived_column_of_a_plan_file_is_told_to_list_its_names(tmp_path):
    """What the refusal types is taken."""
    path = tmp_path / "p.toml"
    made = '[derive.d]\nexpression = "floor(x)"\nkeys = {{ {} }}\n[spend]'
    path.write_text(PLAN.replace("[spend]", made.format('a = ["1"], b = ["2"]')))

    with pytest.raises(InputError) as caught:
        read_plan_file(path)

    assert 'write keys = ["a", "b"]' in str(caught.value)
