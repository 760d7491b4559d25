"""A command that counts for long: the terminal sees that it goes on, and Ctrl-C says what was charged."""

from urllib.parse import quote

import duckdb
import pytest

import discreet as dp
from e2e.terminal import on_terminal
from servers import connected, dsn

pytestmark = [pytest.mark.slow, pytest.mark.claim("C36")]
ROWS = 1_500_000  # which a server counts for longer than anybody waits here
PLAN = """\
[data]
source = "{source}"
name = "{name}"
unit = {{ column = "who", max_rows = 2, sampling = "portable" }}
[keys]
x = [0, 1]
[spend]
rho = "1/10"
ledger = "t.ledger"
[[ask]]
statistic = "count"
by = "x"
"""


def on_postgres(_folder):
    source = connected()
    made = "SELECT n % 9999 AS who, n % 2 AS x"
    source.execute(f"CREATE TABLE t AS {made} FROM generate_series(1, {ROWS}) n")
    host = quote(dsn().split()[0].removeprefix("host="), safe="")
    (schema,) = source.execute("SELECT current_schema()").fetchone()
    return f"postgresql://postgres@/postgres?host={host}", f"{schema}.t"


def on_duckdb(folder):
    made = f"SELECT n % 9999 AS who, n % 2 AS x FROM range({8 * ROWS}) s(n)"
    duckdb.execute(f"COPY ({made}) TO '{folder / 't.parquet'}'")
    return "t.parquet", "t"


@pytest.mark.parametrize("place", [on_postgres, on_duckdb])
def test_a_terminal_sees_a_long_count_go_on_and_ctrl_c_says_what_was_charged(
    place, tmp_path, monkeypatch
):
    """Words and seconds; then three lines, the code of an interruption, and a ledger that goes on."""
    monkeypatch.setenv("DISCREET_THREADS", "2")
    source, name = place(tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN.format(source=source, name=name))
    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.zcdp(1), subject=name)
    remote = ["--allow-remote"] if place is on_postgres else []

    code, out, seen = on_terminal(["release", "plan.toml", *remote], tmp_path, press=b"0:00:02")

    text = " ".join(seen.decode().split())
    assert code == 130
    assert "Paying, drawing noise, counting" in text
    assert "charge 1 stays spent and its answer was not stored" in text
    assert "Traceback" not in text
    assert b"The release is in" not in out
    assert [row.state for row in ledger.book().rows()] == ["open"]
    ledger.void(1, reason="interrupted")
    assert ledger.left() == dp.zcdp(1)
