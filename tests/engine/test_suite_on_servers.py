"""The suites of points, products, cells, missing cells and the second look, on servers.

Each asks one server once, of hostile rows that are groups of their own, and plants its faults into
the reference, so that they cost no query. `make spark` runs the half of Spark.
"""

import random
from datetime import date
from decimal import Decimal
from itertools import islice

import pyarrow as pa
import pytest

import discreet as dp
from adversarial import test_guard as guard
from discreet import aggregate
from discreet.aggregate import Aggregate, Coarse, Measure, Term
from discreet.engine.select_engine import engine_for
from discreet.schema import ROW, bounds, table, unit
from discreet.sensitivity import Sensitivity
from discreet.statistic.catalog import LISTED, statistic_of
from engine import sources
from engine import test_ball as balls
from engine import test_degree_two as products
from engine import test_meaning as meaning
from engine import test_missing as missing
from engine import test_missing_counts_as as complete
from engine.sources import opened
from engine.test_engines_agree import HOSTILE
from engine.test_expressions_agree import arrow, numbered
from engine.test_one_person import is_within
from engine.unguarded import unguarded
from property.strategies import declared
from servers import placed
from unit.schema import test_levels_lookup as lookups

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
SERVERS = ["postgres", "spark"]
EACH = pytest.mark.parametrize("server", SERVERS)
ONE = Sensitivity(1, 1, 1)
FOUR = unit("who", max_rows=4, sampling="portable")


def counted(source, asked, salt=7, **how):
    """What the engine of a source counts of it."""
    found = table(source, **{"unit": ROW, "name": "t", **how})
    return opened(engine_for(source).prepare(found, asked).count(salt))


# points in balls


RADII = {(-3, 4): 2, balls.WIDE: 2**48 + 7}
AXES = {f"{axis}{n}": ends for n, ends in enumerate(RADII) for axis in "xyz"}
POINTS = 48
IN_BALLS = {
    "columns": {name: bounds(*ends, step=1) for name, ends in AXES.items()},
    "keys": {"i": range(POINTS)},
}


def points():
    """Rows of points around each ball: at the ends, on the edge, near the middle, and missing."""
    chance, radii = random.Random(5), [*RADII.values()]
    made = []
    for number in range(POINTS):
        row = {"i": number}
        for name, (low, high) in AXES.items():
            middle, near = (low + high) // 2, chance.randint(-2, 2)
            radius = radii[int(name[1])]
            some = [low, high, middle + near, middle + radius + near, chance.randint(low, high)]
            row[name] = chance.choice([*map(float, some), 1e300, None])
        made.append(row)
    return made


@pytest.fixture(scope="module", params=SERVERS)
def moved(request):
    """What a server makes of each point, and what to compare it with."""
    asked = tuple(
        found
        for number, radius in enumerate(RADII.values())
        for found in dp.mean([f"{axis}{number}" for axis in "xyz"], "i", ball=radius).aggregates(
            table([], unit=ROW, name="t", **IN_BALLS)
        )
    )
    kinds = [("i", pa.int32()), *((name, pa.float64()) for name in AXES)]
    source = placed(request.param, pa.Table.from_pylist(points(), schema=pa.schema(kinds)))
    return counted(source, asked, **IN_BALLS), asked


@pytest.mark.claim("C34")
@pytest.mark.parametrize("fault", balls.FAULTS)
def test_points_are_moved_as_in_the_reference(moved, fault, monkeypatch):
    """Row by row, in 64 bits and in 128; a broken ball of the reference gives other integers."""
    found, asked = moved
    monkeypatch.setattr(aggregate.Ball, "moved", balls.FAULTS[fault])
    if fault != "nothing":
        unguarded(monkeypatch)

    assert (counted(points(), asked, **IN_BALLS) == found) == (fault == "nothing")
    assert sum(map(any, found)) == len(RADII)


# products


COLUMNS = {**products.COLUMNS, "w": bounds(-(2**38), 2**38, step=1)}
WIDE = (Measure("cells", ("w",), (Term(3, ("w", "w")),)),)


