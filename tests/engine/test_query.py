"""The query's text: it goes to other dialects, and holds nothing that engines read differently."""

import re
from dataclasses import replace

import pytest
import sqlglot
from sqlglot import exp

from discreet.engine.postgres import dialect as of_postgres
from discreet.engine.postgres.dialect import POSTGRES
from discreet.engine.spark.connection import plainly
from discreet.engine.spark.dialect import SPARK, dialect_of
from discreet.engine.sql.dialect import DUCKDB
from discreet.engine.sql.dialect_rewrites import spoken
from discreet.engine.sql.portable import PORTABLE
from discreet.engine.sql.query import counting
from discreet.errors import InputError
from discreet.schema import ROW, unit
from discreet.sums import ROWS
from engine.test_engines_agree import HOWS, everything
from property.strategies import declared

KINDS = {
    "who": "VARCHAR",
    "ward": "VARCHAR",
    "floor": "DOUBLE",
    "cost": "DOUBLE",
    "age": "INTEGER",
}


DIALECTS = {"duckdb": DUCKDB, "portable": PORTABLE, "postgres": POSTGRES, "spark": SPARK}


def query_of(how, dialect=DUCKDB):
    found = declared([], **how)
    source = exp.to_table("visits")
    asked = everything(**how)
    return counting(found, asked, kinds=KINDS, source=source, dialect=dialect).query


@pytest.mark.exhaustive
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("how", HOWS, ids=lambda how: str(how["unit"]))
def test_the_query_is_handed_to_other_engines(how, dialect):
    """One tree, one text a dialect, and each text is read back by its own dialect."""
    of = DIALECTS[dialect]
    text = spoken(query_of(how, of), of).sql(
        dialect=of.name, unsupported_level=sqlglot.ErrorLevel.RAISE
    )

    assert len(sqlglot.parse(text, dialect=of.name)) == 1
    assert text.count("visits") == 1  # one scan of the source


@pytest.mark.exhaustive
@pytest.mark.parametrize("unit_is", ["VARCHAR", "BIGINT"])
@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "spark"])
@pytest.mark.parametrize("how", HOWS, ids=lambda how: str(how["unit"]))
def test_no_two_parts_of_the_query_share_a_node(how, dialect, unit_is):
    """Each node has the parent that holds it, so that what is exchanged in one place stays there."""
    how = {**how, "unit": replace(how["unit"], sampling="portable") if how["unit"].column else ROW}
    table, kinds = declared([], **how), {**KINDS, "who": unit_is}
    ways = {"postgres": of_postgres.dialect_of, "spark": dialect_of}
    of = ways[dialect](table, [kinds]) if dialect in ways else PORTABLE
    source = exp.to_table("visits")
    query = counting(table, everything(**how), kinds=kinds, source=source, dialect=of).query

    for tree in (query, spoken(query, of)):
        seen, found = set(), [tree]
        for node in found:
            assert id(node) not in seen
            seen.add(id(node))
            below = list(node.iter_expressions())
            assert all(one.parent is node for one in below)
            found += below


@pytest.mark.parametrize("how", HOWS, ids=lambda how: str(how["unit"]))
def test_the_query_holds_nothing_that_engines_read_differently(how):
    """No remainder, no rounding function, no limit; every literal a whole number.

    One is shifted by the last six binary digits of a number, which each engine says for itself
    (`Speed.takes`, tests/engine/test_quick_look.py); nothing else is.
    """
    tree = query_of(how)

    for shift in tree.find_all(exp.BitwiseLeftShift):
        places = shift.expression.find(exp.BitwiseAnd)
        assert (shift.this.find(exp.Literal).this, places.expression.this) == ("1", "63")
    kinds = (exp.Mod, exp.BitwiseRightShift, exp.Round, exp.Limit)
    assert not list(tree.find_all(*kinds, exp.TableSample, exp.First, exp.AnyValue))
    for division in tree.find_all(exp.Div):
        assert division.expression.is_type("double")
    numbers = [one.this for one in tree.find_all(exp.Literal) if not one.is_string]
    assert all(re.fullmatch("[0-9]+", number) for number in numbers)


