"""zCDP and Gaussian loss but for a chance: how they add up, and what they keep, by enumeration."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest

import discreet as dp
from discreet.calculator import delta_of, epsilon_of
from discreet.errors import BudgetError, InputError
from discreet.ledgers.rules import ChargeRequest
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.plans.price import Act, added, loss_in
from discreet.privacy import conversion, gdp
from discreet.privacy.conversion import converted
from discreet.privacy.loss import Loss, loss_of, pure, purses
from discreet.privacy.risk import true_yes_up
from discreet.sensitivity import Sensitivity

pytestmark = pytest.mark.claim("C169")

KINDS = {
    "approx_zcdp": lambda rho, d: dp.zcdp(rho, delta=d),
    "approx_gdp": lambda rho, d: dp.gdp(mu2=2 * rho, delta=d),
}
FIRST, THEN = (Fraction(1, 4), Fraction(1, 50)), (Fraction(1, 8), Fraction(1, 20))  # rho, chance
OTHERWISE = (
    Fraction(1, 4),
    Fraction(1, 100),
)  # after an answer above 0; neither is within the other
WHOLE = (Fraction(1, 2), Fraction(7, 100))
MOVED = Sensitivity(1, 1, 1)


def act(rho, chance):
    """An answer with and without a unit: with a chance it tells all, else it has Gaussian noise."""
    far = np.arange(-25, 26)
    masses = {}
    for unit in (0, 1):
        weights = np.exp(-((far - unit) ** 2) * float(rho))  # sigma2 = 1 / (2 rho)
        masses[unit] = {
            k: float(w) * (1 - float(chance))
            for k, w in zip(far, weights / weights.sum(), strict=True)
        }
        masses[unit][f"it is {unit}"] = float(chance)
    return masses


def worlds():
    """All answers of two acts, the second chosen by the first, with both chances of each."""
    first, then, otherwise = act(*FIRST), act(*THEN), act(*OTHERWISE)
    answers = {*first[0], *first[1]}
    found = []
    for one in answers:
        second = otherwise if isinstance(one, str) or one > 0 else then
        for other in {*second[0], *second[1]}:
            found.append([first[u].get(one, 0.0) * second[u].get(other, 0.0) for u in (1, 0)])
    return np.array(found).T


def told(pair, epsilon):
    """The least delta of a pair of laws at an epsilon, in the worse direction."""
    with_unit, without = pair
    return max(
        np.maximum(0, p - exp(epsilon) * q).sum()
        for p, q in ((with_unit, without), (without, with_unit))
    )


def power(pair, alpha):
    """The chance of a true yes of the best test: Neyman and Pearson."""
    order = np.argsort(-pair[0] / np.maximum(pair[1], 1e-300))
    p, q = pair[0][order], pair[1][order]
    before = np.cumsum(q) - q
    share = np.clip((alpha - before) / np.maximum(q, 1e-300), 0, 1)
    return float((p * share).sum())


@pytest.mark.parametrize("kind", KINDS)
def test_two_acts_of_which_the_second_is_chosen_by_the_first_keep_what_their_sum_says(kind):
    """delta at every epsilon, and every chance of a true yes; without the chances neither would hold."""
    pair, loss = worlds(), KINDS[kind](*WHOLE)
    curve = conversion.delta_up if kind == "approx_zcdp" else gdp.delta_up
    number = loss.ideal.numbers[0]
    if kind == "approx_gdp":  # on whole numbers noise costs a little more mu^2 than 2 rho
        priced = [
            DiscreteGaussian(1 / (2 * rho)).loss_in("gdp", l1=1, l2_squared=1)
            for rho, _ in (FIRST, OTHERWISE)
        ]
        loss = Loss(kind, (priced[0].plus(priced[1]).mu2, loss.delta))
        number = loss.mu2

    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4)):
        x = curve(number, epsilon)
        true = told(pair, float(epsilon))
        assert true <= float(loss.delta + (1 - loss.delta) * x) + 1e-12
        if epsilon == 4:
            assert true > float(x)
            assert true > float(x + max(FIRST[1], THEN[1]) / 2)
    for alpha in (Fraction(1, 1000), Fraction(1, 100), Fraction(1, 5), Fraction(9, 10)):
        assert power(pair, float(alpha)) <= float(true_yes_up(loss, alpha)) + 1e-12
    assert power(pair, 0.001) > float(true_yes_up(loss.ideal, Fraction(1, 1000)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_bound_on_a_true_yes_is_reached_by_a_pair_that_tells_all(kind):
    """No noise at all, and a chance: power = chance + (1 - chance) times a coin."""
    loss = Loss(kind, (Fraction(0), Fraction(1, 10)))

    assert float(true_yes_up(loss, Fraction(9, 100))) == pytest.approx(0.1 + 0.9 * 0.1)
    assert true_yes_up(loss, Fraction(95, 100)) == 1


def test_every_loss_that_becomes_rho_or_mu2_becomes_it_beside_a_chance():
    """And delta of (epsilon, delta) becomes the chance; nothing loses its chance on the way."""
    rho, mu2, chance = Fraction(1, 8), Fraction(1, 4), Fraction(1, 100)
    both = {
        (dp.zcdp(rho), "approx_zcdp"): (rho, 0),
        (dp.gdp(mu2=mu2), "approx_zcdp"): (mu2 / 2, 0),
        (dp.gdp(mu2=mu2), "approx_gdp"): (mu2, 0),
        (dp.gdp(mu2=mu2, delta=chance), "approx_zcdp"): (mu2 / 2, chance),
        (dp.gdp(mu2=mu2, delta=chance), "purses"): (0, mu2, chance),
        (dp.zcdp(rho, delta=0), "zcdp"): (rho,),
        (dp.gdp(mu2=mu2, delta=0), "zcdp"): (mu2 / 2,),
        (pure(1), "approx_zcdp"): (conversion.rho_of_pure(Fraction(1)), 0),
        (pure(1), "approx_gdp"): (gdp.mu2_of_pure(Fraction(1)), 0),
        (dp.approx(1, chance), "approx_zcdp"): (conversion.rho_of_pure(Fraction(1)), chance),
        (dp.approx(1, chance), "approx_gdp"): (gdp.mu2_of_pure(Fraction(1)), chance),
    }  # fmt: skip
    for (loss, kind), numbers in both.items():
        assert converted(loss, kind).numbers == numbers
        assert converted(loss, kind).kind == kind
    nothing = [
        (dp.zcdp(rho, delta=chance), kind)
        for kind in ("zcdp", "gdp", "approx_gdp", "approx", "pure", "purses")
    ]
    nothing += [(dp.gdp(mu2=mu2, delta=chance), kind) for kind in ("gdp", "zcdp", "approx")]
    nothing += [(dp.zcdp(rho), "approx_gdp"), (purses(pure=1, mu2=1, chance=0), "approx_zcdp")]
    assert [converted(loss, kind) for loss, kind in nothing] == [None] * len(nothing)


@pytest.mark.parametrize("epsilon", ["1/10", "1", "4"])
def test_an_epsilon_with_delta_is_a_pair_that_tells_all_or_keeps_its_rho(epsilon):
    """Randomized response, given that it does not tell all: every order of its divergence."""
    loss = converted(dp.approx(Fraction(epsilon), "1/20"), "approx_zcdp")
    e = exp(float(Fraction(epsilon)))
    p, q = np.array([e, 1]) / (1 + e), np.array([1, e]) / (1 + e)

    for order in (1.0001, 1.5, 2, 5, 30):
        found = np.log((p**order * q ** (1 - order)).sum()) / (order - 1)
        assert found <= order * float(loss.rho) * (1 + 1e-9)
    assert loss.delta == Fraction(1, 20)


@pytest.mark.parametrize("made", KINDS.values())
def test_such_a_loss_is_written_in_two_numbers_and_read_again(made):
    """As ledgers and releases hold it."""
    loss = made(Fraction(1, 8), "1e-6")

    assert loss_of(loss.plain()) == loss
    assert [*loss.plain()] == ["kind", *loss.named]
    assert loss.plus(loss).numbers == (2 * loss.numbers[0], 2 * loss.delta)
    assert not loss.fits(made(Fraction(1, 8), "1e-7"))
    assert not loss.fits(made(Fraction(1, 9), "1e-5"))
    assert loss.ideal.kind == loss.kind.removeprefix("approx_")


@pytest.mark.parametrize("delta", [-1, 1, "x", float("nan")])
def test_a_delta_that_is_no_chance_is_refused(delta):
    """In three lines, as that of (epsilon, delta) is."""
    for made in KINDS.values():
        with pytest.raises(InputError, match="delta"):
            made(1, delta)


@pytest.mark.parametrize("made", [dp.zcdp, lambda *n, **d: dp.gdp(mu2=n[0], **d), dp.approx])
def test_a_loss_is_refused_that_could_not_be_read_again(made):
    """A release of it was charged, and then opened nowhere; 400 digits are read."""
    kept, lost = Fraction(1, 10**399), Fraction(1, 10**400)
    loss = made("1/2", delta=kept)

    assert loss_of(loss.plain()) == loss
    for give in (lambda: made("1/2", delta=lost), lambda: made(1 / (1 + lost), delta=0)):
        with pytest.raises(InputError, match="more than 400 digits"):
            give()


@pytest.mark.parametrize("kind", KINDS)
def test_noise_and_chances_of_acts_add_up_apart(kind):
    """Noise of both laws, a choice that keeps (epsilon, delta), and a chance alone."""
    noise = Act(DiscreteGaussian(Fraction(4)), MOVED)
    chance = dp.approx(0, "1e-7")
    found = added([noise, chance, dp.approx(1, "1e-6")], kind)
    of = kind.removeprefix("approx_")
    alone = loss_in(noise, of).numbers[0] + converted(pure(1), of).numbers[0]

    assert found == Loss(kind, (alone, Fraction(11, 10**7)))
    assert loss_in(noise, kind).ideal == loss_in(noise, of)


@pytest.mark.parametrize("kind", KINDS)
def test_a_ledger_adds_both_numbers_and_refuses_what_exceeds_either(kind, tmp_path):
    """Rho left and no chance, or a chance and no rho: each is refused alone."""
    book = dp.ledger(tmp_path / "k.ledger", budget=KINDS[kind](Fraction(1), "1e-5"))
    cost = KINDS[kind](Fraction(1, 4), "4e-6")

    for n in range(2):
        book.file.reserve(ChargeRequest(request=f"{n}", plan="p", loss=cost, events=[]))
    with pytest.raises(BudgetError, match="only"):  # 8e-6 of 1e-5 are spent
        book.file.reserve(ChargeRequest(request="3", plan="p", loss=cost, events=[]))
    book.file.reserve(ChargeRequest(request="4", plan="p", loss=cost.ideal, events=[]))
    with pytest.raises(BudgetError, match="only"):
        book.file.reserve(
            ChargeRequest(
                request="5",
                plan="p",
                loss=replace(cost, numbers=(Fraction(2), Fraction(0))),
                events=[],
            )
        )
    assert book.left() == KINDS[kind](Fraction(1, 4), "2e-6")
    assert book.verify() == []
    assert dp.ledger(tmp_path / "k.ledger", budget=KINDS[kind](1, "1e-5")).left() == book.left()
    with pytest.raises(InputError, match="another budget"):
        dp.ledger(tmp_path / "k.ledger", budget=KINDS[kind](1, "1e-6"))


@pytest.mark.parametrize(("budget", "kind"), [*product((dp.zcdp(1), dp.gdp(mu2=1)), KINDS)])
def test_a_chance_is_not_charged_to_a_ledger_without_one(budget, kind, tmp_path):
    """An act but for a chance is no zCDP; without a chance it is."""
    book = dp.ledger(tmp_path / "k.ledger", budget=budget)

    with pytest.raises(InputError, match="costs"):
        book.file.reserve(
            ChargeRequest(
                request="1", plan="p", loss=KINDS[kind](Fraction(1, 9), "1e-6"), events=[]
            )
        )
    assert book.left() == budget


@pytest.mark.parametrize("how", [{"rho": "1/50"}, {"mu2": "1/25"}, {"sigma": 5}])
def test_the_calculator_adds_a_chance_that_is_beside_the_noise(how):
    """delta = chance + (1 - chance) x, and back; none is as before; all of delta is too much."""
    chance = Fraction(3, 10**7)
    alone = Fraction(delta_of("gaussian", at_epsilon=1, **how))
    both = Fraction(delta_of("gaussian", at_epsilon=1, chance=chance, **how))
    epsilon = epsilon_of("gaussian", at_delta="1e-6", chance="3e-7", **how)

    assert 0 <= both - (chance + (1 - chance) * alone) < Fraction(1, 10**20)
    assert delta_of("gaussian", at_epsilon=epsilon, chance=chance, **how) <= Fraction(1, 10**6)
    less = epsilon * Decimal("0.999999")
    assert delta_of("gaussian", at_epsilon=less, chance=chance, **how) > Fraction(1, 10**6)
    assert epsilon_of("gaussian", at_delta="1e-6", chance=0, **how) < epsilon
    for wrong in ("1e-6", 1, -1, "x"):
        with pytest.raises(InputError, match="chance"):
            epsilon_of("gaussian", at_delta="1e-6", chance=wrong, **how)
