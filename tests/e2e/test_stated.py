"""What is stated and not proved is marked wherever its numbers are, and nowhere else."""

import re

import pytest

import discreet as dp
from discreet.cli import cli
from discreet.errors import VerifyError
from discreet.releases import steps
from discreet.statistic.statement import STATED

WHO = "one household"
PLAN = f"""
[data]
source = "own.csv"
unit = "row"

[columns]
x = {{ lower = 0, upper = 1000, step = 1 }}

[keys]
k = ["a", "b"]

[spend]
rho = "1/2"

[[ask]]
statistic = "stated"
column = "x"
by = "k"
sensitivity = 3
protects = "{WHO}"
"""


def own(**how):
    rows = [{"k": "a", "x": 412}, {"k": "b", "x": 7}]
    columns = {"x": dp.bounds(0, 1000, step=1)}
    keys = {"k": ["a", "b"]}
    return dp.table(rows, unit="row", columns=columns, keys=keys, name="own", **how)


def marks(text):
    return len(re.findall(re.sub(" ", r"\\s+", STATED), text))


@pytest.fixture
def ledger(tmp_path):
    return dp.ledger(tmp_path / "own.ledger", budget=dp.zcdp(9))


@pytest.mark.claim("C490")
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize(
    "question",
    [
        dp.stated("x", by="k", sensitivity=3, protects=WHO),
        dp.choose("k", most="x", sensitivity=3, protects=WHO),
        dp.top_k("k", 1, most="x", sensitivity=3, protects=WHO),
    ],
    ids=str,
)
def test_what_is_stated_is_marked_everywhere(question, neighbors, ledger, tmp_path):
    """In each thing that a reader may have alone; who is protected is named beside it."""
    plan = dp.plan(own(neighbors=neighbors), question, spend=dp.zcdp(1))
    release = dp.run(plan, ledger=ledger, why="a trial")
    place = release.save(tmp_path / "own.release")
    checked = dp.verify(place, ledger=ledger)
    told = [
        str(plan),
        str(release),
        str(checked),
        (place / "report.html").read_text("utf-8"),
        (place / "README.txt").read_text("utf-8"),
    ]

    assert [marks(text) >= 1 and WHO in text for text in told] == [True] * len(told)
    assert [line for line in checked.unchecked if STATED in line]
    assert ledger.book().rows()[0].why == f"{STATED}: {question.label}; a trial"
    assert STATED in str(ledger)
    assert '"sensitivity":"3"' in release.document.text()


@pytest.mark.claim("C490")
def test_what_is_proved_is_not_marked(ledger, tmp_path):
    """A choice by sums, and a count."""
    plan = dp.plan(own(), dp.choose("k", most="x"), dp.count(by="k"), spend=dp.zcdp(1))
    release = dp.run(plan, ledger=ledger, why="a trial")
    place = release.save(tmp_path / "own.release")
    told = [str(plan), str(release), str(dp.verify(place, ledger=ledger)), str(ledger)]
    told += [(place / name).read_text("utf-8") for name in ("report.html", "README.txt")]

    assert [marks(text) for text in told] == [0] * len(told)
    assert plan.steps == ()


@pytest.mark.claim("C490")
def test_a_charge_without_the_mark_is_refused(ledger, monkeypatch):
    """By whoever has release and ledger."""
    plan = dp.plan(own(), dp.stated("x", sensitivity=3, protects=WHO), spend=dp.zcdp(1))
    with monkeypatch.context() as patch:
        patch.setattr(steps, "marked", lambda _, why: why)
        release = dp.run(plan, ledger=ledger, why="a trial")

    with pytest.raises(VerifyError, match="does not say what was stated"):
        dp.verify(release, ledger=ledger)


@pytest.mark.claim("C490")
def test_a_statement_that_was_changed_is_refused(ledger):
    """Less noise than the statement asks for is no release of it."""
    plan = dp.plan(own(), dp.stated("x", sensitivity=3, protects=WHO), spend=dp.zcdp(1))
    document = dp.run(plan, ledger=ledger).document
    (asked,) = document.plan["statistics"]
    changed = {**document.plan, "statistics": [{**asked, "sensitivity": "30"}]}
    with pytest.raises(VerifyError):
        dp.verify(dp.Release(document.model_copy(update={"plan": changed})))


@pytest.mark.claim("C490")
def test_a_plan_file_states_it_too(tmp_path, monkeypatch, capsys):
    """And the command line marks it in plan, release and verify."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.csv").write_text("k,x\na,412\nb,7\n")
    (tmp_path / "own.toml").write_text(PLAN)
    for words in (
        ["plan", "own.toml"],
        ["ledger", "init", "own.ledger", "--rho", "1", "--subject", "own.csv"],
        ["release", "own.toml", "--ledger", "own.ledger", "--out", "own.release"],
        ["verify", "own.release", "--ledger", "own.ledger"],
        ["ledger", "show", "own.ledger"],
    ):
        assert cli.main(words) == 0
        said = capsys.readouterr().out

        assert (marks(said) > 0) == (words[1] != "init")
