"""Releases over keys that are found on a server: refused early, paid once, true to their bounds.

What a pool of such keys holds is tried in `test_pools_on_servers`.
"""

import psycopg
import pyarrow as pa
import pytest

import discreet as dp
from adversarial.moves import exceeds, move
from discreet.engine.postgres.connection import PostgresConnection
from discreet.engine.select_engine import engine_for
from discreet.errors import DiscreetError, EngineError, InputError
from engine.test_pools_on_servers import PAIRS, WORDS, declared, in_postgres, made
from servers import connected, dsn, placed

pytestmark = pytest.mark.claim("C140")


@pytest.mark.claim("C170")
@pytest.mark.slow
@pytest.mark.parametrize("server", ["postgres", "spark"])
def test_the_best_of_keys_that_are_found_are_told(server, tmp_path):
    """Found on the server, then chosen from; all other words have more rows, and are no choice."""
    words = ["a"] * 300 + ["é"] * 200 + ["it's"] * 100 + [f"rare {n}" for n in range(900)]
    rows = [{"who": f"p{n}", "word": word} for n, word in enumerate(words)]
    source = placed(server, pa.Table.from_pylist(rows))
    spend = dp.approx(60, "1e-6")
    ledger = dp.ledger(tmp_path / "t.ledger", budget=spend, subject="t")
    plan = dp.plan(
        declared(source), dp.top_k("word", 2, max_groups=1, max_rows_per_group=1), spend=spend
    )

    release = dp.run(plan, ledger=ledger)

    assert [row["word"] for row in release["top_k 2 by word"].rows] == ["a", "é"]
    assert dp.verify(release, ledger=ledger).checks
    assert dp.run(plan, ledger=ledger).repeated


REFUSED = {  # of what is made: what the message says
    "CREATE TABLE t (who text, word double precision)": "its keys are to be found",
    "CREATE TABLE t (who text, word name)": "its keys are to be found",
    "CREATE TABLE t (who text, word date)": "its keys are to be found",
    "CREATE TABLE t (who double precision, word text)": "do not hash alike",
    "CREATE TABLE t (who text, words text)": "has no column 'word'",
    "CREATE VIEW t AS SELECT 'a' AS who, 'b' AS word": "is a view",
}


@pytest.mark.parametrize("made_", REFUSED)
def test_keys_that_cannot_be_found_are_refused_before_the_charge(made_):
    """By names and types alone, and by what the server itself refuses."""
    source = connected()
    source.execute(made_)

    with pytest.raises(InputError, match=REFUSED[made_]):
        engine_for(source).pooling(declared(source), PAIRS)


def planned(source):
    """Units of each word."""
    return dp.plan(declared(source), dp.count_units(by="word"), spend=dp.approx(8, "1e-4"))


def test_a_release_over_found_keys_is_paid_once_and_repeats(tmp_path):
    """From a table of the server to a release: keys, the numbers beside them, and the repeat."""
    source = in_postgres(made(6, units=200, many=2_000))
    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.approx(20, "1e-3"), subject="t")

    release = dp.run(planned(source), ledger=ledger)

    rows = release["count_units by word"].rows
    assert rows[-1]["word"] == "other"
    assert {"a", "A"} <= {row["word"] for row in rows}
    assert dp.run(planned(source), ledger=ledger).repeated
    assert source.info.transaction_status == 0


def test_a_server_that_goes_away_between_two_rounds_costs_what_the_ledger_says(
    tmp_path, monkeypatch
):
    """The charge stays, the message names it, and of the data it says nothing."""
    source = in_postgres(made(7))
    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.approx(20, "1e-3"), subject="t")
    fixed = PostgresConnection.fixed

    def gone(self, pairs, salt):
        with psycopg.connect(dsn(), autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", [source.info.backend_pid])
        return fixed(self, pairs, salt)

    monkeypatch.setattr(PostgresConnection, "fixed", gone)
    with pytest.raises(DiscreetError, match=r"charge") as caught:
        dp.run(planned(source), ledger=ledger)

    assert "CANARY" not in repr(caught.value)
    assert ledger.left() != dp.approx(20, "1e-3")
    assert [entry.kind for entry in ledger.book().entries] == ["charge"]


def test_a_round_that_takes_too_long_says_what_was_charged_and_what_to_type(tmp_path, monkeypatch):
    """The server ends the first round after the charge, which waits for a lock of another session."""
    source = in_postgres(made(7))
    (schema,) = source.execute("SELECT current_schema()").fetchone()
    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.approx(20, "1e-3"), subject="t")
    fixed = PostgresConnection.fixed

    with psycopg.connect(dsn()) as other:

        def locked(self, pairs, salt):
            other.execute(f"LOCK TABLE {schema}.t")
            monkeypatch.setenv("DISCREET_TIMEOUT", "300ms")
            return fixed(self, pairs, salt)

        monkeypatch.setattr(PostgresConnection, "fixed", locked)
        with pytest.raises(EngineError, match="the database ended the count") as caught:
            dp.run(planned(source), ledger=ledger)

    assert "DISCREET_TIMEOUT=4h" in str(caught.value)
    assert "charge 1" in f"{caught.value}".lower()
    assert source.info.transaction_status == 0


def test_counts_over_found_keys_move_no_further_than_declared():
    """The vectors of the answers, with all other words as one group."""
    rows = made(8, units=12, many=120)
    extra = [{"who": "new", "word": word} for word in WORDS * 2]
    known = [
        declared(in_postgres(some)).with_keys("word", ("a", "é")) for some in (rows + extra, rows)
    ]
    asked = (
        dp.count_units("word", max_groups=3),
        dp.count("word", max_groups=2, max_rows_per_group=2),
    )

    for one in asked:
        (aggregate,) = one.aggregates(known[0])
        for salt in (0, 5):
            before, after = (
                engine_for(table.source)
                .prepare(table, (aggregate,))
                .count(salt)[0]
                .opened_by_the_door()
                for table in known
            )
            assert not exceeds(move(before, after), aggregate.sensitivity)
            assert before != after
