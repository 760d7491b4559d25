"""What every noise law must keep, one function a promise; each takes one law and fails by itself.

The checks of draws use a labelled tape: they pass or fail for ever. A right law fails one of them with
probability 1e-9 when it is first tried.
"""

from fractions import Fraction
from functools import cache, partial
from itertools import pairwise

import numpy as np
import pytest
from flint import ctx
from scipy import stats

from coins import Tape
from discreet.errors import InputError
from discreet.exact.enclosure import ball, enclosed
from discreet.noise import registry
from discreet.noise.law import Law
from discreet.post.denoise.noise import noise_of
from discreet.post.moments import Moments
from discreet.post.regions import REST, critical
from discreet.privacy.loss import Loss
from discreet.report.words import law_formula

BITS = 400
DRAWS = 200_000
ALARM = 1e-9
ALPHAS = [Fraction(9, 10), Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**6)]


def spread_of(law):
    return int(law.variance() ** 0.5) + 1


def same(left, right):
    """Two balls that hold one real, each narrow."""
    assert left.overlaps(right)
    assert min(left.rel_accuracy_bits(), right.rel_accuracy_bits()) > 100


@cache
def masses(law):
    """Every value of a narrow law with its probability, down to what no double sees."""
    reach = law.half_width(Fraction(1, 10**30)) + 14
    with ctx.workprec(200):
        side = [float(law.mass(k)) for k in range(reach + 1)]
    return np.arange(-reach, reach + 1), np.array([*side[:0:-1], *side])


# What a law says of itself


def check_it_is_listed(law):
    """plain() and law_of are inverse, and hold text alone; the register knows the class."""
    plain = law.plain()
    assert registry.LAWS[law.name] is type(law)
    assert plain["law"] == law.name
    assert registry.law_of(plain) == law
    assert all(type(text) is str for text in plain.values())


def check_it_has_words(law):
    """What plans and reports print of it is there, and is one line."""
    told = [law.words, law.size_name, law.formula, law.numbers(), law_formula(law)]
    assert all(text.strip() and "\n" not in text for text in told)
    assert law.words.lower().replace(" ", "_") == law.name
    assert isinstance(law.size_up(), Fraction)
    assert law.size_up() > 0


# Distribution and accuracy


def check_it_is_symmetric(law):
    """Masses and tails, on both sides; all of it is 1."""
    with ctx.workprec(BITS):
        for k in (1, 2, spread_of(law), 3 * spread_of(law)):
            same(law.mass(k), law.mass(-k))
            assert (law.tail(-k) + law.tail(k + 1)).overlaps(ball(Fraction(1)))
        assert (law.mass(0) + 2 * law.tail(1)).overlaps(ball(Fraction(1)))


def check_tails_are_the_sums_of_masses(law):
    """Pr[Y >= k] = the masses added one by one, both sides; its logarithm never underflows."""
    spread = spread_of(law)
    with ctx.workprec(BITS):
        for k in (-spread, 0, 1, spread, 4 * spread):
            added = sum((law.mass(x) for x in range(k, k + 60 * spread)), ball(Fraction(0)))
            assert (law.tail(k) - added).overlaps(law.tail(k + 60 * spread))
            assert law.tail(k).log().is_finite()


def check_half_width_is_exact(law):
    """alpha just above Pr[|Y| > a] gives a; just below, a + 1. No other alpha is as hard."""
    spread = int(law.variance() ** 0.5)
    for a in sorted({0, 1, spread, 3 * spread + 1}):
        bits = 300 + 4000 * (spread == 0)
        low, high = enclosed(lambda a=a: 2 * law.tail(a + 1), bits)
        if high < 1 and low > 0:
            assert law.half_width(high) == a
            assert law.half_width(low) == a + 1
            assert 0 < law.tail_up(a) - low <= low / 2**59
    assert law.tail_up(-1) == 1


def check_half_width_is_what_adding_up_masses_finds(law):
    """The least a whose mass outside is at most alpha, by brute force in rationals."""
    inside, a, found = Fraction(0), 0, {}
    while len(found) < len(ALPHAS) and a < 30 * spread_of(law):
        inside += (1 if a == 0 else 2) * enclosed(lambda a=a: law.mass(a), 200)[0]
        for alpha in ALPHAS:
            if 1 - inside <= alpha:
                found.setdefault(alpha, a)
        a += 1
    assert [law.half_width(alpha) for alpha in ALPHAS] == [found[alpha] for alpha in ALPHAS]


def check_variance_is_the_sum_of_squares(law):
    """The displayed float against mass-weighted squares."""
    with ctx.workprec(200):
        near = range(1, 60 * spread_of(law))
        added = sum((law.mass(x) * x * x for x in near), ball(Fraction(0)))
    assert law.variance() == pytest.approx(float(2 * added), rel=1e-12, abs=1e-300)


