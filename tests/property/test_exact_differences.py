"""Differences of two groups of every curve and moment, by the exact law of both.

As in test_exact_curves_and_moments.py, rows add a few to each number, so that the vectors of noise
of a group can be listed. The ends of a difference are made of those of both groups, which are
answered once; all pairs of vectors are then put together here as `derive` does, which a release of
some pairs is asked to confirm. Nothing is drawn. What is left out of a law counts as missed.
"""

from fractions import Fraction
from functools import cache, partial
from itertools import product
from math import prod

import numpy as np
import pytest

import discreet as dp
from discreet.derive.by_name import derived_by
from discreet.derive.derived import again
from discreet.derive.differences import _compared, _kind
from discreet.post.together import level_for
from discreet.post.two_shares import ZONE, levels_apart
from property.test_derived_numbers import ALPHA, release_of
from property.test_exact_curves_and_moments import (
    CASES,
    LAWS,
    ROUNDED,
    _small,
    asked,
    chances_of,
    spend_of,
    table_of,
    truth,
    vectors_of,
)

pytestmark = [pytest.mark.claim("C500"), pytest.mark.slow, pytest.mark.usefixtures(_small.__name__)]

SIZES = (20, 6)  # rows of the groups
PAIRS = [(0, 1), (1, 0), (0, 0)]  # which of them is less which
GROUPS = 10  # pairs of groups, whose differences hold together
MOST = {1: 1_500, 2: 1_500, 3: 1_500, 4: 400, 5: 100, 6: 100}  # vectors of noise of so many numbers
LEFT_OUT = 1e-4  # of the law, where that many are enough
TRIED_AT_MOST = 120_000  # vectors, of which these are the likeliest
SIZED = {  # the size of the noise, by how many numbers a group has
    "laplace": {2: "3/2", 3: "2/3", 4: "2/5", 5: "1/3", 6: "1/4"},
    "gaussian": {2: "4", 3: "3/2", 4: "2/3", 5: "1/3", 6: "1/4"},
}
OF_ROOTS = {"std": ("1/3", 70)}  # whose ends are dear: the size of the noise, and how many vectors
SEARCHED = 1e-3  # an end of a correlation is looked for until all groups have theirs so nearly
LEVELS = [ALPHA, Fraction(3, 10), level_for(GROUPS, ALPHA)]
EVERY = [*CASES, ("mean", {"column": "y"})]
TRIED = pytest.mark.parametrize(("name", "options"), EVERY, ids=str)


def size_of(law, many, name=""):
    """The size of the noise of a group of so many numbers."""
    return Fraction(OF_ROOTS[name][0] if name in OF_ROOTS else SIZED[law][many])


def noise_of(law, many, name=""):
    """The noise of a group of so many numbers."""
    return LAWS[law](size_of(law, many, name))


def likeliest(noise, many, most=None):
    """The likeliest vectors of noise of a group, and the chance of each."""
    masses = chances_of(noise)
    likely = sorted(masses, key=masses.get, reverse=True)[: int(TRIED_AT_MOST ** (1 / many))]
    every = sorted(
        ((prod(masses[y] for y in one), one) for one in product(likely, repeat=many)), reverse=True
    )
    held = np.cumsum([weight for weight, _ in every])
    enough = min(int(np.searchsorted(held, 1 - LEFT_OUT)) + 1, most or MOST[many])
    return [one for _, one in every[:enough]], np.array([weight for weight, _ in every[:enough]])


def likeliest_of(name, options, law):
    many = len(vectors_of(name, options, 20))
    most = OF_ROOTS[name][1] if name in OF_ROOTS else None
    return likeliest(noise_of(law, many, name), many, most)


def released(name, options, law, noise, *, told=1):
    """A release whose groups have each noise around each size; told as so many losses."""
    question = asked(name, options)
    exact = [vectors_of(name, options, size) for size in SIZES]
    vectors = [[x + y for x, y in zip(of, one, strict=True)] for of in exact for one in noise]
    spend = spend_of(question, law, size_of(law, len(exact[0]), name))
    table = table_of(copy=range(len(vectors)))
    plan = dp.plan(table, question, spend=spend.times(Fraction(told)))
    return release_of(plan, [[x for vector in vectors for x in vector]])


def stretched(document, label, level):
    """The ends of each number at each level that two groups apart take, as they are stretched."""
    columns = [
        again(document, [label], each)[0].answer.rows.columns[-2:] for each in levels_apart(level)
    ]
    low, high = (np.array([[*pair[at]] for pair in columns], dtype=float) for at in (0, 1))
    return np.minimum.accumulate(low, axis=0), np.maximum.accumulate(high, axis=0)


