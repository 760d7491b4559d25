"""Replay: the same request is answered from the book, bit for bit; another one is paid for.

Beside it stand planted faults: a river that forgets its answers, and one that answers an unsettled
charge with new noise for nothing.
"""

import os
import subprocess
import sys
from dataclasses import replace

import duckdb
import pytest

import discreet as dp
from adversarial.rivers import (
    KINDS,
    ROWS,
    declared,
    in_csv,
    integers,
    kinds_of,
    planned,
    source_of,
    started,
)
from discreet.ledgers.rows import LedgerRows
from discreet.ledgers.rules import ChargeRequest
from discreet.ledgers.sqlite import Charge, File

QUESTION = (dp.count(by="ward"), dp.mean("cost", by="ward"), dp.mean(["cost"], by="ward"))
AGAIN = """\
import sys
from pathlib import Path
from adversarial.rivers import ROWS, planned
import discreet as dp
done = dp.run(planned(list(ROWS)), ledger=sys.argv[1])
Path(sys.argv[2]).write_text(f"{done.repeated} {done.document.text()}")
"""


def check_replay(plan, ledger) -> None:
    """Ask twice: the second answer is the first, costs nothing, and says that it is a repeat."""
    first = dp.run(plan, ledger=ledger)
    spent, before = ledger.spent(), ledger.path.read_bytes()
    second = dp.run(plan, ledger=ledger)

    assert (first.repeated, second.repeated) == (False, True)
    assert second.document.text() == first.document.text()
    assert ledger.spent() == spent
    assert ledger.path.read_bytes() == before


@pytest.mark.exhaustive
@pytest.mark.claim("C14")
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_request_returns_the_stored_bits_for_nothing(kind, tmp_path):
    """Both engines, every source; not one byte of the ledger changes, and the face says so."""
    plan, ledger = planned(source_of(kind, tmp_path)), started(tmp_path)

    check_replay(plan, ledger)

    assert kinds_of(ledger.book()) == ["charge", "result"]
    assert "the stored numbers, for nothing" in str(dp.run(plan, ledger=ledger))


@pytest.mark.claim("C14")
@pytest.mark.slow
def test_a_repeat_by_its_name_needs_neither_data_nor_budget(tmp_path):
    """Nothing is left, the file is gone, other rows are given: the stored answer still comes."""
    (path,) = source_of("csv", tmp_path)
    ledger = started(tmp_path, rho="1/10")
    plan = planned([path])
    first = dp.run(plan, ledger=ledger)
    path.unlink()

    for source in ([path], [], list(ROWS[:7])):
        again = dp.run(planned(source), ledger=ledger, request=plan.digest)

        assert again.repeated
        assert again.account.endswith("; nothing was charged")
        assert again.document.text() == first.document.text()
    assert ledger.left().is_zero()


OTHERS = {
    "another loss": dp.plan(declared([]), *QUESTION, spend=dp.zcdp("1/11")),
    "another kind of loss": dp.plan(declared([]), *QUESTION, spend=dp.pure("1/10")),
    "another alpha": dp.plan(declared([]), *QUESTION, spend=dp.zcdp("1/10"), alpha="0.1"),
    "another question": dp.plan(declared([]), QUESTION[0], spend=dp.zcdp("1/10")),
    "another order": dp.plan(declared([]), *QUESTION[::-1], spend=dp.zcdp("1/10")),
    "another weight": dp.plan(
        declared([]), dp.count(by="ward", weight=2), QUESTION[1], spend=dp.zcdp("1/10")
    ),
    "another limit": dp.plan(
        declared([]), dp.count(by="ward", max_groups=1), QUESTION[1], spend=dp.zcdp("1/10")
    ),
    "another relation": dp.plan(
        declared([], neighbors="replace"), *QUESTION, spend=dp.zcdp("1/10")
    ),
}


@pytest.mark.claim("C14")
@pytest.mark.parametrize("change", OTHERS)
def test_a_changed_request_is_another_one(change, tmp_path):
    """It is charged, has its own noise, and may not go under the name of the first."""
    plan, ledger = planned(list(ROWS)), started(tmp_path)
    first = dp.run(plan, ledger=ledger, request="may")
    changed = replace(OTHERS[change], table=replace(OTHERS[change].table, source=list(ROWS)))

    assert changed.digest != plan.digest
    with pytest.raises(dp.errors.InputError):
        dp.run(changed, ledger=ledger, request="may")
    assert kinds_of(ledger.book()) == ["charge", "result"]

    other = dp.run(changed, ledger=ledger)

    assert not other.repeated
    assert other.document.text() != first.document.text()
    assert kinds_of(ledger.book()) == ["charge", "result"] * 2


