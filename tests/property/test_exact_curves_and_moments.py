"""Curves and moments by the exact law: every vector of noise once, up to a tail of 1e-12 a number.

What a curve or a moment adds for a row is a whole number of about 2^10 or 2^30: a law as wide as
that has too many vectors. Both modules say that nothing but width hangs on these numbers, so here
rows add 1 to 4, and noise of a few steps is as wide as it is in a release. Nothing is drawn.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from flint import ctx

import discreet as dp
from discreet.derive.by_name import derived_by
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.statistic import covariance, curve
from discreet.statistic.catalog import LISTED, statistic_of
from property.test_derived_numbers import release_of
from property.test_derived_numbers_of_groups import shown_and_missed
from property.test_listed_statistics import exactly

pytestmark = [pytest.mark.claim("C331"), pytest.mark.slow]

LEFT_OUT = Fraction(1, 10**12)  # of the law of each number, counted as missed
ROUNDED = 1e-7
MOST = 25_000  # vectors of noise in a release
ALPHAS = ["0.05", "0.3"]
COLUMNS = {"x": dp.bounds(0, 1, step=1), "y": dp.bounds(0, 2, step=1)}
ROWS = [{"x": (n * n + n // 3) % 2, "y": (n + n // 2) % 3} for n in range(20)]
SIZES = (6, 20)
CASES = [
    ("median", {"column": "y"}),
    ("quantile", {"column": "x", "at": ["0.3"], "method": "curve"}),
    ("quantile", {"column": "y", "at": ["0.25", "0.75"]}),
    ("middle", {"column": "y", "share": "0.8"}),
    ("iqr", {"column": "y"}),
    ("share_below", {"column": "x", "at": ["1"]}),
    ("share_below", {"column": "y", "at": ["1", "2"]}),
    ("covariance", {"column": ["x", "y"]}),
    ("covariance", {"column": ["x", "y"], "sample": True}),
    ("correlation", {"column": ["x", "y"]}),
    ("regression", {"column": "y", "on": ["x"]}),
    ("variance", {"column": "y"}),
    ("variance", {"column": "y", "sample": True}),
    ("std", {"column": "y"}),
    ("mean", {"column": ["x", "y"]}),
]
NAMED = {  # a size of noise at which all vectors are one release, by how many numbers there are
    "laplace": {2: "3/2", 3: "1/4", 4: "1/7", 5: "1/10", 6: "1/20"},
    "gaussian": {2: "4", 3: "3/2", 4: "1/3", 5: "1/8", 6: "1/10"},
}
LAWS = {"laplace": DiscreteLaplace, "gaussian": DiscreteGaussian}


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Rows add a few to each number."""
    curve.root.cache_clear()
    monkeypatch.setattr(curve, "_SCALE", 2)
    monkeypatch.setattr(covariance, "_SIZE", 1)
    yield
    monkeypatch.undo()
    curve.root.cache_clear()


def table_of(**keys):
    return dp.table([], unit="row", name="t", columns=COLUMNS, keys=keys)


def asked(name, options, by=("copy",)):
    return statistic_of({"statistic": name, **options, "by": list(by)})


def noise_of(law, many):
    """The law, and the chance of each of its numbers but for a tail."""
    noise = LAWS[law](Fraction(NAMED[law][many]))
    return noise, chances_of(noise)


def chances_of(law):
    """The chance of each number of a law but for a tail."""
    reach = law.half_width(LEFT_OUT)
    with ctx.workprec(192):
        return {y: float(law.mass(abs(y))) for y in range(-reach, reach + 1)}


def spend_of(question, law, size):
    (one,) = question.aggregates(table_of(copy=[0]))
    if law == "laplace":
        return dp.pure(one.paid.l1 / size)
    return dp.zcdp(one.paid.l2_squared / (2 * size))


def vectors_of(name, options, size):
    (exact,) = exactly(asked(name, options), replace(table_of(copy=[0]), source=rows_of(size)))
    return exact


def rows_of(size, **more):
    return [{**row, "copy": 0, **more} for row in ROWS[:size]]


def truth(question, size):
    return question.textbook(table_of(copy=[0]), rows_of(size))


def enumerated(name, options, law, size, *, told=1):
    """A release with every vector of noise, and the chance of each; told as so many losses."""
    question, exact = asked(name, options), vectors_of(name, options, size)
    found, masses = noise_of(law, len(exact))
    noise = list(product(masses, repeat=len(exact)))
    assert len(noise) <= MOST
    weights = [prod(masses[y] for y in one) for one in noise]
    assert 1 - sum(weights) <= len(exact) * float(LEFT_OUT) + 1e-12
    spend = spend_of(question, law, Fraction(NAMED[law][len(exact)]))
    plan = dp.plan(table_of(copy=range(len(noise))), question, spend=spend.times(Fraction(told)))
    if told == 1:
        assert plan.lines[0].laws[0] == found
    return release_of(
        plan, [[x + y for one in noise for x, y in zip(exact, one, strict=True)]]
    ), weights


def check(release, name, options, weights, size, alpha):
    """What is shown misses with at most alpha, told alone and by name; and is shown at all."""
    question = asked(name, options)
    found = derived_by(release.document, "intervals", {"of": question.label, "alpha": alpha})
    if alpha == "0.05":
        answer = release[question.label]
        assert (found.values, found.low, found.high) == (answer.values, answer.low, answer.high)
    true = truth(question, size)
    shown, wrong = shown_and_missed(found, true, weights)
    left = release_numbers(question) * float(LEFT_OUT)
    for often, bad, goal in zip(shown, wrong, true, strict=True):
        most = float(alpha) * (1 if goal is None else often)
        assert bad <= most + left + ROUNDED, (size, alpha)
    return max(shown), max(wrong)


def release_numbers(question):
    return sum(
        prod(one.shape(table_of(copy=[0]))) for one in question.aggregates(table_of(copy=[0]))
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_every_vector_of_noise_once(name, options, law):
    """Curves and moments, at the release's alpha and another: shown and missed with at most alpha."""
    for size in SIZES:
        release, weights = enumerated(name, options, law, size)
        told = [check(release, name, options, weights, size, alpha)[0] for alpha in ALPHAS]
    assert told[0] > 0.01  # of twenty rows something is shown


def test_every_statistic_of_several_numbers_is_tried():
    """One that is listed and not here fails: give it an example of few numbers."""
    apart = {"count", "count_units", "histogram", "sum", "cube", "tables"}  # of one number each
    chosen = {name for name, one in LISTED.items() if one.chooses}
    assert {name for name, _ in CASES} == {*LISTED} - apart - chosen


def test_noise_that_is_told_too_small_is_caught():
    """The check has power: told as sixteen times its loss, a share misses too often."""
    name, options = CASES[5]
    release, weights = enumerated(name, options, "gaussian", 20, told=16)
    with pytest.raises(AssertionError):
        check(release, name, options, weights, 20, "0.05")
