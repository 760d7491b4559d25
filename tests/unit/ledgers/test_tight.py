"""What all charges keep, had all plans been fixed before: against exact sums, and never as a rule."""

from fractions import Fraction
from math import comb, erfc, exp, sqrt

import pytest

import discreet as dp
from discreet.errors import BudgetError
from discreet.ledgers.book import Header
from discreet.ledgers.file import create
from discreet.ledgers.show import sheet_of
from discreet.ledgers.tight import noise_of, tight, tight_words
from discreet.privacy.loss import Loss, approx, gdp, pure, zcdp
from unit.anchored import pay
from unit.books import GrowingBook

pytestmark = pytest.mark.claim("C541")
WHEN, DELTA = "2026-01-04T09:00:00+00:00", Fraction(1, 10**6)
MOVED = {"l1": "1", "l2_squared": "1", "linf": "1"}
LAPLACE = {"noise": {"law": "discrete_laplace", "scale": "10"}, "sensitivity": MOVED}
GAUSS = {"noise": {"law": "discrete_gaussian", "sigma2": "400"}, "sensitivity": MOVED}
CHOICE = {"noise": {"law": "permute_and_flip", "scale": "20"}, "sensitivity": MOVED}


def book_of(budget, *charges):
    """A book with these charges: a loss, and the acts that it paid for."""
    book = GrowingBook(Header("7f3a", WHEN, budget.plain(), "visits"), name="visits.ledger")
    for number, (loss, events) in enumerate(charges):
        notes = {"request": str(number), "plan": "ab12", "who": "sven", "why": "", "when": WHEN}
        book = book.plus(book.charge(loss=loss, events=events, **notes))
    return book


def gaussian_delta(mu2, epsilon):
    """What N(0, 1) and N(mu, 1) have, also below an epsilon of 0."""
    if mu2 == 0:
        return max(0.0, 1 - exp(epsilon))
    mu = sqrt(mu2)
    low = epsilon / mu - mu / 2
    return erfc(low / sqrt(2)) / 2 - exp(epsilon) * erfc((low + mu) / sqrt(2)) / 2


def true_delta(epsilon, mu2, counts, each):
    """The exact delta of Gaussian noise and of `counts` answers by randomized response."""
    yes = 1 / (1 + exp(-each))
    losses = [
        (comb(counts, n) * yes**n * (1 - yes) ** (counts - n), (2 * n - counts) * each)
        for n in range(counts + 1)
    ]
    return sum(chance * gaussian_delta(mu2, epsilon - loss) for chance, loss in losses)


@pytest.mark.parametrize(
    ("budget", "loss", "acts", "mu2", "counts"),
    [
        (pure(20), pure("1/10"), [LAPLACE], 0, 1),
        (zcdp(9), zcdp("1/200"), [LAPLACE], 0, 1),
        (zcdp(9), zcdp("1/800"), [GAUSS], 1 / 400, 0),
        (gdp(mu2=9), gdp(mu2="1/400"), [GAUSS], 1 / 400, 0),
        (approx(20, "1e-6"), approx("1/5", 0), [LAPLACE, GAUSS], 1 / 400, 1),
    ],
)
def test_a_hundred_charges_keep_what_their_noise_keeps_together(budget, loss, acts, mu2, counts):
    """Never less than the exact sum of all losses, and hardly more."""
    book = book_of(budget, *[(loss, acts)] * 100)
    kept = tight(book)

    assert (kept.kind, kept.delta) == ("approx", DELTA)
    epsilon = float(kept.epsilon)
    assert true_delta(epsilon, 100 * mu2, 100 * counts, 0.1) <= DELTA
    assert true_delta(epsilon * 0.99, 100 * mu2, 100 * counts, 0.1) > DELTA


def test_a_choice_counts_as_randomized_response_and_a_void_as_nothing():
    """A choice is a pure act; what was taken back is not counted."""
    book = book_of(pure(9), *[(pure("1/10"), [CHOICE])] * 3)
    noise = noise_of(book)
    assert noise.mu2 == noise.chance == 0
    assert len(noise.laplace) == 3
    assert tight(book).epsilon <= Fraction(3, 10)

    book = book.plus(book.void(seq=2, reason="power cut", who="mei", when=WHEN))
    assert len(noise_of(book).laplace) == 2


@pytest.mark.parametrize(
    ("budget", "loss", "expected"),
    [
        (pure(9), pure(1), pure(1)),
        (approx(9, "1e-6"), approx(1, "1e-7"), approx(1, "1e-7")),
        (zcdp(9), zcdp(1), None),
        (zcdp(9), zcdp(0), zcdp(0)),
    ],
)
def test_a_charge_of_which_only_the_loss_is_known_counts_as_that(budget, loss, expected):
    """Such as a copy that went on; rho alone has no such figure, and says so."""
    book = book_of(budget, (loss, [{"act": "restored"}]))
    noise = noise_of(book)
    if expected is None:
        assert noise is None
        assert tight(book) is None
        assert "no such figure" in tight_words(book)
        return
    pair = (sum(1 / scale for scale, _ in noise.laplace), noise.chance)
    assert pair == (expected.numbers[0], expected.named.get("delta", 0))
    assert tight(book).epsilon <= expected.numbers[0]


def test_found_keys_cost_their_rounds_and_their_chance(tmp_path):
    """As the plan has it; a delta that is used up leaves no figure for noise."""
    table = dp.table(
        [{"film": "a", "who": n} for n in range(9)],
        name="t",
        unit=dp.unit("who", max_rows=1),
        keys={"film": dp.unknown(max_groups=1)},
    )
    plan = dp.plan(table, dp.count(by="film"), spend=zcdp("1/10", delta="1e-7"))
    book = book_of(zcdp(1, delta="1e-6"), (plan.cost, plan.events()))

    noise = noise_of(book)
    assert noise.chance == Fraction(1, 10**7)
    assert noise.mu2 == pytest.approx(0.2, rel=1e-2)
    assert 0 < tight(book).epsilon < 3
    assert tight(book_of(zcdp(1, delta="1e-7"), (plan.cost, plan.events()))) is None


@pytest.mark.slow
def test_it_is_shown_where_it_is_asked_for_and_lets_no_charge_in(tmp_path):
    """A full ledger stays full, however much less its charges keep together."""
    ledger = create(tmp_path / "visits.ledger", budget=pure(4), id="7f3a")
    rows = dp.table([{"a": 1}], name="t", unit="row")
    plan = dp.plan(rows, dp.count(), spend=pure("1/10"))
    for number in range(40):
        dp.run(plan, ledger=ledger, request=str(number))

    said = " ".join(ledger.sheet(tight=True).text().split())
    assert "had all plans been fixed in advance. What adds up reads as epsilon = 4." in said
    assert tight(ledger.book()).epsilon < Fraction(7, 2)
    assert "Tight" not in ledger.sheet().text()
    with pytest.raises(BudgetError):
        dp.run(plan, ledger=ledger, request="more")
    assert ledger.left() == pure(0)


def test_an_empty_book_has_nothing_to_say(tmp_path):
    """And a ledger of purses says it beside its promise."""
    empty = create(tmp_path / "a.ledger", budget=zcdp(1), id="7f3a")
    assert tight(empty.book()) == Loss("approx", (Fraction(0), DELTA))
    assert "Tight" not in sheet_of(empty.book(), empty.path, tight=True).text()
    three = dp.ledger(tmp_path / "b.ledger", budget=approx(1, "1e-6"), pure="1/2")
    pay(three, "1", three.left().times(Fraction(1, 4)))
    assert "Tight: all that was charged keeps" in three.sheet(tight=True).text()
