"""One unit on Postgres: every statistic of the catalog, hostile names, and faults that must be seen.

Two tables of one connection are neighbors: `before` has one unit more than `after`, or another one.
"""

import random

import pytest

from adversarial.moves import exceeds, move, options
from adversarial.test_engine_injection import HOSTILE, quoted
from adversarial.test_one_unit import QUERIES
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.schema import ROW, bounds, table, unit
from discreet.statistic.catalog import STATISTICS, statistic_of
from discreet.statistic.count import count, count_units
from discreet.statistic.histogram import histogram
from discreet.statistic.mean import mean
from discreet.statistic.sum import sum_
from engine.sources import NAMES, NUMBERS, arrow, opened
from engine.unguarded import unguarded
from property.strategies import COLUMNS, KEYS
from servers import connected, filled

KINDS = {name: "double precision" if name in NUMBERS else "text" for name in NAMES}
UNITS = ["ann", "Ann", "ann ", "e\u0301", "\u00e9", "a|b", "n|", "o'hara; --", "%s", "", None]
CELLS = {
    "ward": ["A", "B", "it's", "C;\n", "a", "A ", None],
    "floor": [0.0, 1.0, 2.0, -0.0, 3.0, None],
    "cost": [0.0, -0.0, 2.25, -7.0, 99.0, 1e307, -1e308, 5e-324, float("inf"), float("nan"), None],
    "age": [0.0, 0.5, 2.0, -5e-324, 1e308, None],
}
WHERE = "(cost > 0 OR ward <> 'A') AND age IS NOT NULL"


def rows_of(who, many, seed):
    """Rows of hostile cells, of these units."""
    pick = random.Random(seed)
    made = [{name: pick.choice(cells) for name, cells in CELLS.items()} for _ in range(many)]
    return [{"who": pick.choice(who), **row} for row in made]


def neighbors(source, before, after):
    """Both tables in the schema of a connection."""
    for name, rows in (("before", before), ("after", after)):
        source.execute(f"DROP TABLE IF EXISTS {name}")
        source.execute(f"CREATE TABLE {name} ({', '.join(f'{n} {k}' for n, k in KINDS.items())})")
        with source.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN") as copy:
            for row in arrow(rows).to_pylist():
                copy.write_row([row[column] for column in KINDS])
    return source


OTHERS, NEW = rows_of(UNITS, 60, 1), rows_of(["new"], 25, 2)
MOVED = {  # of a relation: what its neighbor has in the place of the new unit
    "add_remove": [],
    "replace": rows_of(["newer"], 25, 3),
}


TURNS = [([*MOVED][number % 2], name) for number, name in enumerate(STATISTICS)]


@pytest.fixture(scope="module", params=MOVED)
def pair(request):
    """The neighbors of a relation; the rows of the second in another order."""
    after = [*OTHERS, *MOVED[request.param]][::-1]
    return request.param, neighbors(connected(), [*NEW, *OTHERS], after)


def counted(source, name, asked, salt, **how):
    found = table(source, name=name, columns=COLUMNS, keys=KEYS, **how)
    aggregates = tuple(one for question in asked for one in question(found))
    return aggregates, opened(engine_for(source).prepare(found, aggregates).count(salt))


def compared(source, asked, salt, **how):
    """The vectors of both neighbors, and what they are of."""
    aggregates, before = counted(source, "before", asked, salt, **how)
    _, after = counted(source, "after", asked, salt, **how)
    return [
        (one.transform.applied(a), one.transform.applied(b), one) if one.transform else (a, b, one)
        for one, a, b in zip(aggregates, before, after, strict=True)
    ]


def too_far(source, asked, *salts, guarded=False, **how):
    """Which vectors move further than declared; some move, but where a second look cuts units off."""
    pairs = [pair for salt in salts for pair in compared(source, asked, salt, **how)]
    assert guarded or any(a != b for a, b, _ in pairs)
    return [one for a, b, one in pairs if exceeds(move(a, b), one.sensitivity)]


def questions(name, found):
    """A few plain questions of one statistic, drawn from all, that this table allows."""
    every = options(
        name, found, bys=[[], ["ward"]], columns=["cost", "age"], bins=[3], limits=[1, 2]
    )
    some, made = [*every], []
    random.Random(name).shuffle(some)
    for plain in some:
        for one in (plain, plain | {"where": WHERE}):
            try:
                statistic_of(one).aggregates(found)
            except (InputError, TypeError):
                continue
            made.append(lambda known, plain=one: statistic_of(plain).aggregates(known))
        if len(made) >= 4:
            break
    return made