@pytest.mark.claim("C14")
def test_another_name_is_another_request(tmp_path):
    """The same plan under a new name is paid again, and its noise is new (false alarm 2^-40)."""
    plan = dp.plan(declared(list(ROWS)), *QUESTION, spend=dp.zcdp("1e-12"))
    ledger = started(tmp_path)

    one, two = (dp.run(plan, ledger=ledger, request=name) for name in ("may", "june"))

    assert integers(one) != integers(two)
    assert ledger.spent() == dp.zcdp("2e-12")


@pytest.mark.claim("C10")
def test_another_request_keeps_other_rows_of_a_unit(tmp_path):
    """One person in 200 groups, counted in one of them: chosen anew each time (false alarm 1e-9).

    At such a loss the noise is 0 but for a chance below e^-900, so that the choice is seen.
    """
    groups = range(200)
    table = dp.table(
        [{"who": "ann", "group": group} for group in groups],
        name="visits",
        unit=dp.unit("who"),
        keys={"group": groups},
    )
    asked = dp.count(by="group", max_groups=1, max_rows_per_group=1)
    plan, ledger = dp.plan(table, asked, spend=dp.zcdp(1000)), started(tmp_path, rho=10_000)

    runs = [dp.run(plan, ledger=ledger, request=f"{number}") for number in range(5)]

    chosen = [vector.index(1) for [vector] in map(integers, runs)]
    assert len(set(chosen)) > 1


@pytest.mark.claim("C14")
@pytest.mark.slow
def test_another_process_gets_the_stored_bits(tmp_path):
    """A fresh interpreter, with nothing but the ledger's file in common."""
    ledger = started(tmp_path)
    first = dp.run(planned(list(ROWS)), ledger=ledger)

    subprocess.run(
        [sys.executable, "-c", AGAIN, ledger.path, tmp_path / "said"],
        check=True,
        timeout=60,
        env={
            "PYTHONPATH": ":".join(path for path in sys.path if path),
            "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"],
        },
    )

    assert (tmp_path / "said").read_text() == f"True {first.document.text()}"
    assert kinds_of(ledger.book()) == ["charge", "result"]


def killed_between_charge_and_answer(plan, ledger) -> None:
    """What the file holds when the process dies there: the charge alone."""
    ledger.file.reserve(
        ChargeRequest(request=plan.digest, plan=plan.digest, loss=plan.spend, events=plan.events())
    )


def check_paid_twice(plan, ledger) -> None:
    """After a kill, the same request is answered by noise that has its own charge."""
    done = dp.run(plan, ledger=ledger)
    book = ledger.book()

    assert not done.repeated
    assert done.document.ledger.seq == 2
    assert kinds_of(book) == ["charge", "charge", "result"]
    assert [entry.seq for entry in book.open_charges()] == [1]
    assert book.spent() == plan.spend.times(2)


@pytest.mark.claim("C11")
@pytest.mark.claim("C14")
@pytest.mark.parametrize("kind", ["rows", "parquet"])
def test_a_charge_without_an_answer_stays_and_buys_no_second_noise(kind, tmp_path):
    """The noise of a killed run may have been seen: a new try pays again, and both stay spent."""
    plan, ledger = planned(source_of(kind, tmp_path)), started(tmp_path)
    killed_between_charge_and_answer(plan, ledger)

    check_paid_twice(plan, ledger)

    assert dp.run(plan, ledger=ledger).repeated
    assert ledger.spent() == plan.spend.times(2)


@pytest.mark.claim("C11")
def test_a_killed_run_that_took_the_last_of_the_budget_is_not_answered(tmp_path):
    """There is no second noise for nothing: the owner must void the charge, with a reason."""
    plan, ledger = planned(list(ROWS)), started(tmp_path, rho="1/10")
    killed_between_charge_and_answer(plan, ledger)

    with pytest.raises(dp.errors.BudgetError, match="nothing is left"):
        dp.run(plan, ledger=ledger)
    assert kinds_of(ledger.book()) == ["charge"]

    ledger.void(1, reason="the machine lost power before the noise was drawn")

    assert dp.run(plan, ledger=ledger).document.ledger.seq == 3