def test_every_order_is_total_by_content():
    """Each window orders by the hash and then by all that the hash looks at, missing first."""
    for how in [how for how in HOWS if how["unit"] != ROW]:
        windows = list(query_of(how).find_all(exp.Window))
        assert windows
        for window in windows:
            order = window.args["order"].expressions
            plain = {one.this.name for one in order if isinstance(one.this, exp.Column)}
            read = {c.name for one in order for c in one.find_all(exp.Column)}
            parted = {
                c.name for part in window.args["partition_by"] for c in part.find_all(exp.Column)
            }
            if "h" not in plain and isinstance(order[0].this, exp.Column):
                assert plain == read  # numbers equal rows: whichever is first, they are equal
                continue
            hashed = parted if "h" in plain else set()  # named once, below
            assert (read | hashed) - {"h"} == parted | (plain - {"h"})
            assert "h" in plain or not isinstance(order[0].this, exp.Column)
            assert all(one.args.get("nulls_first") for one in order)
        rows = next(r for r in query_of(how).ctes if r.alias == "discreet_rows").this
        content = {one.alias_or_name for one in rows.selects}
        for named in query_of(how).find_all(exp.Alias):
            if named.alias == "h":  # the order of groups, or what rows are left out by
                read = {c.name for c in named.this.find_all(exp.Column)} - {"a", "h"}
                of_group = {"u", "g"} | {name for name in read & content if name[0] == "q"}
                assert read in (of_group, content, set())


def test_a_row_as_the_unit_is_counted_without_windows_or_hashes():
    """No bounding where nothing can be bounded."""
    text = query_of(HOWS[0]).sql(dialect="duckdb")

    assert "OVER" not in text
    assert "HASH" not in text
    assert "$" not in text.replace(")? *$'", "")


@pytest.mark.claim("C84")
def test_a_sum_on_spark_that_may_pass_63_bits_is_a_decimal():
    """Up to a million billion rows, in two parts where each of them cannot pass 63 bits.

    What may pass 38 digits is refused before the charge.
    """
    most = (2**63 - 1) // ROWS
    longest = (most - 1) * 2**13 + 2**13 - 1
    sizes = (most, most + 1, longest, longest + 1)
    said = [SPARK.total(exp.column("x"), size).sql("spark") for size in sizes]

    parts = "CAST(SUM(SHIFTRIGHT(CAST(x AS BIGINT), 13)) AS DECIMAL(38, 0)) * 8192"
    in_two = f"({parts} + SUM(CAST(x AS BIGINT) & 8191))"
    alone = "SUM(CAST(x AS BIGINT))", "SUM(CAST(x AS DECIMAL(38, 0)))"
    assert said == [alone[0], in_two, in_two, alone[1]]
    assert ROWS * (longest // 2**13 + 1) < 2**63
    assert ROWS * (2**13 - 1) < 2**63
    with pytest.raises(InputError, match="38 digits"):
        SPARK.total(exp.column("x"), 10**38 // ROWS)


@pytest.mark.claim("C199")
def test_spark_hashes_the_salt_the_unit_and_what_is_missing():
    """Spark's own hash passes over NULL; `test_hash_of_spark` tries that it is even."""
    dialect = dialect_of(declared([], unit=unit("who", max_rows=2)), [{"who": "BIGINT"}])
    said = dialect.hash_of([exp.column("u"), exp.column("g")]).sql("spark")

    salt = "CAST((CAST(CAST(:salt AS STRING) AS DECIMAL(20, 0)) - 9223372036854775808) AS BIGINT)"
    assert said == f"XXHASH64({salt}, u, COALESCE(g, -4611686018427387905))"
    assert dialect.unit_text is None


@pytest.mark.claim("C51")
def test_spark_is_asked_for_the_floor_of_small_doubles_only():
    """Its floor is one of 64 bits, and raises beyond; `test_doubles_on_servers` tries that none does."""
    found = declared([], unit=ROW).where("floor(age / 2) = 1")
    asked = everything(unit=ROW)[:1]
    source = exp.to_table("visits")
    query = counting(found, asked, kinds=KINDS, source=source, dialect=SPARK).query

    floors = [one for one in query.find_all(exp.Floor) if one.find_ancestor(exp.Where)]
    assert floors
    assert all(one.find_ancestor(exp.If) for one in floors)


@pytest.mark.claim("C51")
@pytest.mark.parametrize("text", ["${spark.app.name}", "a\\b", "it's", "\0", "\u00e9", "`", "a/b"])
def test_a_text_for_spark_is_written_by_its_bytes(text):
    """A session may read it in another way; `test_spark_settings` tries that it does not."""
    query = plainly(exp.select(exp.Literal.string(text), exp.Literal.string("n")))

    assert query.sql("spark") == f"SELECT CAST(X'{text.encode().hex()}' AS STRING), 'n'"
