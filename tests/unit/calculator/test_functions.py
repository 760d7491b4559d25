"""The calculator's page: what it refuses, what it combines, and that both directions meet."""

from decimal import Decimal
from fractions import Fraction

import pytest

from discreet import calculator as calc
from discreet.calculator.for_accuracy import next_step
from discreet.errors import InputError

GAUSS = {"epsilon": 1, "delta": "1e-6"}


@pytest.mark.parametrize(
    "bad", ["nan", "inf", "-inf", "abc", "", "1/0", "-1", None, True, [], "1e7"]
)
def test_an_epsilon_that_is_none_is_refused_in_three_lines(bad):
    """Negative, infinite, no number, or beyond a million nats: InputError with why and fix."""
    asks = [
        lambda: calc.accuracy("geometric", epsilon=bad, alpha="0.05"),
        lambda: calc.sigma_for(epsilon=bad, delta="1e-6"),
        lambda: calc.sigma2_for(epsilon=bad, delta="1e-6"),
        lambda: calc.scale_for(epsilon=bad),
        lambda: calc.note_sigma(epsilon=bad, delta="1e-6"),
        lambda: calc.delta_of("geometric", at_epsilon=1, epsilon=bad),
    ]
    for ask in asks:
        with pytest.raises(InputError) as refused:
            ask()
        assert str(refused.value).count("\n") == 2


