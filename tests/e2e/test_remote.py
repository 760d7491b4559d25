"""A plan file that names a database: priced without it, and counted there when a person allows it."""

import subprocess
import sys
from urllib.parse import quote

import pytest

from discreet.engine.remote import has_password, is_address
from servers import dsn, filled

PLAN = """
title = "visits"
[data]
source = "{address}"
name = "{name}"
unit = {{ column = "who", max_rows = 2, sampling = "portable" }}
[keys]
ward = ["A", "B"]
[spend]
rho = "1/10"
ledger = "t.ledger"
[[ask]]
statistic = "count"
by = "ward"
"""


def discreet(folder, *words):
    command = [sys.executable, "-m", "discreet_command", *words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


def written(folder, *, extra=""):
    """A plan file of a table on a server, and its ledger."""
    source = filled({"who": "text", "ward": "text"}, [("ann", "A"), ("bob", "B"), ("cy", "B")])
    schema = source.execute("SELECT current_schema()").fetchone()[0]
    host = quote(dsn().split()[0].removeprefix("host="), safe="")
    address = f"postgresql://postgres@/postgres?host={host}{extra}"
    text = PLAN.format(address=address, name=f"{schema}.t")
    (folder / "plan.toml").write_text(text)
    return source, f"{schema}.t"


@pytest.mark.exhaustive("a database far away")
@pytest.mark.slow
def test_a_plan_of_a_database_is_priced_without_it_and_released_when_allowed(tmp_path):
    """Nothing is opened by the file alone; the same plan again costs nothing."""
    _source, name = written(tmp_path)
    priced = discreet(tmp_path, "plan", "plan.toml")
    assert priced.returncode == 0, priced.stderr
    made = discreet(tmp_path, "ledger", "init", "t.ledger", "--rho", "1", "--subject", name)
    assert made.returncode == 0, made.stderr

    refused = discreet(tmp_path, "release", "plan.toml")
    assert refused.returncode != 0
    assert "--allow-remote" in refused.stderr
    assert "Charged" not in refused.stdout + refused.stderr

    done = discreet(tmp_path, "release", "plan.toml", "--allow-remote")
    assert done.returncode == 0, done.stderr
    assert "Charged" in done.stdout
    again = discreet(tmp_path, "release", "plan.toml", "--allow-remote")
    assert "Nothing was charged" in again.stdout


@pytest.mark.exhaustive("a database far away")
@pytest.mark.slow
def test_tables_of_a_database_are_joined_there(tmp_path):
    """The part of a join is called as its table is; the address stands once."""
    source, name = written(tmp_path)
    people = name.replace(".t", ".people")
    source.execute("ALTER TABLE t DROP COLUMN ward")
    source.execute("CREATE TABLE people (id text, ward text)")
    source.execute("INSERT INTO people VALUES ('ann', 'B'), ('bob', 'B')")
    text = (tmp_path / "plan.toml").read_text()
    joined = f'[join."{people}"]\nkey = "id"\ngives = ["ward"]\n[keys]'
    (tmp_path / "plan.toml").write_text(text.replace("[keys]", joined))

    made = discreet(tmp_path, "ledger", "init", "t.ledger", "--rho", "1", "--subject", name)
    done = discreet(tmp_path, "release", "plan.toml", "--allow-remote")
    again = discreet(tmp_path, "release", "plan.toml", "--allow-remote")
    source.execute("DELETE FROM people")
    changed = discreet(tmp_path, "release", "plan.toml", "--allow-remote")

    assert (made.returncode, done.returncode, again.returncode) == (0, 0, 0), done.stderr
    assert "Nothing was charged" in again.stdout
    assert "from data that has changed since" in changed.stderr


def test_a_server_that_is_not_there_costs_nothing(tmp_path):
    """Three lines, and none of them the driver's."""
    text = PLAN.format(address="postgresql://127.0.0.1:1/x", name="t")
    (tmp_path / "plan.toml").write_text(text)
    discreet(tmp_path, "ledger", "init", "t.ledger", "--rho", "1", "--subject", "t")

    found = discreet(tmp_path, "release", "plan.toml", "--allow-remote")

    assert found.returncode != 0
    assert "no connection to" in found.stderr
    assert "nothing was charged" in found.stderr


@pytest.mark.parametrize(
    "address", ["postgresql://me:secret@host/db", "postgres://host/db?password=secret"]
)
def test_a_password_in_a_plan_file_is_refused(tmp_path, address):
    """And not repeated."""
    (tmp_path / "plan.toml").write_text(PLAN.format(address=address, name="t"))

    found = discreet(tmp_path, "plan", "plan.toml")

    assert found.returncode != 0
    assert "password" in found.stderr
    assert "secret" not in found.stderr


def test_the_table_must_be_named(tmp_path):
    """It cannot be guessed from an address."""
    text = PLAN.format(address="postgresql://host/db", name="t").replace('name = "t"\n', "")
    (tmp_path / "plan.toml").write_text(text)

    assert "name" in discreet(tmp_path, "plan", "plan.toml").stderr


def test_what_an_address_is():
    """By its first letters; what cannot be read may hold a password."""
    assert is_address("postgresql://h/d")
    assert not is_address("people.csv")
    assert not is_address("https://h/d.csv")
    assert has_password("postgresql://[::1/d")
    assert not has_password("postgresql://me@h:5432/d?sslmode=require")
