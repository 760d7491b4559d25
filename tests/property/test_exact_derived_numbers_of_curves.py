"""Numbers derived of curves and moments by the exact law: intervals that hold at once.

And what is not derived of them; differences have a file of their own.

As in test_exact_curves_and_moments.py, rows add a few to each number, so that every vector of noise
stands in a release once. Nothing is drawn.
"""

import pytest

import discreet as dp
from discreet.derive.by_name import derived_by
from discreet.derive.catalog import KINDS
from discreet.derive.derived import _level, again
from property.test_derived_numbers import ALPHA, release_of
from property.test_exact_curves_and_moments import (
    CASES,
    LAWS,
    ROUNDED,
    SIZES,
    _small,
    asked,
    enumerated,
    table_of,
    truth,
    vectors_of,
)

pytestmark = [pytest.mark.claim("C410"), pytest.mark.slow, pytest.mark.usefixtures(_small.__name__)]

GROUPS = 10  # whose intervals hold at once
EVERY = [*CASES, ("mean", {"column": "y"})]
SPEND = dp.zcdp(10)


def of_groups(name, options, vectors):
    """A release of as many groups as vectors."""
    question = asked(name, options)
    plan = dp.plan(table_of(copy=range(len(vectors))), question, spend=SPEND)
    return release_of(plan, [[x for vector in vectors for x in vector]])


def misses(low, high, goal):
    """Whether an interval leaves out what is true."""
    below = low is None or (goal is not None and low - 1e-9 <= goal)
    above = high is None or (goal is not None and goal <= high + 1e-9)
    return goal is None or not (below and above)


def block_missed(answer, true, weights):
    """How often any of the shown numbers of a group has an interval that misses."""
    *_, values, low, high = answer.rows.columns
    wrong = 1 - sum(weights)
    for at, weight in enumerate(weights):
        own = range(at * len(true), (at + 1) * len(true))
        wrong += weight * any(
            values[row] is not None and misses(low[row], high[row], goal)
            for row, goal in zip(own, true, strict=True)
        )
    return wrong


@pytest.mark.exhaustive
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("name", "options"), EVERY, ids=str)
def test_intervals_of_ten_groups_hold_at_once(name, options, law):
    """At the level of ten groups each group misses so seldom that all hold with 1 - alpha."""
    question = asked(name, options)
    small = of_groups(name, options, [vectors_of(name, options, 20)] * GROUPS)
    level = _level(small.document, [question.label], ALPHA)
    for size in SIZES:
        release, weights = enumerated(name, options, law, size)
        (joint,) = again(release.document, [question.label], level, together=True)
        chance = block_missed(joint.answer, truth(question, size), weights)
        assert 1 - (1 - chance) ** GROUPS <= float(ALPHA) + ROUNDED, size


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_nothing_is_added_up_of_curves_and_moments(name, options):
    """Totals, shares, ratios, rates and baselines are refused: a kind that is new and is not needs
    its law here. Ranks and medians add nothing up: they stand on joint intervals, and a variance over
    another on the intervals of both."""
    question, other = asked(name, options, by=("copy", "side")), dp.count(by="copy")
    table = table_of(copy=[0, 1], side=["f", "m"])
    plan = dp.plan(table, question, other, spend=SPEND)
    release = release_of(plan, [[*vectors_of(name, options, 20)] * 4, [40, 40]])
    options = {
        "ratio": {"other": other.label, "by": "copy"},
        "relative": {"baseline": {"side": "f"}},
        "change": {"baseline": {"side": "f"}},
        "rate": {"per": 9},
        "standardized": {"per": 9, "weights": {"f": 1, "m": 2}, "over": "side"},
    }
    ratios = {"relative", "change"} if question.telling().compared else set()  # by intervals, too
    for kind in {*KINDS} - {"intervals", "difference", "ranks", "median"} - ratios:
        more = options.get(kind, {"by": "copy"})
        with pytest.raises(dp.errors.InputError):
            derived_by(release.document, kind, {"of": question.label, **more})
