"""Which table a name means on DuckDB and Postgres: one, or the refusal says how each is written."""

import re

import duckdb
import pandas as pd
import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.engine.table_names import of_two, quoted, readings
from discreet.errors import InputError
from engine.sources import opened
from servers import connected, filled

pytestmark = pytest.mark.claim("C281")


def rows_of(source, name):
    """How many rows the table of that name has."""
    table = dp.table(source, name=name, unit="row")
    ((count,),) = opened(engine_for(source).prepare(table, dp.count().aggregates(table)).count(1))
    return count


def written(error):
    """The names that a refusal says to type, as Python reads them."""
    return re.findall(
        r"name='([^']*)'", error.fix_text if hasattr(error, "fix_text") else f"{error}"
    )


def postgres():
    source = connected()
    (schema,) = source.execute("SELECT current_schema()").fetchone()
    return source, schema


def made(source, name, rows, *, temporary=False):
    kind = "TEMPORARY TABLE" if temporary else "TABLE"
    source.execute(f"CREATE {kind} {name} AS SELECT * FROM generate_series(1, {rows}) AS s(n)")


def test_a_temporary_table_of_the_session_is_found():
    """By its name alone, and with the schema that each session calls its own."""
    source, _ = postgres()
    made(source, "lone", 3, temporary=True)

    assert [rows_of(source, name) for name in ("lone", "pg_temp.lone", '"pg_temp"."lone"')] == [
        3
    ] * 3


def test_one_of_another_session_is_not():
    """It would be refused by the server, after the charge."""
    source, _ = postgres()
    made(source, "lone", 3, temporary=True)
    (schema,) = source.execute(
        "SELECT nspname::text FROM pg_namespace WHERE oid = pg_my_temp_schema()"
    ).fetchone()

    with pytest.raises(InputError, match="has no table"):
        rows_of(postgres()[0], f"{schema}.lone")


def test_a_temporary_table_shadows_none_without_a_word():
    """Each of the two lines counts the table that it names."""
    source, schema = postgres()
    made(source, "t", 2)
    made(source, "t", 3, temporary=True)

    with pytest.raises(InputError, match="more than one table") as caught:
        rows_of(source, "t")

    counted = {name: rows_of(source, name) for name in written(caught.value)}
    assert counted == {f'"{schema}"."t"': 2, '"pg_temp"."t"': 3}
    assert rows_of(source, f"{schema}.t") == 2


def test_a_point_in_a_name_is_one_of_the_table_or_before_it():
    """A table called a.b, and b in a schema called a: alone each is found, together neither."""
    source, schema = postgres()
    made(source, f'"{schema}.b"', 2)  # in the session's schema
    assert rows_of(source, f"{schema}.b") == 2

    made(source, "b", 3)
    with pytest.raises(InputError, match="more than one table") as caught:
        rows_of(source, f"{schema}.b")

    counted = {name: rows_of(source, name) for name in written(caught.value)}
    assert counted == {f'"{schema}"."{schema}.b"': 2, f'"{schema}"."b"': 3}
    assert (rows_of(source, "b"), rows_of(source, f'"{schema}.b"')) == (3, 2)


def test_the_first_schema_of_the_path_comes_first_as_on_the_server():
    """The same name in a later one is no other meaning of it."""
    source, schema = postgres()
    made(source, "t", 2)
    source.execute(f"CREATE SCHEMA {schema}_2")
    source.execute(f"SET search_path = {schema}_2, {schema}")
    made(source, "t", 3)

    assert [rows_of(source, name) for name in ("t", f"{schema}.t")] == [3, 2]


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1", "EUC_JP", "UTF8"])
def test_a_table_is_found_whatever_encoding_the_session_has(encoding):
    """And the session has it still."""
    source = filled({"k": "text"}, [("é",), ("日",)])
    (schema,) = source.execute("SELECT current_schema()").fetchone()
    source.execute(f'ALTER SCHEMA {schema} RENAME TO "{schema}日"')
    source.execute(f'SET search_path = "{schema}日"')
    source.execute(f"SET client_encoding = '{encoding}'")
    table = dp.table(source, name="t", unit="row", keys={"k": ["é", "日"]})

    found = engine_for(source).prepare(table, dp.count("k").aggregates(table)).count(1)

    assert opened(found) == [(1, 1)]
    assert source.info.parameter_status("client_encoding") == encoding