def polynomials(seed):
    """Random polynomials of the values of the suite."""
    chance = random.Random(seed)
    for _ in range(12):
        values = tuple(chance.sample(products.VALUES, chance.randint(1, 3)))
        terms = [
            Term(chance.randint(-3, 3), tuple(chance.choices(values, k=chance.randint(0, 2))))
            for _ in range(3)
        ]
        yield Measure("cells", values, tuple(terms))


def multiplied():
    """Seventy rows, all with the same wide cell, of units of which each has few enough rows."""
    chance = random.Random(3)
    some = [None, -99.0, -4.0, -1.0, -0.5, 0.0, 0.25, 1.0, 2.5, 3.0, 4.0, 1e300, float("nan")]
    return [
        {
            "who": f"p{number % 40}",
            "k": chance.choice(["a", "b", "c", None]),
            "x": chance.choice(some),
            "y": chance.choice(some),
            "w": -(2.0**40),
        }
        for number in range(70)
    ]


def of_degree_two(whose):
    """Polynomials by group and in whole, and squares of 2^76."""
    limits = {} if whose == ROW else {"max_groups": 2, "max_rows_per_group": 2}
    both = [((), 1), (("k",), 2)]
    asked = [Aggregate(by, tuple(polynomials(n)), ONE, **limits) for by, n in both]
    return (*asked, Aggregate((), WIDE, ONE, **limits))


@pytest.mark.claim("C18")
@EACH
@pytest.mark.parametrize("whose", [ROW, FOUR], ids=["rows", "units"])
def test_products_are_added_as_in_the_reference(server, whose, monkeypatch):
    """Any terms of any values; a coarse grid that rounds down is seen."""
    kinds = [("who", pa.string()), ("k", pa.string()), *((n, pa.float64()) for n in "xyw")]
    how, asked = (
        {"unit": whose, "columns": COLUMNS, "keys": {"k": ["a", "b"]}},
        of_degree_two(whose),
    )
    source = placed(server, pa.Table.from_pylist(multiplied(), schema=pa.schema(kinds)))

    found = counted(source, asked, **how)

    assert found == counted(multiplied(), asked, **how)
    assert found[-1] == (210 * 2**76,)
    monkeypatch.setattr(
        Coarse, "of", lambda self, v, low, high: self.parts * (v - low) // (high - low)
    )
    assert found != counted(multiplied(), asked, **how)


# what a cell means


KEYS_THERE = {  # of a type of `test_meaning`: what Arrow calls it
    "VARCHAR": pa.string(),
    "DOUBLE": pa.float64(),
    "FLOAT": pa.float32(),
    "BIGINT": pa.int64(),
    "HUGEINT": pa.decimal128(38, 0),
    **{f"DECIMAL({n},{m})": pa.decimal128(n, m) for n, m in [(10, 2), (2, 2), (38, 18), (38, 38)]},
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us"),
    "TIMESTAMPTZ": pa.timestamp("us", "UTC"),
}


@EACH
def test_keys_match_by_their_value(server):
    """The table of `test_meaning`, a column for each of its lines, in one query."""
    every = [one for one in meaning.KEYS if one[0] in KEYS_THERE]
    longest = max(len(cells) for _, cells, _, _ in every)
    columns = {
        f"c{number}": pa.array([*cells, *[None] * (longest - len(cells))], KEYS_THERE[kind])
        for number, (kind, cells, _, _) in enumerate(every)
    }
    keys = {f"c{number}": keys for number, (_, _, keys, _) in enumerate(every)}
    asked = tuple(Aggregate((name,), (Measure("rows"),), ONE) for name in columns)

    found = counted(placed(server, pa.table(columns)), asked, keys=keys)

    assert found == [expected for *_, expected in every]
    assert len(every) >= 15


NUMBERS = {
    "v": (pa.float64(), meaning.NUMBERS),
    "b": (pa.bool_(), [(True, 1), (False, 0), (None, None)]),
    "l": (pa.int64(), [(2**62, 10), (-(2**62), -5), (3, 3)]),
    "d": (pa.decimal128(10, 2), [(Decimal("2.50"), 3), (Decimal("-2.51"), -3), (None, None)]),
}


