"""With --json each command answers with one object of a published shape, errors included."""

import json

import pytest
from people import damage, settle
from pydantic import TypeAdapter, ValidationError
from session import run

from discreet.cli.json_replies import Failure, Reply

ANSWER = TypeAdapter(Reply | Failure)


def _answers(*commands: str) -> list:
    found = []
    for command in commands:
        code, said = run(f"discreet {command} --json")
        answer = ANSWER.validate_json(said)
        assert said.count("\n") == 1
        assert code == getattr(answer, "exit_code", 0), said
        found.append(answer)
    return found


@pytest.mark.slow
def test_every_command_answers_with_one_object_of_its_shape(tmp_path, monkeypatch):
    """The objects say what the screens say: prices, what is left, what was saved."""
    monkeypatch.chdir(tmp_path)
    settle(tmp_path)

    plan, rehearsal, release, again, shown, checked, book, chain, draft, clean = _answers(
        "plan people.toml",
        "rehearse people.toml",
        "release people.toml",
        "release people.toml",
        "show people.release",
        "verify people.release --ledger people.ledger",
        "ledger show people.ledger",
        "ledger verify people.ledger people.release",
        "init people.csv --out drafted.toml",
        "denoise people.release --out cleaned.csv",
    )

    assert (plan.command, plan.fits, plan.left) == ("plan", True, {"kind": "zcdp", "rho": "1/8"})
    assert [line.price["rho"] for line in plan.lines] == ["1/100", "1/100"]
    assert (rehearsal.release.kind, rehearsal.left) == ("rehearsal", None)
    assert (release.saved, release.repeated, release.left["rho"]) == (
        "people.release",
        False,
        "21/200",
    )
    assert (again.repeated, again.release) == (True, release.release)
    assert shown.release == release.release
    assert (len(checked.checks), len(chain.checks)) == (6, 5)
    assert [(c.seq, c.state) for c in book.charges] == [(1, "answered")]
    assert (clean.saved, clean.kept) == ("cleaned.csv", ["mean wage"])
    assert [row[2] for row in clean.rows] == release.release.statistics[0].vectors[0].noisy
    assert draft.columns == dict.fromkeys(("person", "age", "city", "wage"), "CSV")


@pytest.mark.slow
def test_every_class_of_error_is_an_object_with_its_exit_code(tmp_path, monkeypatch):
    """What, why and fix come apart, on standard output."""
    monkeypatch.chdir(tmp_path)
    settle(tmp_path)
    damage(tmp_path / "people.parquet")
    text = (tmp_path / "people.toml").read_text()
    (tmp_path / "dear.toml").write_text(text.replace("1/50", "1"))
    (tmp_path / "broken.toml").write_text(text.replace("people.csv", "people.parquet"))
    _answers("release people.toml")
    place = tmp_path / "people.release" / "release.json"
    place.write_text(place.read_text().replace('"rho":"1/50"', '"rho":"1/60"'))

    found = _answers(
        "plan nowhere.toml",
        "plan",
        "release dear.toml",
        "ledger show nowhere.ledger",
        "ledger init other.ledger --rho 1",
        "release broken.toml --ledger other.ledger",
        "verify people.release",
        "ledger void other.ledger 1 --why 'the file is damaged'",
        "ledger void other.ledger 1 --why again",
    )

    assert [getattr(answer, "error", "none") for answer in found] == [
        *("InputError", "InputError", "BudgetError", "LedgerError", "none", "EngineError"),
        *("VerifyError", "none", "BudgetError"),
    ]
    assert found[-2].left == {"kind": "zcdp", "rho": "1"}


def test_an_answer_of_another_shape_is_caught():
    """The shapes have power: a missing or an unknown name does not pass."""
    good = {
        "ok": False,
        "error": "E",
        "kind": "k",
        "exit_code": 2,
        "what": "a",
        "why": "b",
        "fix": "c",
    }

    ANSWER.validate_python(good)
    for bad in ({**good, "row": 7}, {name: good[name] for name in good if name != "fix"}):
        with pytest.raises(ValidationError):
            ANSWER.validate_json(json.dumps(bad))


def test_a_calculation_and_a_comparison_answer_with_one_object():
    """The number is text that can be typed again; what cannot be answered is an error object."""
    one, table, refused, two_budgets = _answers(
        "calc epsilon geometric --accuracy 10 --alpha 0.05",
        "compare --epsilon 1 --delta 1e-6 --l1 1 --coordinates 1000",
        "calc sigma gaussian --epsilon 2 --delta 1e-6 --rule classical",
        "compare --epsilon 1 --rho 1/50",
    )

    assert (one.answer, one.convention, one.naive.answer) == (
        "0.28434851242272161",
        "gt",
        "0.299573",
    )
    assert [law.law for law in table.laws][:2] == ["geometric", "laplace"]
    assert table.budget == {"epsilon": "1", "delta": "0.000001"}
    assert (refused.error, two_budgets.exit_code) == ("InputError", 2)