def test_a_river_that_forgets_its_answers_is_caught(tmp_path, monkeypatch):
    """The check has power: a second answer with new noise is not the first."""
    monkeypatch.setattr(LedgerRows, "settled", lambda self, way: None)

    with pytest.raises((AssertionError, dp.errors.DiscreetError)):
        check_replay(planned(list(ROWS)), started(tmp_path))


JOINED = {
    "visits": [{"who": f"p{i % 9}", "visit": f"{i}", "cost": f"{i % 50}"} for i in range(40)],
    "orders": [{"visit": f"{i // 2}", "buyer": f"p{i % 7}"} for i in range(60)],
    "people": [{"id": f"p{i}", "ward": "AB"[i % 2]} for i in range(9)],
}


def joined(sources, *, key="id", owner=True, gives="ward"):
    """Visits, who each belongs to, and where that person lives: two private tables beside one."""
    joins = [dp.join(sources["people"], name="people", key=key, gives=[gives])]
    if owner:
        joins.append(dp.owner(sources["orders"], name="orders", on="visit", gives=["buyer"]))
    visits = dp.table(
        sources["visits"],
        name="visits",
        unit=dp.unit("buyer" if owner else "who", max_rows=2),
        columns={"cost": dp.bounds(0, 50, step=1)},
        keys={gives: ["A", "B"]},
    )
    questions = dp.count(by=gives, where="cost > 3"), dp.mean("cost", by=gives)
    return dp.plan(visits.joined(*joins), *questions, spend=dp.zcdp("1/10"))


def several(way, folder):
    """The three tables as lists, as files, or as tables of one connection."""
    if way == "rows":
        return {name: [*rows] for name, rows in JOINED.items()}
    files = {name: in_csv(rows, folder / f"{name}.csv") for name, rows in JOINED.items()}
    if way == "csv":
        return files
    connection = duckdb.connect()
    for name, path in files.items():
        connection.execute(f"CREATE TABLE {name} AS FROM read_csv('{path}')")
    return dict.fromkeys(JOINED, connection)


@pytest.mark.exhaustive
@pytest.mark.claim("C14")
@pytest.mark.parametrize("way", ["rows", "csv", "connection"])
def test_a_request_over_joined_tables_is_answered_once(way, tmp_path):
    """The same bits for nothing; joined by another column, over no owner or not, it is another."""
    sources, ledger = several(way, tmp_path), started(tmp_path)
    plan = joined(sources)

    check_replay(plan, ledger)
    assert kinds_of(ledger.book()) == ["charge", "result"]

    for other in (joined(sources, key="ward", gives="id"), joined(sources, owner=False)):
        with pytest.raises(dp.errors.InputError):
            dp.run(other, ledger=ledger, request=plan.digest)
        assert not dp.run(other, ledger=ledger).repeated
    assert kinds_of(ledger.book()) == ["charge", "result"] * 3


@pytest.mark.claim("C14")
@pytest.mark.parametrize("name", JOINED)
def test_a_row_more_in_a_joined_table_is_not_answered_from_the_old(name, tmp_path):
    """Neither under the old name nor for nothing."""
    files, ledger = several("csv", tmp_path), started(tmp_path)
    dp.run(joined(files), ledger=ledger)
    with files[name].open("a") as file:
        file.write(",".join(JOINED[name][0].values()) + "\r\n")

    with pytest.raises(dp.errors.InputError, match="has changed since"):
        dp.run(joined(files), ledger=ledger)
    assert kinds_of(ledger.book()) == ["charge", "result"]


def test_a_river_that_uses_a_lost_charge_again_is_caught(tmp_path, monkeypatch):
    """The check has power: new noise on an old charge would be a free release."""
    honest = File.reserve

    def reserve(self, ask):
        lost = [entry for entry in self.book().open_charges() if entry.request == ask.request]
        if lost:
            return Charge(lost[0].seq, lost[0].hash, loss=ask.loss)
        return honest(self, ask)

    plan, ledger = planned(list(ROWS)), started(tmp_path)
    killed_between_charge_and_answer(plan, ledger)
    monkeypatch.setattr(File, "reserve", reserve)

    with pytest.raises(AssertionError):
        check_paid_twice(plan, ledger)