@EACH
def test_a_number_has_one_meaning(server):
    """Each cell in a group of its own: clamped, halves up, missing if it is no finite number."""
    many = len(meaning.NUMBERS)
    rows = pa.table({
        "i": pa.array(range(many), pa.int32()),
        **{
            name: pa.array([*(cell for cell, _ in cells), *[None] * (many - len(cells))], kind)
            for name, (kind, cells) in NUMBERS.items()
        },
    })  # fmt: skip
    columns = {name: bounds(-5, 10, step=1) for name in NUMBERS}
    known = {"columns": columns, "keys": {"i": range(many)}}
    there = [
        (Measure("cells", (n,), (Term(1, (n,)),)), Measure("cells", (n,), (Term(1),)))
        for n in NUMBERS
    ]
    asked = tuple(Aggregate(("i",), both, ONE) for both in there)

    found = counted(placed(server, rows), asked, **known)

    for vector, (_, cells) in zip(found, NUMBERS.values(), strict=True):
        said = [(steps or 0, int(steps is not None)) for _, steps in cells]
        said += [(0, 0)] * (many - len(cells))
        assert [*zip(vector[::2], vector[1::2], strict=True)] == said


UNITS = {
    "text": (pa.string(), meaning.UNITS[1][1], 7),
    "numbers": (pa.int64(), [1, 1, -(2**63), 2**63 - 1, None], 3),
    "days": (pa.date32(), [date(1, 1, 1), date(9999, 12, 31), date(9999, 12, 31), None], 2),
}


@pytest.mark.parametrize("kind", UNITS)
@EACH
def test_a_unit_is_told_by_its_bytes(server, kind):
    """The empty text is somebody, a missing cell is nobody."""
    type_, cells, people = UNITS[kind]
    asked = (Aggregate((), (Measure("units"), Measure("rows")), ONE, max_rows_per_group=1),)
    source = placed(server, pa.table({"who": pa.array(cells, type_)}))

    (found,) = counted(source, asked, unit=unit("who", sampling="portable"))

    assert found == (people, people)


# missing cells


@pytest.mark.claim("C54")
@EACH
def test_one_unit_with_missing_cells_moves_no_vector_too_far(server):
    """The unit of most rows is exchanged for one whose cells are all missing."""
    data = missing.of_units(numbered(2))[:60]
    gone = max({row["i"] for row in data}, key=lambda who: sum(r["i"] == who for r in data))
    other = [
        dict.fromkeys(row, None) | {"i": row["i"]} if row["i"] == gone else row for row in data
    ]
    tables = [missing.declared(placed(server, arrow(rows)), missing.UNITS[1], "replace")
              for rows in (data, other)]  # fmt: skip
    some = [dp.mean("y", "t"), dp.count("m", where="x > 1")]
    asked = tuple(a for one in some for a in one.aggregates(tables[0]))

    before, after = (opened(engine_for(t.source).prepare(t, asked).count(1)) for t in tables)

    assert before != after
    assert is_within(asked, before, after)


@pytest.mark.claim("C112")
@EACH
def test_missing_cells_count_as_the_value_that_is_declared(server):
    """Against the same rows with that value written in their place."""
    parts = [(n % 2, n % 4) for n in range(len(complete.PLAIN))]
    both = {"k": [k for k, _ in parts], "w": [w for _, w in parts]}
    there = pa.table({**both, "v": pa.array(complete.NUMBERS, pa.float64())})
    written = pa.table({**both, "v": complete.PLAIN}).to_pylist()
    asked = [complete.STATISTICS[name] for name in ("mean", "covariance", "median")]

    def found(source, value):
        columns = {"v": bounds(0, 10, step=1, missing=value), "w": bounds(0, 3, step=1)}
        how = {"columns": columns, "keys": {"k": [0, 1]}}
        known = table([], unit=ROW, name="t", **how)
        return counted(source, tuple(a for q in asked for a in q.aggregates(known)), **how)

    assert found(placed(server, there), 4) == found(written, None)


# every statistic, in one query, with groups for other rows, shared bins and conditions


