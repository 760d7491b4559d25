"""The query's text: it goes to other dialects, and holds nothing that engines read differently."""

import re

import pytest
import sqlglot
from sqlglot import exp

from discreet.engine.sql.dialect import DUCKDB, Dialect
from discreet.engine.sql.query import counting
from engine.test_engines_agree import HOWS, everything
from property.strategies import declared

KINDS = {
    "who": "VARCHAR",
    "ward": "VARCHAR",
    "floor": "DOUBLE",
    "cost": "DOUBLE",
    "age": "INTEGER",
}


def _xxhash(content):
    """The seam: another engine brings its own hash; the salt is a parameter of the query."""
    parts = [exp.Placeholder(this="salt"), *(part.copy() for part in content)]
    return exp.Anonymous(this="XXHASH64", expressions=parts)


def _md5(text):
    """The digest of a name, which each engine brings too."""
    return exp.Anonymous(this="MD5", expressions=[text])


def _plain(cell):
    return cell


def _bytewise(cell):
    return exp.Collate(this=cell, expression=exp.to_identifier("C", quoted=True))


SPARK = Dialect(
    hash_of=_xxhash, digest_of=_md5, bytes_as_text=_plain, as_bytes=_plain, as_text=_plain
)
POSTGRES = Dialect(
    hash_of=_xxhash, digest_of=_md5, bytes_as_text=_plain, as_bytes=_bytewise, as_text=_bytewise
)
DIALECTS = {"duckdb": DUCKDB, "spark": SPARK, "postgres": POSTGRES}


def query_of(how, dialect=DUCKDB):
    found = declared([], **how)
    source = exp.to_table("visits")
    asked = everything(**how)
    return counting(found, asked, kinds=KINDS, source=source, dialect=dialect).query


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("how", HOWS, ids=lambda how: str(how["unit"]))
def test_the_query_is_handed_to_other_engines(how, dialect):
    """One tree, one text a dialect, and each text is read back by its own dialect."""
    text = query_of(how, DIALECTS[dialect]).sql(
        dialect=dialect, unsupported_level=sqlglot.ErrorLevel.RAISE
    )

    assert len(sqlglot.parse(text, dialect=dialect)) == 1
    assert text.count("visits") == 1  # one scan of the source


@pytest.mark.parametrize("how", HOWS, ids=lambda how: str(how["unit"]))
def test_the_query_holds_nothing_that_engines_read_differently(how):
    """No remainder, no shift, no rounding function, no limit; every literal a whole number."""
    tree = query_of(how)

    kinds = (exp.Mod, exp.BitwiseLeftShift, exp.BitwiseRightShift, exp.Round, exp.Limit)
    assert not list(tree.find_all(*kinds, exp.TableSample, exp.First, exp.AnyValue))
    for division in tree.find_all(exp.Div):
        assert division.expression.is_type("double")
    numbers = [one.this for one in tree.find_all(exp.Literal) if not one.is_string]
    assert all(re.fullmatch("[0-9]+", number) for number in numbers)


def test_every_order_is_total_by_content():
    """Each window orders by the hash and then by all that the hash looks at, missing first."""
    for how in HOWS[1:]:
        windows = list(query_of(how).find_all(exp.Window))
        assert windows
        for window in windows:
            first, *rest = window.args["order"].expressions
            hashed = {c.name for c in first.find_all(exp.Column)}
            parted = {
                c.name for part in window.args["partition_by"] for c in part.find_all(exp.Column)
            }
            assert hashed == parted | {c.this.name for c in rest}
            assert all(one.args.get("nulls_first") for one in (first, *rest))


def test_a_row_as_the_unit_is_counted_without_windows_or_hashes():
    """No bounding where nothing can be bounded."""
    text = query_of(HOWS[0]).sql(dialect="duckdb")

    assert "OVER" not in text
    assert "HASH" not in text
    assert "$" not in text.replace(")? *$'", "")
