"""What was released and charged by an earlier account still checks, opens, and keeps its account.

tests/vectors/approx-0.json is a release of twelve questions at (1, 1e-7), whose noise was found through
zCDP, with laws of any number of digits; approx-0.ledger.gz the ledger of (3, 1e-6) that paid for it and
for one of (0.3, 0). Both were written by the version before the Gaussian account (commit bd41e6f^).
"""

import gzip
import json
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dp
from discreet.document.document import document_of
from discreet.errors import BudgetError, VerifyError
from discreet.plans.line import EXACT, NOW
from discreet.plans.plan import plan_of

pytestmark = pytest.mark.claim("C75")

VECTORS = Path(__file__).parents[1] / "vectors"
OLD = VECTORS / "approx-0.json"


@pytest.fixture
def ledger(tmp_path):
    place = tmp_path / "old.ledger"
    place.write_bytes(gzip.decompress((VECTORS / "approx-0.ledger.gz").read_bytes()))
    return dp.ledger(place)


def test_an_old_release_is_verified_with_its_own_account(ledger):
    """Its noise is the earlier account's, today's would be less; by today's it costs less than it paid."""
    said = str(dp.verify(OLD, ledger=ledger))
    document = document_of(OLD.read_text())
    now, before = (plan_of(document.plan, account=account) for account in (NOW, EXACT))

    assert "the plan costs (epsilon, delta) = (0.936465, 1e-7)" in said
    assert "charged (epsilon, delta) = (1, 1e-7)" in said
    assert [v.noise for one in document.statistics for v in one.vectors] == [
        law.plain() for law in before.laws
    ]
    assert all(a.size_up() < b.size_up() for a, b in zip(now.laws, before.laws, strict=True))


@pytest.mark.parametrize("share", ["0.9999", "0.5"])
def test_an_old_release_with_less_noise_does_not_verify(share, ledger, tmp_path):
    """Whoever has changed it finds no account that makes it so."""
    plain = json.loads(OLD.read_text())
    noise = plain["statistics"][0]["vectors"][0]["noise"]
    noise["sigma2"] = str(Fraction(noise["sigma2"]) * Fraction(share))
    changed = tmp_path / "release.json"
    changed.write_text(json.dumps(plain, sort_keys=True, separators=(",", ":")))

    with pytest.raises(VerifyError):
        dp.verify(changed, ledger=ledger)


def test_an_old_ledger_opens_and_still_adds_epsilon_and_delta(ledger):
    """Nothing is priced again: (1, 1e-7) and (0.3, 0) stay spent, and the rest pays to its end."""
    assert ledger.left() == dp.approx("1.7", "9e-7")
    rows = [{"ward": "A"}] * 30
    declared = dp.table(rows, unit="row", name="visits", keys={"ward": ["A", "B"]})
    asked = [dp.count(by="ward"), dp.count()]

    with pytest.raises(BudgetError):
        dp.run(dp.plan(declared, *asked, spend=dp.pure("1.8")), ledger=ledger)
    dp.run(dp.plan(declared, *asked, spend=dp.pure("1.7")), ledger=ledger)
    assert ledger.left() == dp.approx(0, "9e-7")
    assert ledger.verify() == []