def every_statistic(known):
    """One question of each statistic that counts rows by group, and some that share a scan."""
    for name, one in LISTED.items():
        for options in islice(one.examples(known), 1):
            if not one.chooses:
                yield statistic_of({"statistic": name, **options, "by": ["ward"]})
    yield dp.histogram("cost", bins=[-3, 0.5, 9])
    yield dp.median("cost", "ward", bins=7)
    yield dp.count(["ward", "floor"], where="cost > 0 OR ward <> 'A'")


@EACH
def test_every_statistic_is_counted_as_in_the_reference(server):
    """Hostile rows, each a unit; listed groups, and one for every other row."""
    data = [{**row, "age": row["age"] or None} for row in HOSTILE]
    known = declared([], unit=ROW, other=True)
    asked = tuple(a for one in every_statistic(known) for a in one.aggregates(known))
    there = declared(placed(server, sources.arrow(data)), unit=ROW, other=True)

    found = opened(engine_for(there.source).prepare(there, asked).count(5))

    assert found == sources.by_memory(data, asked, 5, unit=ROW, other=True)
    assert all(map(any, found))


@pytest.mark.claim("C55")
@EACH
def test_a_lookup_finds_the_groups_of_the_reference(server):
    """By bytes: neither case, nor blanks, nor quotation marks make one key of two."""
    kinds = [("who", pa.int32()), ("zip", pa.string()), ("pay", pa.float64())]
    source = placed(server, pa.Table.from_pylist(lookups.ROWS, schema=pa.schema(kinds)))

    assert lookups.asked(lookups.ROWS, source)[1] == lookups.asked(lookups.ROWS)[1]


# the second look


GUARDED = pa.schema(
    [("who", pa.string()), ("k", pa.string()), ("x", pa.float64()), ("y", pa.float64())]
)
LIMITS = {"max_groups": 2, "max_rows_per_group": 2}
PEOPLE = unit("who", max_rows=3, sampling="portable")


def questions(found):
    """People, a point in a ball, bins and products; where rows are limited, what chooses no groups."""
    more = [dp.count("k"), dp.histogram("y", bins=3)] if found.unit.max_rows else []
    statistics = [
        *more,
        dp.count_units("k", **LIMITS), dp.mean(["x", "y"], "k", ball=3, **LIMITS),
        dp.histogram("x", "k", bins=3, **LIMITS),
    ]  # fmt: skip
    asked = tuple(a for one in statistics for a in one.aggregates(found))
    return (*asked, guard.squares(found, **LIMITS))


def pair(server):
    """The crowd with one unit more, and without."""
    return [
        placed(server, pa.Table.from_pylist(
            [{**row, "x": float(row["x"]), "y": float(row["y"])} for row in rows], schema=GUARDED))
        for rows in (guard.OTHERS + guard.ONE, guard.OTHERS)
    ]  # fmt: skip


def holds(sources, whose):
    """Whether one unit moves every vector as declared."""
    how = {"unit": whose, "columns": guard.COLUMNS, "keys": guard.KEYS}
    asked = questions(table([], name="t", **how))
    before, after = (counted(source, asked, **how) for source in sources)
    return is_within(asked, before, after)


@pytest.mark.claim("C35")
@EACH
def test_no_fault_before_the_second_look_moves_a_vector_too_far(server, monkeypatch):
    """All faults of the suite at once; without the second look one of them does harm."""
    sources, whose = pair(server), unit("who", sampling="portable")
    with monkeypatch.context() as patch:
        for fault in guard.FAULTS:
            fault(patch)
        assert holds(sources, whose)
    guard.forgets_limits(monkeypatch)
    unguarded(monkeypatch)
    assert not holds(sources, whose)


@pytest.mark.claim("C35")
@pytest.mark.parametrize("fault", guard.FAULTS, ids=lambda fault: fault.__name__)
def test_no_single_fault_on_postgres_moves_a_vector_too_far(fault, monkeypatch):
    """Each by itself, where rows of a unit are limited, too."""
    fault(monkeypatch)

    assert holds(pair("postgres"), PEOPLE)
