"""Releases whose parts agree with each other, and not with what was planned or paid."""

import json
from fractions import Fraction

import pytest

import discreet as dp
from adversarial.rivers import ROWS, planned, started
from discreet.aggregate import Noisy
from discreet.document.document import LedgerEntry
from discreet.ledgers.rules import ChargeRequest
from discreet.releases.document import compose
from discreet.releases.release import Release

PLAN = planned(list(ROWS))


def forged(folder, change):
    """A rehearsal's file in which something was changed."""
    document = json.loads(dp.rehearse(PLAN).document.text())
    change(document)
    path = folder / "release.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def less_noise(document):
    document["statistics"][0]["vectors"][0]["noise"]["sigma2"] = "1"


def a_smaller_move(document):
    document["statistics"][0]["vectors"][0]["sensitivity"]["l2_squared"] = "1"


def a_narrower_interval(document):
    answer = document["statistics"][0]["answer"]
    answer["rows"][0][-1] -= 1


FORGED = {
    less_noise: "the noise of each vector",
    a_smaller_move: "the noise of each vector",
    a_narrower_interval: "an answer does not follow",
}


@pytest.mark.claim("C15")
@pytest.mark.parametrize("change", FORGED, ids=lambda change: change.__name__)
def test_a_release_that_states_other_noise_than_its_plan_is_caught(change, tmp_path):
    """Its integers and answers fit each other; the plan makes another law of them."""
    assert dp.verify(forged(tmp_path, lambda document: None))

    with pytest.raises(dp.errors.VerifyError, match=FORGED[change]):
        dp.verify(forged(tmp_path, change))


def charged(ledger, loss):
    """A release that the ledger holds, bit for bit, charged with this loss."""
    paid = ledger.file.reserve(
        ChargeRequest(request="r", plan=PLAN.digest, loss=loss, events=PLAN.events())
    )
    header = ledger.book().header
    noisy = [Noisy((9,) * found.size(PLAN.table)) for found in PLAN.aggregates]
    entry = LedgerEntry(id=header.id, subject=header.subject, seq=paid.seq, hash=paid.hash)
    document = compose(PLAN, noisy, request="r", created="2026-01-04T09:00:00+00:00", ledger=entry)
    ledger.file.settle(paid, document.text())
    return Release(document)


@pytest.mark.claim("C15")
@pytest.mark.parametrize("rho", ["1/20", "0.0999999"])
def test_a_release_that_was_charged_less_than_its_price_is_caught(rho, tmp_path):
    """The chain is whole, plan, events and result are those of the release: only the price is not.

    More than the price may have been charged: earlier versions knew less of their noise.
    """
    honest, other = started(tmp_path), started(tmp_path, name="other.ledger")
    dear = started(tmp_path, name="dear.ledger")

    assert dp.verify(charged(honest, PLAN.cost), ledger=honest)
    assert dp.verify(charged(dear, PLAN.cost.times(Fraction(2))), ledger=dear)
    with pytest.raises(dp.errors.VerifyError, match="the price that was charged"):
        dp.verify(charged(other, dp.zcdp(rho)), ledger=other)


@pytest.mark.claim("C15")
@pytest.mark.parametrize("more", ["\n", "count by ward,A,0,0,0\n"])
def test_a_table_that_goes_on_behind_its_end_is_caught(more, tmp_path):
    """All of it that the release says is there, and something more."""
    saved = dp.rehearse(PLAN).save(tmp_path / "visits.release")
    with (saved / "table.csv").open("a", encoding="utf-8") as file:
        file.write(more)

    with pytest.raises(dp.errors.VerifyError, match=r"table\.csv does not say"):
        dp.verify(saved)