@pytest.mark.parametrize("kind", ["char(3)", "bpchar", "char(9)"])
def test_a_cell_of_fixed_length_is_the_text_without_the_blanks_that_fill_it_up(kind):
    """As a key, as a key that is found, as a unit, in a condition and where tables are joined."""
    source = filled({"k": kind, "u": kind}, [("DE", "x"), ("DE ", "x "), ("FR", "y"), (" F", "y")])
    source.execute("CREATE TABLE o (u text, n int); INSERT INTO o VALUES ('x', 1), ('y', 2)")

    def of(*asked, **how):
        how = {"unit": dp.unit("u", max_rows=9), "name": "t", **how}
        table = dp.table(source, **how)
        found = engine_for(source).prepare(
            table, tuple(a for q in asked for a in q.aggregates(table))
        )
        return opened(found.count(5))

    assert of(dp.count("k"), keys={"k": ["DE", "FR", " F"]}) == [(2, 1, 1)]
    assert of(dp.count_units(where="k = 'DE'"), dp.count(where="k = 'DE '")) == [(1,), (0,)]
    joined = dp.table(source, name="t", unit=dp.unit("u", max_rows=9), keys={"n": [1, 2]}).joined(
        dp.join(source, name="o", gives=["n"], on="u")
    )
    found = engine_for(source).prepare(joined, dp.count("n").aggregates(joined))
    assert opened(found.count(5)) == [(2, 2)]


def test_keys_of_a_column_of_fixed_length_are_refused_with_blanks_at_their_ends():
    """No value there ends in one; the fix is followed in test_postgres, by the keys of char(3)."""
    source = filled({"k": "char(3)"}, [("DE",)])
    table = dp.table(source, name="t", unit="row", keys={"k": ["DE ", "FR "]})

    with pytest.raises(InputError, match="ends in a blank"):
        engine_for(source).prepare(table, dp.count("k").aggregates(table))


def duck():
    source = duckdb.connect()
    source.execute("CREATE TABLE t AS FROM range(2)")
    return source


def test_on_duckdb_what_one_connection_sees_alone_is_refused_by_that_reason():
    """With a stored table of that name, and without; the stored one by its full name."""
    source = duck()
    source.execute("CREATE TEMPORARY TABLE t AS FROM range(3)")
    source.execute("CREATE TEMPORARY TABLE lone AS FROM range(4)")
    source.register("frame", pd.DataFrame({"n": [1, 2, 3, 4, 5]}))

    said = {}
    for name in ("t", "main.t", "lone", "temp.lone", "temp.main.lone", "frame"):
        with pytest.raises(InputError, match="temporary table or a frame") as caught:
            rows_of(source, name)
        said[name] = f"{caught.value}"

    assert '"memory"."main"."t"' in said["t"]
    assert rows_of(source, '"memory"."main"."t"') == rows_of(source, "memory.main.t") == 2
    for name, rows in {"t": 3, "lone": 4}.items():
        (own,) = re.findall(r"connection\.table\('(.*?)'\)", said[name])
        assert rows_of(source.table(own), name) == rows


def test_a_result_that_is_open_on_the_connection_stays_open():
    """The connection binds a name, and runs nothing."""
    source = duck()
    open_ = source.execute("FROM range(1000000)")
    open_.fetchone()

    assert rows_of(source, "t") == 2
    assert open_.fetchone() == (1,)


def test_on_duckdb_a_point_is_read_in_every_way_too():
    """Of a database, a schema and a table."""
    source = duck()
    source.execute("CREATE SCHEMA a; CREATE TABLE a.b AS FROM range(3)")
    assert rows_of(source, "a.b") == rows_of(source, "memory.a.b") == 3

    source.execute('CREATE TABLE "a.b" AS FROM range(4)')
    with pytest.raises(InputError, match="more than one table") as caught:
        rows_of(source, "a.b")

    counted = {name: rows_of(source, name) for name in written(caught.value)}
    assert counted == {'"memory"."main"."a.b"': 4, '"memory"."a"."b"': 3}


@pytest.mark.parametrize("part", ["t", "a.b", '"', '""', 'a"b', "a b", "É", "'", "\\", ".", "a."])
def test_what_is_written_in_quotation_marks_is_read_in_one_way(part):
    """Whatever a part holds; with two parts beside it, too."""
    for parts in ((part,), ("s", part), (part, "t"), (part, part, part)):
        assert readings(quoted(parts), 3) == [parts]
        assert quoted(parts) in f"{of_two(part, [parts])}".replace("\\'", "'").replace("\\\\", "\\")


def test_a_name_without_quotation_marks_is_read_in_every_way():
    """Up to as many parts as a full name has; no part is empty."""
    assert readings("a.b.c", 2) == [("a.b.c",), ("a", "b.c"), ("a.b", "c")]
    assert ("a", "b", "c") in readings("a.b.c", 3)
    assert readings(".a", 2) == [(".a",)]