# Privacy


def check_a_calibrated_law_costs_no_more_than_its_loss(law):
    """For a loss of any digits and any vector; and hardly less, which would be noise for nothing."""
    kind = law.costs
    for amount in (Fraction(1, 3) + Fraction(1, 10**100), Fraction(2), Fraction(1, 10**6)):
        for l1, l2_squared in ((1, 1), (7, 49), (12, 9)):
            loss = Loss(kind, (amount,))
            made = type(law).calibrated(loss, l1=l1, l2_squared=l2_squared)
            cost = made.loss(l1=l1, l2_squared=l2_squared)
            assert cost.fits(loss)
            assert loss.times(Fraction(999, 1000)).fits(cost)


def check_neighbors_are_told_apart_by_no_more_than_the_loss(law):
    """One number, moved by some steps: the loss that the law states for it is kept."""
    for moved in (1, 2, 3 * spread_of(law)):
        stated = law.loss(l1=moved, l2_squared=moved * moved)
        here, there = _logarithms(law, moved)
        assert stated.kind == law.costs
        KEPT[stated.kind](here, there, float(stated.numbers[0]))


def _logarithms(law, moved):
    """ln Pr of every value of some reach, without the move and with it."""
    reach = 12 * spread_of(law) + 4 * moved
    with ctx.workprec(200):
        side = [float(law.mass(k).log()) for k in range(reach + moved + 1)]
    every = np.array([*side[:0:-1], *side])
    return every[moved : -moved or None], every[: -2 * moved]


def _keeps_epsilon(here, there, epsilon):
    assert np.abs(here - there).max() <= epsilon * (1 + 1e-9)


def _keeps_rho(here, there, rho):
    for order in (1.01, 1.5, 2.0, 8.0):
        divergence = np.logaddexp.reduce(order * here + (1 - order) * there) / (order - 1)
        assert divergence <= order * rho * (1 + 1e-9) + 1e-9


KEPT = {"pure": _keeps_epsilon, "zcdp": _keeps_rho}


# Draws


def check_draws_follow_the_law(law):
    """Chi-square over bins, and the count of draws beyond the 1/2000 point."""
    follows(law, law.draws(DRAWS, Tape(f"suite {law}")))


def chance(law, first, last):
    """Pr[first <= Y <= last] as a float, from an enclosure."""
    low, high = enclosed(lambda: law.tail(first) - law.tail(last + 1), 256)
    return float((low + high) / 2)