@pytest.mark.parametrize(
    "ask",
    [
        lambda: calc.accuracy("geometric", epsilon=1, alpha=0),
        lambda: calc.accuracy("geometric", epsilon=1, alpha="1.5"),
        lambda: calc.accuracy("geometric", epsilon=0, alpha="0.05"),
        lambda: calc.accuracy("geometric", epsilon=1, alpha="0.05", sensitivity=0),
        lambda: calc.accuracy("geometric", epsilon=1, alpha="0.05", sensitivity="-2"),
        lambda: calc.accuracy("geometric", epsilon=1, alpha="0.05", convention="lt"),
        lambda: calc.accuracy("geometric", epsilon=1, alpha="0.05", coordinates=0),
        lambda: calc.accuracy("geometric", epsilon=1, alpha="0.05", releases="1/2"),
        lambda: calc.accuracy("geometric", epsilon=1, alpha="0.05", releases=10**9),
        lambda: calc.accuracy("geometric", epsilon=1, alpha="0.05", bounds=(0, 9)),
        lambda: calc.accuracy("geometric", epsilon=1, scale=1, alpha="0.05"),
        lambda: calc.accuracy("geometric", alpha="0.05"),
        lambda: calc.accuracy("geometric", epsilon=1, delta="1e-6", alpha="0.05"),
        lambda: calc.accuracy("poisson", epsilon=1, alpha="0.05"),
        lambda: calc.accuracy("clamped_geometric", epsilon=1, alpha="0.05"),
        lambda: calc.accuracy("clamped_geometric", epsilon=1, alpha="0.05", bounds=(9, 0)),
        lambda: calc.accuracy("clamped_geometric", epsilon=1, alpha="0.05", bounds=(0, 2**64)),
        lambda: calc.accuracy("clamped_geometric", epsilon=1, alpha="0.05", bounds=7),
        lambda: calc.accuracy(
            "truncated_geometric", epsilon=1, alpha="0.05", bounds=(0, 9), releases=2
        ),
        lambda: calc.accuracy("gaussian", epsilon=1, alpha="0.05"),
        lambda: calc.accuracy("discrete_gaussian", sigma2=3, alpha="0.05", releases=2000),
        lambda: calc.accuracy("laplace", epsilon=1, alpha="0.05", releases=3000),
        lambda: calc.epsilon_for("geometric", accuracy=-1, alpha="0.05"),
        lambda: calc.epsilon_for("geometric", accuracy="1e30", alpha="0.05"),
        lambda: calc.epsilon_for("geometric", accuracy=0, alpha="0.05", convention="ge"),
        lambda: calc.epsilon_for("geometric", accuracy=3, alpha="0.05", delta="1e-6"),
        lambda: calc.epsilon_for("gaussian", accuracy=3, alpha="0.05"),
        lambda: calc.epsilon_for("gaussian", accuracy=0, alpha="0.05", delta="1e-6"),
        lambda: calc.epsilon_for("gaussian", accuracy=3, alpha="0.05", delta=0),
        lambda: calc.epsilon_for("laplace", accuracy=0, alpha="0.05"),
        lambda: calc.epsilon_for("truncated_geometric", accuracy=3, alpha="0.05"),
        lambda: calc.epsilon_for("geometric", accuracy=3, alpha="0.05", bounds=(0, 9)),
        lambda: calc.rho_for("geometric", accuracy=3, alpha="0.05"),
        lambda: calc.sigma_for(epsilon=1, delta=0),
        lambda: calc.sigma_for(epsilon=1, delta=1),
        lambda: calc.sigma_for(epsilon=1, delta="-1e-9"),
        lambda: calc.sigma_for(epsilon=1, delta="1e-6", sensitivity=0),
        lambda: calc.sigma_for(epsilon=1),
        lambda: calc.sigma_for(rho=0),
        lambda: calc.sigma_for(epsilon=2, delta="1e-6", rule="classical"),
        lambda: calc.sigma_for(epsilon=1, delta="0.5", rule="tight"),
        lambda: calc.sigma_for(epsilon=0, delta="0.1", rule="classical"),
        lambda: calc.sigma_for(epsilon=1, delta="1e-6", rule="guess"),
        lambda: calc.sigma_for(rho=1, rule="tight"),
        lambda: calc.sigma_for("geometric", epsilon=1, delta="1e-6"),
        lambda: calc.sigma2_for(epsilon=1, delta="1e-6", sensitivity="1/2"),
        lambda: calc.sigma2_for(epsilon=1, delta="1e-6", releases=2),
        lambda: calc.scale_for("gaussian", epsilon=1),
        lambda: calc.delta_of("geometric", at_epsilon=-1, epsilon=1),
        lambda: calc.delta_of("gaussian", at_epsilon=1, sigma=0),
        lambda: calc.delta_of("gaussian", at_epsilon=1, sigma="1e-400"),
        lambda: calc.epsilon_of("gaussian", at_delta=0, sigma=1),
        lambda: calc.noise_for("geometric", accuracy=10, alpha=1),
        lambda: calc.noise_for("clamped_geometric", accuracy=10, alpha="0.05"),
        lambda: calc.noise_for("poisson", accuracy=10, alpha="0.05"),
        lambda: calc.noise_for("gaussian", accuracy=0, alpha="0.05"),
        lambda: calc.tail_of("laplace", error=1, epsilon=1, releases=2001),
        lambda: calc.tail_of("discrete_gaussian", error=1, sigma2=2, releases=201),
        lambda: calc.tail_of("gaussian", error="-1", sigma=1),
        lambda: calc.tail_of("geometric", error="1/2", epsilon=1),
        lambda: calc.rho_of("clamped_geometric", epsilon=1),
        lambda: calc.tail_of("geometric", error=-1, epsilon=1),
        lambda: calc.tail_of("gaussian", error=1, sigma2=1),
        lambda: calc.note_accuracy("gaussian", epsilon=1, alpha="0.05"),
        lambda: calc.note_accuracy("discrete_gaussian", **GAUSS, alpha="0.05"),
        lambda: calc.note_accuracy("gaussian", **GAUSS, alpha="0.05", constant="loose"),
        lambda: calc.note_epsilon("geometric", accuracy=0, alpha="0.05"),
        lambda: calc.note_epsilon("gaussian", accuracy=1, alpha="0.05"),
        lambda: calc.note_sigma(epsilon=0, delta="1e-6"),
    ],
)
def test_bad_input_gets_three_lines_and_never_a_number(ask):
    """Whatever is out of range, missing or does not belong together is refused with a way out."""
    with pytest.raises(InputError) as refused:
        ask()

    lines = str(refused.value).splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("  why: ")
    assert lines[2].startswith("  fix: ")