def stretched_once(release, question):
    """The same as a function of the level, which is worked out once a level."""
    return cache(partial(stretched, release.document, question.label))


def ends_of(document, stretched_at, first, second, level):
    """The ends of the differences of numbers in these rows, pair by pair."""
    (whole,) = document.statistics
    kind = _kind(whole)
    low, high = stretched_at(level * (1 - ZONE) if kind else level)
    least = np.min([low[k][first] - high[-1 - k][second] for k in range(len(low))], axis=0)
    most = np.max([high[k][first] - low[-1 - k][second] for k in range(len(low))], axis=0)
    if kind:
        at = [first.tolist(), second.tolist()]
        least, most = _compared(document, whole, (kind, at), (least, most), level)
    return np.array(least), np.array(most)


def shown_and_missed(release, question, stretched_at, sides, weights, level):
    """Of each number of a group: how often its difference is shown, and shown and missed."""
    many, count = len(truth(question, SIZES[0])), len(weights)
    values = np.array([*release.document.statistics[0].answer.rows.columns[-3]], dtype=float)
    pairs = np.repeat(np.arange(count), count), np.tile(np.arange(count), count)
    chances = weights[pairs[0]] * weights[pairs[1]]
    goals = [truth(question, SIZES[side]) for side in sides]
    for place in range(many):
        rows = [(side * count + of) * many + place for side, of in zip(sides, pairs, strict=True)]
        is_shown = ~np.isnan(values[rows[0]] - values[rows[1]])
        rows = [of[is_shown] for of in rows]
        low, high = ends_of(release.document, stretched_at, *rows, level)
        first, second = (goal[place] for goal in goals)
        wrong = np.ones(len(low), dtype=bool)
        if None not in (first, second):
            goal = first - second
            wrong = ~((low - 1e-9 <= goal) & (goal <= high + 1e-9))
        yield chances[is_shown].sum(), (chances[is_shown] * wrong).sum()


def check(release, question, weights, level):
    """Every pair of vectors: what is shown misses with at most the level of being shown."""
    slack = 2 * (1 - weights.sum()) + ROUNDED
    told, stretched_at = [], stretched_once(release, question)
    for sides in PAIRS:
        for often, bad in shown_and_missed(release, question, stretched_at, sides, weights, level):
            assert bad <= float(level) * often + slack, (sides, level)
            told.append(often)
    return max(told)


@pytest.mark.exhaustive
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("level", LEVELS, ids=["alone", "at 0.3", "together"])
@TRIED
def test_differences_of_two_groups_hold(name, options, law, level):
    """Alone, at another alpha, and at the level of ten that hold together."""
    question = asked(name, options)
    noise, weights = likeliest_of(name, options, law)
    release = released(name, options, law, noise)

    assert check(release, question, weights, level) > 0.01


@pytest.mark.exhaustive
@pytest.mark.parametrize("law", LAWS)
@TRIED
def test_a_release_makes_the_differences_that_are_put_together_here(name, options, law):
    """Of some pairs, all numbers of a group: the same ends, and a value where both are shown."""
    question = asked(name, options)
    noise, _ = likeliest_of(name, options, law)
    release = released(name, options, law, noise[:: -(-len(noise) // 4)])
    (whole,) = release.document.statistics
    stretched_at = stretched_once(release, question)
    values, many = [*whole.answer.rows.columns[-3]], len(truth(question, 20))
    half = len(values) // many // 2
    for first, second in [(0, half), (half, 0), (half - 1, half + 1)]:
        sides = {"first": {"copy": first}, "second": {"copy": second}}
        made = derived_by(release.document, "difference", {"of": question.label, **sides})
        rows = [np.arange(side * many, (side + 1) * many) for side in (first, second)]
        low, high = ends_of(release.document, stretched_at, *rows, ALPHA)

        assert [*made.low] == pytest.approx(low.tolist(), abs=SEARCHED)
        assert [*made.high] == pytest.approx(high.tolist(), abs=SEARCHED)
        hidden = [None in (values[a], values[b]) for a, b in zip(*rows, strict=True)]
        assert [value is None for value in made.values] == hidden


def test_noise_that_is_told_too_small_is_caught():
    """The check has power: told as sixteen times its loss, a difference misses too often."""
    name, options = "share_below", {"column": "x", "at": ["1"]}
    noise, weights = likeliest_of(name, options, "gaussian")
    release = released(name, options, "gaussian", noise, told=16)
    with pytest.raises(AssertionError):
        check(release, asked(name, options), weights, LEVELS[1])