def cuts(law):
    """About 40 bins around zero and two tails of some 500 expected draws each."""
    reach = law.half_width(Fraction(1, 200))
    step = max(1, 2 * reach // 40)
    return list(range(-reach, reach + 1, step))


def follows(law, draws):
    """Chi-square over bins, and the count of draws beyond the 1/2000 point, as the law has them."""
    edges = cuts(law)
    counts = np.bincount(np.searchsorted(edges, draws, side="right"), minlength=len(edges) + 1)
    bounds = [None, *edges, None]
    expected = []
    for first, after in pairwise(bounds):
        low = -(2**200) if first is None else first
        high = 2**200 if after is None else after - 1
        expected.append(chance(law, low, high) * len(draws))
    statistic = sum((c - e) ** 2 / e for c, e in zip(counts, expected, strict=True))
    assert stats.chi2.sf(statistic, len(expected) - 1) > ALARM / 2

    far = law.half_width(Fraction(1, 2000))
    beyond = int((np.abs(draws) > far).sum())
    tail = 2 * chance(law, far + 1, 2**200)
    sides = stats.binom.cdf(beyond, len(draws), tail), stats.binom.sf(beyond - 1, len(draws), tail)
    assert min(sides) > ALARM / 4


def check_draws_come_in_any_number(law):
    """None, few and many: whole numbers within 60 deviations, alike in an array and a list."""
    for count in (0, 1, 23, 24, 1000):
        draws = law.draws(count, Tape("sizes"))
        sample = law.sample(count, Tape("sizes"))
        assert draws.dtype in (np.dtype(np.int64), np.dtype(object))
        assert sample == draws.tolist()
        assert len(sample) == count
        assert all(type(x) is int for x in sample)
        assert max(map(abs, sample), default=0) <= 60 * (law.variance() ** 0.5 + 1)
    with pytest.raises(InputError):
        law.draws(-1, Tape("none"))


# What is done after the noise was added


def check_denoisers_know_it(law):
    """Variance, fourth cumulant, chances and quantiles, against sums over the law."""
    noise, (values, chances) = noise_of(law), masses(law)
    second, fourth = chances @ values**2.0, chances @ values**4.0
    levels = np.array([0.01, 0.2, 0.5, 0.8, 0.99])
    least = values[np.searchsorted(np.cumsum(chances), levels * (1 + 1e-12))]
    assert noise.variance == pytest.approx(second, rel=1e-9)
    assert noise.fourth == pytest.approx(fourth - 3 * second**2, rel=0.01, abs=0.01 * second**2)
    off = max(0.0, 0.2 * noise.sigma) if noise.kind == "listed" and noise.sigma >= 16 else 0.0
    assert np.abs(noise.quantiles(levels) - least).max() <= off


def check_the_continuous_law_bounds_each_tail_from_both_sides(law):
    """Never one whole number away, for one draw and for the sum of two."""
    values, chances = masses(law)
    for draws, (places, found) in enumerate([(values, chances), _twice(values, chances)], 1):
        above = partial(law.continuous().above, draws=draws)
        tails = np.cumsum(found[::-1])[::-1]
        for k, tail in zip(places.tolist(), tails.tolist(), strict=True):
            if tail > 1e-12:
                assert above(k + 1) <= tail * (1 + 1e-9)
                assert k <= 0 or tail <= above(k - 1) * (1 + 1e-9)


def _twice(values, chances):
    return np.arange(2 * values[0], 2 * values[-1] + 1), np.convolve(chances, chances)


def check_weighted_sums_of_two_draws_are_bounded(law):
    """For weights from 0 to 1, what is called farther than its level allows is that rare."""
    values, chances = masses(law)
    some = chances > 1e-15
    values, chances = values[some], chances[some]
    both = np.outer(chances, chances)
    for t in (0, 0.01, 1 / 3, 0.45, 0.5, 0.9, 1):
        sizes = np.abs((1 - t) * values[:, None] - t * values[None, :])
        for level in (0.5, 0.05, 1e-3, 1e-6):
            farther = law.continuous().farther(np.full(sizes.size, level))
            rejected = farther(np.full(sizes.size, t), sizes.ravel()).reshape(sizes.shape)
            assert both[rejected].sum() <= level * (1 + 1e-9)


def _likely(law, least):
    values, chances = masses(law)
    return values[chances > least], chances[chances > least]


def check_weighted_sums_of_three_draws_are_bounded(law):
    """What is called beyond a level is that rare, as are sums wider than the law's widths."""
    values, chances = _likely(law, 1e-5)
    three = chances[:, None, None] * chances[:, None] * chances
    continuous = law.continuous()
    for weights in ((1, 1, 1), (1, 0.5, 0.2), (0.3, 0, 0.7), (1, 1e-3, 0.9), (0, 0, 1)):
        x, y, z = (weight * values for weight in weights)
        sizes = np.abs(x[:, None, None] + y[:, None] + z)
        for level in (0.5, 0.05, 1e-3):
            beyond = continuous.beyond(np.array([level]))
            least = _least(
                lambda x, b=beyond, w=weights: bool(b([np.array([float(a)]) for a in w], x)[0])
            )
            assert three[sizes > least].sum() <= level * (1 + 1e-9)
            (width,) = continuous.widths(np.array([weights], dtype=float), [level])[0]
            assert three[sizes > width].sum() <= level * (1 + 1e-9)


def _least(holds):
    """The least x from which on something holds, from above."""
    low, high = 0.0, 1.0
    while not holds(np.array([high])):
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(np.array([middle])) else (middle, high)
    return high


def check_orthogonal_sums_are_independent_where_draws_are_said_to_be_normal(law):
    """Of two draws the square of one sum and a part of that of the other, beyond normal noise's.

    Whole numbers are within a half of normal ones: so each pair is within the root of a half.
    """
    deviation = law.continuous().normal_deviation()
    if not deviation:
        return
    values, chances = _likely(law, 1e-12)
    both = np.outer(chances, chances)
    for level in (0.5, 0.05, 1e-3, 1e-6):
        most = deviation * critical(level, 1) ** 0.5 + 0.5**0.5
        for angle in (0, 0.3, np.pi / 4):
            own = np.cos(angle) * values[:, None] + np.sin(angle) * values
            other = np.cos(angle) * values - np.sin(angle) * values[:, None]
            assert both[own**2 + REST * other**2 > most**2].sum() <= level * (1 + 1e-9)


def check_slopes_and_correlations_hold_as_often_as_they_say(law):
    """Of 100 groups with fresh noise, a slope and a correlation miss no more often than 5 in 100."""
    copies, alpha = 100, Fraction(1, 20)
    coins, spread = np.random.default_rng(3), law.variance() ** 0.5
    x = coins.uniform(-1, 1, 500)
    y = 0.5 * x + 0.3 * coins.uniform(-1, 1, 500)
    asked = [((), 1), ((0,), x), ((1,), y), ((0, 0), x * x - 0.5), ((1, 1), y * y - 0.5)]
    asked.append(((0, 1), x * y))
    exact = np.array([80 * (spread + 1) * np.mean(cells) for _, cells in asked])
    noise = np.array(law.draws(copies * len(exact), Tape("slopes")), dtype=float)
    values = (exact + noise.reshape(copies, -1)).ravel().tolist()
    moments = Moments(values, [(place, 1) for place, _ in asked], law, alpha)
    slope = moments.regression([0], 1, np.array([[0.0, 1.0]]))
    correlation = moments.correlation(0, 1)
    most = stats.binom.isf(ALARM, copies, float(alpha))
    for told, true in (
        (slope, np.cov(x, y, bias=True)[0, 1] / np.var(x)),
        (correlation, np.corrcoef(x, y)[0, 1]),
    ):
        assert np.isfinite(told.values).mean() > 0.9
        assert ((told.low.ravel() > true) | (told.high.ravel() < true)).sum() <= most


def check_its_size_is_its_parameter_rounded_up(law):
    """What a plan calls the size is the parameter of that name, or its square's root, to six digits."""
    plain, name = law.plain(), law.size_name
    if name in plain:
        exact = Fraction(plain[name])
        assert exact <= law.size_up() <= exact * (1 + Fraction(1, 10**5))
    elif f"{name}2" in plain:
        exact = Fraction(plain[f"{name}2"])
        assert exact <= law.size_up() ** 2 <= exact * (1 + Fraction(1, 10**5))
    else:  # of a name of its own: not below the spread by more than what Laplace's scale is
        assert law.variance() <= 2 * law.size_up() ** 2 * (1 + Fraction(1, 10**9))


def check_its_wave_is_the_mean_of_cosines(law):
    """E[cos(t Y)] by adding up, at thirty places; it falls from 1, and stays at least 0."""
    (values, chances), t = masses(law), np.linspace(0, np.pi, 30)
    wave = law.wave(t)
    assert np.abs(wave - np.cos(np.outer(t, values)) @ chances).max() < 1e-11
    assert (wave >= -1e-12).all()
    assert (np.diff(wave) <= 1e-12).all()


def anywhere(law):
    return True


def near(law):
    """Laws whose values can be added up one by one."""
    return law.variance() < 10**5


def closer(law):
    return law.variance() < 3000


def closest(law):
    """Laws whose pairs of values can be added up."""
    return law.variance() < 100


def drawn(law):
    """Laws whose draws fall into bins, and into machine words."""
    return 1 / 5 < law.variance() < 2.0**80


CHECKS = {
    check_it_is_listed: anywhere,
    check_it_has_words: anywhere,
    check_it_is_symmetric: anywhere,
    check_tails_are_the_sums_of_masses: near,
    check_half_width_is_exact: anywhere,
    check_half_width_is_what_adding_up_masses_finds: near,
    check_variance_is_the_sum_of_squares: near,
    check_a_calibrated_law_costs_no_more_than_its_loss: anywhere,
    check_neighbors_are_told_apart_by_no_more_than_the_loss: closer,
    check_draws_follow_the_law: drawn,
    check_draws_come_in_any_number: anywhere,
    check_denoisers_know_it: closer,
    check_the_continuous_law_bounds_each_tail_from_both_sides: closer,
    check_weighted_sums_of_two_draws_are_bounded: closest,
    check_weighted_sums_of_three_draws_are_bounded: closest,
    check_orthogonal_sums_are_independent_where_draws_are_said_to_be_normal: closest,
    check_slopes_and_correlations_hold_as_often_as_they_say: drawn,
    check_its_size_is_its_parameter_rounded_up: anywhere,
    check_its_wave_is_the_mean_of_cosines: near,
}
ENOUGH = [lambda law: law.variance() < 1 / 100, closest, closer, drawn, lambda law: not near(law)]


def cases(made: type[Law]):
    """Every promise and every example of a class of laws that it can be tried on."""
    return [(check, law) for check, fits in CHECKS.items() for law in made.examples() if fits(law)]


def check_the_examples_are_enough(made: type[Law]):
    """Narrow and wide ones, so that every promise is tried."""
    assert all(any(fits(law) for law in made.examples()) for fits in ENOUGH)


def broken(made: type[Law]):
    """Return the names of the promises that some example of a class breaks."""
    found = set()
    for check, law in cases(made):
        if check.__name__ not in found:
            try:
                check(law)
            except Exception:  # noqa: BLE001 (a promise is broken by any error)
                found.add(check.__name__)
    return found
