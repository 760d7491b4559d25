"""Without an epsilon a delta bounds how far apart all chances are, which Gaussian noise keeps."""

from fractions import Fraction

import pytest

import discreet as dp
from discreet.calculator import sigma_for
from discreet.errors import InputError
from discreet.privacy import gdp

pytestmark = pytest.mark.claim("C239")

ROWS = [{"k": at % 3, "x": at % 9} for at in range(50)]
TABLE = dp.table(
    ROWS, unit="row", name="t", keys={"k": range(3)}, columns={"x": dp.bounds(0, 9, step=1)}
)
ASKED = {
    "count": dp.count(by="k"),
    "sum": dp.sum("x", by="k"),
    "wanted": dp.count(within=100),
    "choice": dp.choose("k"),
}


def apart(law, moved):
    """The total variation between a law and itself moved: exact masses, as doubles."""
    reach = law.half_width(Fraction(1, 10**9)) + moved
    masses = [float(law.mass(abs(y))) for y in range(-reach, reach + 1 + moved)]
    return sum(abs(a - b) for a, b in zip(masses, masses[moved:], strict=False)) / 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ASKED)
def test_a_delta_alone_buys_an_answer(name, tmp_path):
    """Planned, charged, released and verified; once, where it is all of a ledger."""
    plan = dp.plan(TABLE, ASKED[name], spend=dp.approx(0, "0.01"))
    book = dp.ledger(tmp_path / "book", budget=dp.approx(0, "0.01"))
    release = dp.run(plan, ledger=book)
    release.save(tmp_path / "out")

    assert plan.cost.epsilon == 0
    assert 0 < plan.cost.delta <= Fraction(1, 100)
    assert dp.verify(tmp_path / "out", ledger=tmp_path / "book").checks
    with pytest.raises(dp.errors.BudgetError):
        dp.run(plan, ledger=book, request="again")


@pytest.mark.parametrize("delta", ["0.01", "0.05"])
def test_the_noise_is_that_of_the_analytic_mechanism(delta):
    """sigma = 39.8932 at 0.01 (Balle and Wang 2018, Theorem 2), and no chance differs by more."""
    (law,) = dp.plan(TABLE, dp.count(by="k"), spend=dp.approx(0, delta)).laws

    assert float(law.sigma2) ** 0.5 == pytest.approx(
        float(sigma_for(epsilon=0, delta=delta)), rel=0.01
    )
    assert 0.98 * float(delta) < apart(law, 1) <= float(delta)


@pytest.mark.parametrize("delta", ["1e-9", "0.01", "0.5", "0.99"])
def test_the_mu2_of_a_delta_is_the_largest_that_keeps_it(delta):
    """A millionth more does not."""
    mu2 = gdp.mu2_down(Fraction(0), Fraction(delta))

    assert gdp.keeps(mu2, Fraction(0), Fraction(delta))
    assert not gdp.keeps(mu2 * Fraction(1_000_001, 1_000_000), Fraction(0), Fraction(delta))


@pytest.mark.parametrize("spend", [dp.approx(0, 0), dp.pure(0), dp.zcdp(0, delta="0.01")], ids=str)
def test_nothing_buys_nothing(spend):
    """No delta beside it, or one that only says how often a rho fails."""
    with pytest.raises(InputError, match="buys no answer"):
        dp.plan(TABLE, dp.count(), spend=spend)
