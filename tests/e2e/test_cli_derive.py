"""`discreet derive`: what follows from a saved release, on the command line."""

import json

import pytest
from session import run

import discreet as dp

ROWS = [{"ward": "AB"[i % 2], "grade": i % 3, "pay": i % 50} for i in range(600)]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    table = dp.table(
        ROWS, unit="row", name="people", keys={"ward": ["A", "B"], "grade": [0, 1, 2]},
        columns={"pay": dp.bounds(0, 50, step=1)},
    )  # fmt: skip
    questions = [dp.count(by=["ward", "grade"]), dp.sum("pay", by="ward"), dp.count(by="ward")]
    release = dp.rehearse(dp.plan(table, *questions, spend=dp.zcdp(1)))
    return release.save(tmp_path_factory.mktemp("cli") / "people.release")


CASES = {
    "total 'count by ward and grade' --by ward": lambda r: r.total(
        "count by ward and grade", "ward"
    ),
    "total 'count by ward and grade' --only grade=1 --only grade=2": lambda r: r.total(
        "count by ward and grade", only={"grade": [1, 2]}
    ),
    "difference 'count by ward' --first ward=A --second ward=B": lambda r: r.difference(
        "count by ward", "A", "B"
    ),
    "difference 'sum pay by ward' 'count by ward'": lambda r: r.difference(
        "sum pay by ward", other="count by ward"
    ),
    "ratio 'sum pay by ward' 'count by ward' --alpha 0.1": lambda r: r.ratio(
        "sum pay by ward", "count by ward", alpha="0.1"
    ),
    "share 'count by ward' --together": lambda r: r.share("count by ward", together=True),
    "intervals --together": lambda r: r.intervals(together=True),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("words", CASES)
def test_it_says_what_python_says(saved, words):
    """The same numbers, as a table and as JSON."""
    release = dp.load(saved)
    code, said = run(f"discreet derive {saved} {words} --json")
    reply = json.loads(said)
    expected = json.loads(json.dumps(CASES[words](release).plain()))

    assert code == 0, said
    assert (reply["recipe"], reply["answers"]) == (expected["recipe"], expected["answers"])
    code, said = run(f"discreet derive {saved} {words}")
    assert code == 0
    assert "Nothing was charged" in said


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("product 'count by ward'", "cannot be derived"),
        ("total 'count by wrd'", "no statistic"),
        ("total 'count by ward' --only ward", "selects nothing"),
        ("total 'count by ward' --only ward=Z", "selects nothing"),
        ("share", "no statistic"),
        ("intervals --alpha 2", "at most 1/2"),
    ],
)
def test_what_is_not_there_is_refused(saved, words, what):
    """With the exit code of a mistake, and three lines."""
    code, said = run(f"discreet derive {saved} {words}")
    assert code == 2
    assert what in said


def test_an_entry_that_found_keys_do_not_allow_costs_no_release(tmp_path, monkeypatch):
    """Nothing can be tried before keys are found: what was paid is saved, and the fix works."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{who},f{film}" for who in range(400) for film in (0, 1)]
    (tmp_path / "seen.csv").write_text("\n".join(["who,film", *rows]) + "\n")
    text = """also = [{{ derive = "difference", of = "count by film", first = "{}", second = "f1" }}]
[data]
source = "seen.csv"
name = "seen"
unit = {{ column = "who", max_rows = 2 }}
[keys]
film = {{ unknown = true, max_groups = 3 }}
[spend]
epsilon = 3
delta = 1e-6
[[ask]]
statistic = "count"
by = "film"
"""
    (tmp_path / "plan.toml").write_text(text.format("f9"))
    run("discreet ledger init l.ledger --epsilon 9 --delta 0.001")
    code, said = run("discreet release plan.toml --ledger l.ledger --out seen.release")

    assert code != 0
    assert "selects nothing of film" in said
    assert "there are f0, f1, other" in said
    assert dp.load("seen.release")["count by film"]
    assert dp.ledger("l.ledger").left().epsilon == 6

    (tmp_path / "plan.toml").write_text(text.format("f0"))
    code, said = run("discreet release plan.toml --ledger l.ledger --out again.release")
    assert code == 0, said
    assert dp.ledger("l.ledger").left().epsilon == 6


def test_two_keys_are_the_sides_of_a_difference(tmp_path, monkeypatch):
    """As in Python; numbers are typed as they are shown, and for all else they are one too many."""
    monkeypatch.chdir(tmp_path)
    rows = [{"year": 2020 + n % 2} for n in range(90)]
    table = dp.table(rows, unit="row", name="p", keys={"year": [2020, 2021]})
    release = dp.rehearse(dp.plan(table, dp.count(by="year"), spend=dp.zcdp(1)))
    release.save("p.release")
    code, said = run("discreet derive p.release difference 'count by year' 2020 2021")
    (number,) = release.difference("count by year", 2020, 2021).rows

    assert code == 0, said
    assert "count by year: 2020 less 2021" in said
    assert str(number["value"]).replace("-", "\u2212" if "\u2212" in said else "-") in said
    code, said = run("discreet derive p.release ratio 'count by year' 2020 2021")
    assert (code, "fix: leave 2021 out" in said) == (2, True)
    code, said = run("discreet derive p.release total 'count by year' 2020")
    assert (code, "fix: write --only year=2020 in its place" in said) == (2, True)
    code, said = run("discreet derive p.release total 'count by year' --only year=2020")
    assert code == 0, said
    code, said = run(
        "discreet derive p.release difference 'count by year' 2020 2021 --first year=2020"
    )
    assert (code, "named twice" in said) == (2, True)