def test_an_alpha_of_1_promises_nothing():
    """The right limits: accuracy 0, epsilon 0, rho 0."""
    assert calc.accuracy("geometric", epsilon=1, alpha=1) == 0
    assert calc.accuracy("geometric", epsilon=1, alpha=1, convention="ge") == 0
    assert calc.accuracy("gaussian", sigma=3, alpha=1) == 0
    assert calc.accuracy("laplace", epsilon=3, alpha=1, coordinates=4) == 0
    assert calc.accuracy("truncated_geometric", epsilon=1, alpha=1, bounds=(0, 9)) == 0
    assert calc.epsilon_for("geometric", accuracy=5, alpha=1) == 0
    assert calc.epsilon_for("gaussian", accuracy=5, alpha=1, delta="1e-6") == 0
    assert calc.rho_for("discrete_gaussian", accuracy=5, alpha=1) == 0


def test_an_accuracy_between_whole_numbers_is_the_whole_one_it_means():
    """An error above 2.5 is above 2; an error of 2.5 or more is 3 or more."""
    known = {"alpha": "0.05"}

    assert calc.epsilon_for("geometric", accuracy="2.5", **known) == calc.epsilon_for(
        "geometric", accuracy=2, **known
    )
    assert calc.epsilon_for(
        "geometric", accuracy="2.5", convention="ge", **known
    ) == calc.epsilon_for("geometric", accuracy=3, convention="ge", **known)


@pytest.mark.parametrize(
    ("law", "more"),
    [
        ("geometric", {}),
        ("geometric", {"sensitivity": 3, "convention": "ge", "coordinates": 4, "releases": 6}),
        ("clamped_geometric", {"bounds": (0, 200)}),
        ("discrete_gaussian", {"delta": "1e-6"}),
    ],
)
def test_the_epsilon_for_an_accuracy_gives_that_accuracy(law, more):
    """accuracy(epsilon_for(a)) is a on the whole numbers, through the public page."""
    epsilon = calc.epsilon_for(law, accuracy=20, alpha="0.05", **more)

    assert calc.accuracy(law, epsilon=epsilon, alpha="0.05", **more) in (19, 20)


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_both_directions_meet_on_the_reals(law):
    """epsilon_for(accuracy(epsilon)) is epsilon again within 1e-12."""
    more = {"alpha": "0.01", "coordinates": 3} | ({"delta": "1e-9"} if law == "gaussian" else {})
    a = calc.accuracy(law, epsilon="0.7", **more)

    back = calc.epsilon_for(law, accuracy=a, **more)

    assert float(back) == pytest.approx(0.7, rel=1e-12)


@pytest.mark.parametrize(
    ("law", "size"),
    [
        ("geometric", "scale"),
        ("laplace", "scale"),
        ("gaussian", "sigma"),
        ("discrete_gaussian", "sigma2"),
    ],
)
def test_the_most_noise_for_an_accuracy_keeps_it_and_more_does_not(law, size):
    """noise_for is rounded down: at it the tail is at most alpha, 1e-12 above it is not."""
    most = calc.noise_for(law, accuracy=10, alpha="0.05")

    assert calc.tail_of(law, error=10, **{size: most}) <= Decimal("0.05")
    more = Fraction(most) * (1 + Fraction(1, 10**12))
    assert calc.tail_of(law, error=10, **{size: more}) > Decimal("0.05")


def test_a_tiny_alpha_is_shared_by_a_million_numbers_without_losing_its_digits():
    """1 - (1 - 1e-300)^(1/d) is 1e-300 / d to 300 digits: as if alpha itself were a millionth."""
    known = {"accuracy": 10, "delta": "1e-6"}
    for law, more in (("geometric", {"accuracy": 10}), ("gaussian", known)):
        together = calc.epsilon_for(law, alpha="1e-300", coordinates=10**6, **more)
        assert together == calc.epsilon_for(law, alpha="1e-306", **more)