@pytest.mark.exhaustive
@pytest.mark.claim("C07")
@pytest.mark.slow
@pytest.mark.parametrize(("pair", "name"), TURNS, indirect=["pair"])
def test_one_unit_moves_no_vector_of_the_catalog_too_far(name, pair):
    """In one query: several limits, with and without a condition; the relations take turns.

    Of the new unit's 25 rows four stay, which may have no cell that counts, with one salt or other.
    """
    relation, source = pair
    how = {"unit": unit("who", max_rows=4), "neighbors": relation}
    asked = questions(name, table([], name="t", columns=COLUMNS, keys=KEYS, **how))

    assert asked
    assert too_far(source, asked, 7, 8, 9, **how) == []


@pytest.mark.exhaustive
@pytest.mark.claim("C07")
@pytest.mark.parametrize("salt", [0, 5, 2**64 - 1])
def test_one_unit_without_a_limit_of_rows_moves_no_vector_too_far(salt, pair):
    """Groups and rows of each are limited by the questions alone."""
    relation, source = pair
    limits = {"max_groups": 2, "max_rows_per_group": 2}
    asked = [
        one.aggregates
        for by in ("ward", ["ward", "floor"])
        for one in (
            count(by, **limits),
            count_units(by, **limits),
            mean(["cost", "age"], by, ball="1.5", **limits),
            histogram("cost", by, bins=[-3, 0, 9], **limits),
        )
    ]

    assert too_far(source, asked, salt, unit=unit("who"), neighbors=relation) == []


FAULTS = ["forgets to clamp", "keeps twice as many rows", "drops a question's limits"]


@pytest.mark.claim("C07")
@pytest.mark.parametrize("fault", ["nothing", *FAULTS])
def test_a_query_with_a_planted_fault_is_caught(fault, monkeypatch):
    """The check has power on Postgres; with the second look the same faults do no harm."""
    how = {"unit": unit("who", max_rows=3)}
    ann = [{"who": "ann", "ward": w, "floor": 1.0, "cost": 1e9, "age": 1.0} for w in KEYS["ward"]]
    others = [{**row, "who": f"p{n % 9}", "cost": 1.0} for n, row in enumerate(ann * 9)]
    source = neighbors(connected(), ann * 3 + others, others)
    limits = {"max_groups": 1, "max_rows_per_group": 1}
    asked = [
        one.aggregates
        for one in (sum_("cost", "ward"), count("ward", **limits), count_units("ward", **limits))
    ]
    monkeypatch.setattr(*QUERIES[fault])

    assert too_far(source, asked, 3, guarded=True, **how) == []
    unguarded(monkeypatch)
    assert (too_far(source, asked, 3, **how) == []) == (fault == "nothing")


LONGEST = 60  # bytes of a name of PostgreSQL, less what is added here


@pytest.mark.claim("C83")
def test_hostile_names_are_columns_and_hostile_keys_are_groups():
    """As the table, the unit, a column and a key at once; the canary table stands after it."""
    source = filled({"a": "int"}, [(42,)], name="canary")
    for name in [one for one in HOSTILE if len(one.encode()) < LONGEST][::3]:
        who, key, value = columns = [f"{name}{end}" for end in ("", " k", " v")]
        kinds = ("text", "text", "float8")
        listed = ", ".join(f"{quoted(c)} {kind}" for c, kind in zip(columns, kinds, strict=True))
        source.execute(f"CREATE TABLE {quoted(name + 't')} ({listed})")
        rows = [("ann", name, 1), ("bob", name, 2), ("bob", "other", 3), (None, name, 3)]
        with source.cursor() as cursor:
            marks = cursor.copy(f"COPY {quoted(name + 't')} FROM STDIN")
            with marks as copy:
                for row in rows:
                    copy.write_row(row)
        found = table(
            source,
            name=f"{name}t",
            unit=unit(who, max_rows=2),
            columns={value: bounds(0, 4, step=1)},
            keys={key: [name, f"{name}'"]},
        )
        asked = [count(key), histogram(value, key, bins=2)]
        aggregates = tuple(a for one in asked for a in one.aggregates(found))

        counts, bins = opened(engine_for(source).prepare(found, aggregates).count(4))

        assert (counts, bins) == ((2, 0), (1, 1, 0, 0)), name
        assert found.unit != ROW
    assert source.execute("SELECT a FROM canary").fetchall() == [(42,)]
