"""A copy that was put back goes on by its owner's act, which charges what it has forgotten."""

import shutil
from fractions import Fraction

import pytest

from adversarial.elsewhere import elsewhere
from discreet.errors import BudgetError, InputError, LedgerError
from discreet.ledgers import anchors
from discreet.ledgers.file import Ledger, create
from discreet.privacy.loss import Loss, approx, gdp, pure, purses, zcdp
from unit.anchored import pay

pytestmark = pytest.mark.claim("C513")
BUDGETS = {
    "pure": (pure(1), pure("1/40")),
    "approx": (approx(1, "1e-6"), approx("1/40", "1e-8")),
    "rho": (zcdp(1), zcdp("1/40")),
    "mu2": (gdp(mu2=1), gdp(mu2="1/40")),
}


@pytest.fixture
def ledger(tmp_path):
    return create(tmp_path / "a.ledger", budget=zcdp(1), id="7f3a")


@pytest.mark.parametrize("kind", BUDGETS)
def test_what_the_copy_has_forgotten_is_charged_to_the_last_bit(tmp_path, kind):
    """As if the newest copy had been there: the same is left."""
    budget, cost = BUDGETS[kind]
    ledger = create(tmp_path / "a.ledger", budget=budget, id="7f3a")
    pay(ledger, "1", cost)
    shutil.copy(ledger.path, tmp_path / "old")
    for name in "234":
        pay(ledger, name, cost, answered=name != "3")
    left = ledger.left()
    shutil.copy(tmp_path / "old", ledger.path)
    with pytest.raises(LedgerError, match="is an older copy"):
        ledger.left()

    assert ledger.restored("the disk failed") == cost.times(3)
    assert ledger.left() == left
    assert ledger.verify() == []
    assert "the disk failed" in ledger.sheet().text()
    pay(ledger, "5", cost)


def test_that_charge_is_never_given_back(ledger, tmp_path):
    """It has an answer from the first moment on."""
    shutil.copy(ledger.path, tmp_path / "old")
    pay(ledger, "1")
    shutil.copy(tmp_path / "old", ledger.path)
    ledger.restored("the disk failed")

    assert ledger.book().open_charges() == []
    with pytest.raises(InputError, match="is not an open charge"):
        ledger.void(1, reason="I want it back")


def test_a_copy_that_spent_on_keeps_both(ledger, tmp_path):
    """Two books of the same people: what either has spent is spent."""
    pay(ledger, "1")
    shutil.copy(ledger.path, tmp_path / "old")
    pay(ledger, "2", zcdp("1/4"))
    with elsewhere():
        other = Ledger(tmp_path / "old")
        pay(other, "3", zcdp("1/8"))
    shutil.copy(tmp_path / "old", ledger.path)

    assert ledger.restored("two copies were used") == zcdp("1/4")
    assert ledger.spent() == zcdp(Fraction(1, 1000) + Fraction(3, 8))


def test_the_copy_that_was_newest_is_the_older_one_then(ledger, tmp_path):
    """It can go on, too: what was spent by the other is charged to it."""
    pay(ledger, "1")
    shutil.copy(ledger.path, tmp_path / "old")
    pay(ledger, "2", zcdp("1/4"))
    shutil.copy(ledger.path, tmp_path / "new")
    shutil.copy(tmp_path / "old", ledger.path)
    ledger.restored("the new one is lost")
    pay(ledger, "3", zcdp("1/8"))
    spent = ledger.spent()
    shutil.copy(tmp_path / "new", ledger.path)

    with pytest.raises(LedgerError, match="older copy"):
        ledger.left()
    assert ledger.restored("the new one was found") == zcdp("1/8")
    assert ledger.spent() == spent


def test_what_does_not_fit_is_refused_and_the_copy_stays_shut(ledger, tmp_path):
    """More was spent by both than there is: nothing goes on from here."""
    shutil.copy(ledger.path, tmp_path / "old")
    pay(ledger, "1", zcdp("3/4"))
    with elsewhere():
        pay(Ledger(tmp_path / "old"), "2", zcdp("1/2"))
    shutil.copy(tmp_path / "old", ledger.path)

    with pytest.raises(BudgetError):
        ledger.restored("two copies were used")
    with pytest.raises(LedgerError, match="has parted"):
        ledger.left()


def test_where_only_answers_and_voids_are_missing_nothing_is_charged(ledger, tmp_path):
    """A void that the copy has forgotten is not given again."""
    charge = pay(ledger, "1", answered=False)
    shutil.copy(ledger.path, tmp_path / "old")
    ledger.void(charge.seq, reason="it was killed")
    shutil.copy(tmp_path / "old", ledger.path)

    assert ledger.restored("the disk failed") is None
    assert ledger.spent() == zcdp("1/1000")
    assert ledger.verify() == []


def test_whoever_has_the_newest_copy_or_no_anchor_has_nothing_to_restore(ledger):
    """It is said which of the two."""
    with pytest.raises(InputError, match="holds every charge that its anchors have seen"):
        ledger.restored("just so")
    with elsewhere(), pytest.raises(InputError, match="this user has no anchor of it"):
        ledger.restored("just so")


def test_a_reason_is_asked_for(ledger, tmp_path):
    """The book keeps it."""
    shutil.copy(ledger.path, tmp_path / "old")
    pay(ledger, "1")
    shutil.copy(tmp_path / "old", ledger.path)

    with pytest.raises(InputError, match="without a reason"):
        ledger.restored("  ")


def test_a_header_that_was_changed_cannot_be_restored(ledger, tmp_path):
    """No act of its owner makes a budget larger."""
    other = create(tmp_path / "b.ledger", budget=zcdp(9), id="beef")
    text = anchors.place_of("7f3a").read_text().replace("7f3a", "beef")
    anchors.place_of("beef").write_text(text)

    with pytest.raises(LedgerError, match="another header"):
        other.restored("I need more")


def test_three_purses_are_each_charged_what_they_miss(tmp_path):
    """The purse of pure acts is not that of noise."""
    budget = purses(pure="1/2", mu2="1/4", chance="1e-7")
    ledger = create(tmp_path / "a.ledger", budget=budget, id="7f3a", promise=approx(3, "1e-6"))
    shutil.copy(ledger.path, tmp_path / "old")
    pay(ledger, "1", pure("1/8"))
    pay(ledger, "2", gdp(mu2="1/16"))
    left = ledger.left()
    shutil.copy(tmp_path / "old", ledger.path)

    assert isinstance(ledger.restored("the disk failed"), Loss)
    assert ledger.left() == left