@pytest.mark.slow
def test_a_sum_of_two_thousand_releases_is_answered_for_any_alpha():
    """The promise is kept by the exact tail, in milliseconds a look, at 1e-300 too."""
    epsilon = calc.epsilon_for("geometric", accuracy=1, alpha="1e-300", releases=2000)

    assert calc.tail_of("geometric", error=1, epsilon=epsilon, releases=2000) <= Decimal("1e-300")


def test_discrete_gaussian_noise_far_out_in_64_bits_is_answered():
    """An accuracy of 10^15 passes tails of e^(-10^30) on its way, and both directions meet."""
    sigma2 = calc.noise_for("discrete_gaussian", accuracy=10**15, alpha="0.05")

    back = calc.accuracy("discrete_gaussian", sigma2=sigma2, alpha="0.05")
    assert 10**15 - 100 <= back <= 10**15


@pytest.mark.parametrize("sigma", ["1e-90", "1e-12", "1e-6", "1e30", "1e90"])
@pytest.mark.parametrize("delta", ["1e-300", "1e-9", "0.999"])
def test_the_gaussian_curve_goes_both_ways_for_every_size_of_noise(sigma, delta):
    """From an epsilon of 10^179 down to 0: delta_of at the answer is at most delta."""
    epsilon = calc.epsilon_of("gaussian", at_delta=delta, sigma=sigma)

    if epsilon <= 10**6:
        at = {"at_epsilon": epsilon, "sigma": sigma}
        assert calc.delta_of("gaussian", **at) <= Decimal(delta)


def test_the_laplace_curve_goes_both_ways():
    """delta = 1 - e^((epsilon - loss) / 2), and 0 once epsilon reaches the loss."""
    epsilon = calc.epsilon_of("laplace", at_delta="0.1", scale=2, sensitivity=3)

    assert float(calc.delta_of("laplace", at_epsilon=epsilon, scale=2, sensitivity=3)) == (
        pytest.approx(0.1, rel=1e-14)
    )
    assert calc.epsilon_of("laplace", at_delta=0, scale=2, sensitivity=3) == Decimal("1.5")
    assert calc.epsilon_of("laplace", at_delta="0.99", scale=2, sensitivity=3) == 0


def test_gaussian_releases_compose_into_one():
    """Four releases at sigma lose what one at sigma / 2 does; sigma_for knows it."""
    four = calc.delta_of("gaussian", at_epsilon=1, sigma=8, releases=4)
    one = calc.delta_of("gaussian", at_epsilon=1, sigma=4)

    assert float(four) == pytest.approx(float(one), rel=1e-14)
    assert float(calc.sigma_for(**GAUSS, releases=4)) == pytest.approx(
        2 * float(calc.sigma_for(**GAUSS)), rel=1e-14
    )
    assert calc.rho_of("gaussian", sigma=8, releases=4) == Fraction(1, 32)


def test_a_loss_in_zcdp_gives_the_same_noise_both_ways():
    """sigma2 = l2^2 / (2 rho), exactly, and its rho comes back."""
    assert calc.sigma2_for(rho="1/50") == 25
    assert calc.rho_of("discrete_gaussian", sigma2=25) == Fraction(1, 50)
    assert calc.sigma_for(rho="1/50") == 5
    assert calc.rho_of("geometric", scale=2, sensitivity=2) == Fraction(1, 2)
    assert calc.scale_for(epsilon="1/3") == 3


@pytest.mark.parametrize("rule", ["classical", "tight", "vinterbo"])
def test_every_closed_form_is_at_least_the_exact_sigma(rule):
    """Where they are allowed, the rules are safe and wasteful; Pinsker's holds at 0 (B5, E2)."""
    assert calc.sigma_for(**GAUSS, rule=rule) > calc.sigma_for(**GAUSS)
    assert calc.sigma_for(epsilon=0, delta="0.01", rule="pinsker") == 50
    assert calc.sigma_for(epsilon=0, delta="0.01") < 50


