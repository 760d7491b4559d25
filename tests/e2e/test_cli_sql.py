"""`discreet sql --release`: what it shows is what it releases."""

import pytest
from session import run

import discreet as dp

PLAN = """
[data]
source = "people.csv"
unit = { column = "person", max_rows = 2 }
[columns]
age = { lower = 0, upper = 100 }
[keys]
state = ["MA", "NY"]
[spend]
rho = "1/50"
ledger = "people.ledger"
[[ask]]
statistic = "mean"
column = "age"

"""
TEXT = "SELECT state, COUNT(*) FROM people WHERE age > 30 GROUP BY 1"


def written(folder):
    (folder / "people.csv").write_text("person,age,state\n1,40,MA\n2,50,NY\n3,20,NY\n")
    (folder / "people.toml").write_text(PLAN)
    dp.ledger(folder / "people.ledger", budget=dp.zcdp("1/25"), subject="people.csv")


def sql(text, *more):
    return run(f'discreet sql people.toml "{text}" {" ".join(more)}')


@pytest.mark.claim("C442")
def test_a_select_is_released_as_it_is_shown(tmp_path, monkeypatch):
    """The release holds the questions of the text, and the ledger paid for them once."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path)

    code, said = sql(TEXT, "--release", "--out", "a.release")
    again, repeated = sql(TEXT, "--release", "--out", "b.release")
    saved = dp.load("a.release").document

    assert (code, again) == (0, 0), said
    assert [part.label for part in saved.statistics] == ["count by state"]
    assert "Charged rho = 0.02. Left in people.ledger: rho = 0.02." in said
    assert "Nothing was charged" in repeated
    assert saved == dp.load("b.release").document


@pytest.mark.claim("C442")
def test_a_text_that_is_refused_charges_nothing(tmp_path, monkeypatch):
    """Nor does a place that is taken, or an option of a release without it."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path)
    (tmp_path / "people.release").mkdir()

    for text, more in (
        ("SELECT MAX(age) FROM people", ["--release"]),
        (TEXT, ["--release"]),
        (TEXT, ["--why", "x"]),
        (TEXT, ["--ledger", "people.ledger"]),
        (TEXT, ["--allow-remote"]),
    ):
        code, said = sql(text, *more)
        assert (code, len(said.strip().splitlines()[-3:])) == (2, 3), said
    assert "rho = 0.04 is left of 0.04" in run("discreet ledger show people.ledger")[1]
