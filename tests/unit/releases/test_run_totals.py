"""What the ledger had spent of how much stands in a release: the totals of the charge's own entry."""

import pytest

import discreet as dp
from discreet.document.check import checked_document
from discreet.errors import InputError, VerifyError
from discreet.ledgers.units import loss_of_units
from discreet.report.page import page

BUDGETS = {
    "rho": (dp.zcdp("1/8"), dp.zcdp("1/50")),
    "epsilon": (dp.pure(3), dp.pure("1/3")),
    "mu2": (dp.gdp(mu2="1/8"), dp.gdp(mu2="1/50")),
    "delta": (dp.approx(3, "1e-6"), dp.approx(1, "1e-7")),
    "rho in epsilon": (dp.zcdp("9/8"), dp.pure("1/3")),
}
ROWS = [{"ward": "A"}] * 30 + [{"ward": "B"}] * 20


def asked(spend, name="people"):
    people = dp.table(ROWS, name=name, unit="row", keys={"ward": ["A", "B"]})
    return dp.plan(people, dp.count(by="ward"), spend=spend)


@pytest.mark.claim("C560")
@pytest.mark.parametrize("kind", BUDGETS)
def test_a_release_holds_the_totals_of_its_own_charge(kind, tmp_path):
    """After its charge, whatever was charged before; later charges do not change it."""
    budget, spend = BUDGETS[kind]
    book = dp.ledger(tmp_path / "a.ledger", budget=budget)
    first = dp.run(asked(spend), ledger=book, request="first")
    spent = book.spent()
    second = dp.run(asked(spend), ledger=book, request="second")

    for release, total in ((first, spent), (second, book.spent())):
        entry = release.document.ledger
        assert (entry.spent, entry.budget) == (total.plain(), budget.plain())
        charge = book.book().entries[entry.seq - 1]
        assert entry.spent == loss_of_units(charge.spent, budget).plain()
    assert str(spent) in page(first.document)


@pytest.mark.claim("C560")
def test_a_repeat_returns_the_same_bits(tmp_path):
    """Though more was spent in between."""
    book = dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp("1/8"))
    first = dp.run(asked(dp.zcdp("1/50")), ledger=book, request="first")
    dp.run(asked(dp.zcdp("1/50")), ledger=book, request="second")
    again = dp.run(asked(dp.zcdp("1/50")), ledger=book, request="first")

    assert again.document.text() == first.document.text()
    assert page(again.document) == page(first.document)


@pytest.mark.claim("C560")
def test_other_totals_do_not_verify(tmp_path):
    """Neither smaller ones nor none; the sentence of each is its own."""
    from discreet.releases import verify

    book = dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp("1/8"))
    release = dp.run(asked(dp.zcdp("1/50")), ledger=book)
    dp.verify(release, ledger=book)
    entry = release.document.ledger
    less = entry.model_copy(update={"spent": {"kind": "zcdp", "rho": "1/100"}})
    forged = release.document.model_copy(update={"ledger": less})
    charge = book.book().entries[entry.seq - 1]

    assert verify._totals(release.document, charge, book.book())[0] is not None
    claimed, real = verify._totals(forged, charge, book.book())
    assert claimed != real
    with pytest.raises(VerifyError, match="had spent of its budget"):
        dp.verify(dp.Release(forged), ledger=book)


@pytest.mark.parametrize(
    "totals",
    [
        {"spent": {"kind": "zcdp", "rho": "1/4"}},
        {"spent": {"kind": "pure", "epsilon": "1/50"}},
        {"spent": {"kind": "zcdp", "rho": "0.02"}},
        {"spent": {"kind": "<script>", "rho": "1/50"}},
        {"spent": None},
        {"budget": None},
        {"budget": {}},
        {"budget": {"kind": "zcdp", "rho": "1/0"}},
        {"budget": {"kind": "zcdp", "rho": "9" * 9_000}},
    ],
)
def test_totals_that_are_none_are_refused(totals, tmp_path):
    """More than the budget, of another kind, in other words, one without the other."""
    book = dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp("1/8"))
    document = dp.run(asked(dp.zcdp("1/50")), ledger=book).document
    assert checked_document(document.text()) == document
    entry = document.ledger.model_copy(update=totals)
    with pytest.raises(InputError):
        checked_document(document.model_copy(update={"ledger": entry}).text())


def test_a_release_without_totals_is_read(tmp_path):
    """As those of before have none."""
    book = dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp("1/8"))
    document = dp.run(asked(dp.zcdp("1/50")), ledger=book).document
    entry = document.ledger.model_copy(update={"spent": None, "budget": None})
    old = document.model_copy(update={"ledger": entry})
    assert '"spent"' not in old.text()
    assert checked_document(old.text()) == old
