"""A connection of the user's with little memory: what is told is what the ledger holds."""

import duckdb
import pytest

import discreet as dp
from discreet.errors import EngineError

MEBI = 2**20


@pytest.mark.slow
def test_a_connection_with_little_memory_ends_in_three_lines(tmp_path):
    """Before the charge nothing is paid, after it the charge is named and stays; no word of DuckDB's."""
    outcomes = []
    with duckdb.connect() as source:
        source.execute(
            "CREATE TABLE t AS SELECT range // 3 AS u, range % 7 AS k FROM range(600_000)"
        )
        source.execute("SET temp_directory = ''")
        source.execute("CHECKPOINT")
        table = dp.table(source, name="t", unit=dp.unit("u", max_rows=2), keys={"k": range(7)})
        plan = dp.plan(table, dp.count("k"), spend=dp.zcdp("1/10"))
        for size in range(10, 40, 4):
            try:
                source.execute(f"SET memory_limit = '{size * MEBI}B'")
            except duckdb.OutOfMemoryException:
                continue  # the table alone is larger
            ledger = dp.ledger(tmp_path / f"{size}.ledger", budget=dp.zcdp(1), subject="t")
            outcomes.append(outcome(plan, ledger))
        limit = source.execute("SELECT current_setting('memory_limit')").fetchone()

    assert {"nothing was charged", "answered"} <= {*outcomes}
    assert limit == ("38.0 MiB",)  # a setting of the user's stays


def outcome(plan, ledger):
    told = ""
    try:
        dp.run(plan, ledger=ledger)
    except EngineError as error:
        told = str(error)
    states = [row.state for row in ledger.book().rows()]
    if not told:
        return "answered"
    assert len(told.splitlines()) == 3
    assert "MiB" not in told
    assert ("charge 1 stays spent" in told) is (states == ["open"])
    return "a charge stays" if states else "nothing was charged"