def test_what_is_typed_comes_back_as_decimals_that_may_be_typed_again():
    """A result is a decimal, and every function takes decimals, floats, texts and fractions."""
    sigma = calc.sigma_for(epsilon=0.5, delta=Decimal("1e-6"), sensitivity=Fraction(1, 2))

    assert isinstance(sigma, Decimal)
    assert calc.delta_of("gaussian", at_epsilon="1/2", sigma=sigma, sensitivity=0.5) <= Decimal(
        "1e-6"
    )


def test_the_gaussian_loss_of_noise_and_back():
    """mu2_of is Theorem 2's for the discrete Gaussian; noise made for a mu2 keeps it, and no more."""
    assert calc.mu2_of("gaussian", sigma=4) == Fraction(1, 16)
    assert calc.mu2_of("gaussian", sigma=4, releases=3, sensitivity=2) == Fraction(3, 4)
    assert calc.sigma_for(mu2="1/16") == 4
    mine = calc.mu2_of("discrete_gaussian", sigma2=25, sensitivity=2)
    assert Fraction(4, 25) < mine < Fraction(4, 25) * Fraction(101, 100)
    sigma2 = Fraction(calc.sigma2_for(mu2="0.16", sensitivity=2))
    assert calc.mu2_of("discrete_gaussian", sigma2=sigma2, sensitivity=2) <= Fraction("0.16")
    less = sigma2 * Fraction(99_999, 100_000)
    assert calc.mu2_of("discrete_gaussian", sigma2=less, sensitivity=2) > Fraction("0.16")
    three = Fraction(calc.sigma2_for(mu2="0.16", releases=3))
    assert calc.mu2_of("discrete_gaussian", sigma2=three, releases=3) <= Fraction("0.16")
    assert float(calc.mu2_of("geometric", epsilon=1)) == pytest.approx(1.517911, abs=1e-6)
    assert calc.mu2_of("geometric", scale=1) == calc.mu2_of("laplace", epsilon=1)
    bounded = {"epsilon": 1, "bounds": (0, 9)}
    assert calc.mu2_of("clamped_geometric", **bounded) == calc.mu2_of("geometric", epsilon=1)


def test_a_gaussian_loss_says_the_noise_in_each_direction():
    """Accuracy, tail, epsilon and delta of noise for a mu2 are those of the sigma2 that keeps it."""
    sigma2 = calc.sigma2_for(mu2="1/25")
    for law, size in (("discrete_gaussian", {"sigma2": sigma2}), ("gaussian", {"sigma": 5})):
        for asked in (
            lambda **noise: calc.accuracy(alpha="0.05", **noise),
            lambda **noise: calc.tail_of(error=5, **noise),
            lambda **noise: calc.delta_of(at_epsilon="0.7", **noise),
            lambda **noise: calc.epsilon_of(at_delta="1e-6", **noise),
        ):
            assert asked(law=law, mu2="1/25") == asked(law=law, **size)
    with pytest.raises(InputError, match="is not said by mu2"):
        calc.accuracy("geometric", mu2=1, alpha="0.05")
    told = next_step("discrete_gaussian", 10, {"mu2": "1/25", "alpha": "0.05"})
    assert str(told) == "9 from mu2 = 0.042566 on"
    assert calc.accuracy("discrete_gaussian", mu2="0.0425", alpha="0.05") == 10


def test_the_gaussian_loss_is_explained():
    """In words, with its source; and what does not go with it is refused."""
    said = str(calc.explain("mu2", "discrete_gaussian", {"sigma2": 25, "releases": 4}))
    assert "the mu^2 of 4 releases together" in said
    assert "docs/laws/gdp.md" in said
    assert "keeps mu2 = 1/4" in str(calc.explain("sigma", "gaussian", {"mu2": "1/4"}))
    said = str(calc.explain("accuracy", "discrete_gaussian", {"mu2": "1/25", "alpha": "0.05"}))
    assert "9 from mu2 = 0.042566 on" in said
    assert "the continuous Gaussian says 9.79982" in said
    with pytest.raises(InputError, match="mu2 has nothing to do with this rho"):
        calc.explain("rho", "gaussian", {"mu2": 1})
