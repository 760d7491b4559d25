"""Spark row by row: what people write, in one query a list; and lists of keys that are the data.

It runs where Spark is installed: `make spark`.
"""

from dataclasses import replace

import pytest
from poison.spark_rows import LISTS, Covered, listed

import discreet as dp
from discreet.engine.sql.expression_sql import MAKERS
from discreet.errors import InputError
from servers import spark

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
NO_ROW = {"compose"}  # of several columns whose keys are found: no expression has it


@pytest.mark.claim("C51")
def test_every_listed_expression_is_on_spark_what_the_reference_gives(monkeypatch):
    """For each row to the last bit; the lists have every operator that there is."""
    monkeypatch.setattr("poison.spark_rows._session", spark)
    covered = Covered()

    assert [*listed(covered)] == []
    assert {*MAKERS} - NO_ROW <= covered.operators
    assert covered.expressions > 75 * len(LISTS)


@pytest.mark.claim("C51")
def test_an_operator_that_spark_is_told_wrongly_would_be_seen(monkeypatch):
    """The comparison has power: < in the place of <= is found by cells that are equal."""
    less = MAKERS["<"]
    monkeypatch.setattr("poison.spark_rows._session", spark)
    monkeypatch.setattr("poison.spark_rows.LISTS", LISTS[-1:])
    monkeypatch.setitem(MAKERS, "<=", lambda layers, tree: less(layers, replace(tree, op="<")))

    assert [*listed()]


@pytest.mark.claim("C451")
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_keys_from_the_file_that_a_frame_reads_are_refused(form, tmp_path):
    """Before anything is charged, whatever the frame made of the file; another file is taken."""
    (tmp_path / "zips.csv").write_text("zip\na\nb\n")
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "part.csv").write_text("zip\na\nc\n")
    frame = spark().read.option("header", "true").csv(str(tmp_path / "people"))
    if form == "parquet":
        frame.coalesce(1).write.parquet(str(tmp_path / "people.parquet"))
        frame = spark().read.parquet(str(tmp_path / "people.parquet"))

    def release(name):
        keys = dp.keys(file=tmp_path / name, column="zip")
        plan = dp.plan(
            dp.table(frame, unit="row", keys={"zip": keys}, name="people", vouched="a file"),
            dp.count("zip"),
            spend=dp.zcdp("1/50"),
        )
        return dp.run(plan, ledger=dp.ledger(tmp_path / f"{form}.ledger", budget=dp.zcdp(1)))

    assert len(release("zips.csv").table()) == 2
    if form == "csv":
        with pytest.raises(InputError, match="which is the data"):
            release("people/part.csv")
        assert dp.ledger(tmp_path / "csv.ledger").spent() == dp.zcdp("1/50")
