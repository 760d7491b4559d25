"""Rules of publication by the exact law: every statistic of the register that takes one.

Cases come from the register: what refuses a rule is refused here too, and a new statistic that takes
one is tried unasked. As in test_exact_curves_and_moments.py rows add a few to each number, and the
vectors of noise of a group stand in one answer; of ten groups alike the number of those that are
shown is binomial, and what the rule makes of each is added up. Nothing is drawn. What is left out
of a law counts as missed.
"""

from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.errors import InputError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.post.selected import rate_level
from discreet.statistic.catalog import LISTED, statistic_of
from discreet.statistic.publish import RuledQuestion, answer_shown, places_shown
from property.test_derived_numbers import ROUNDED, release_of
from property.test_exact_curves_and_moments import (
    LAWS,
    _small,
    spend_of,
    table_of,
    truth,
    vectors_of,
)
from property.test_exact_differences import SEARCHED, likeliest, noise_of

pytestmark = [pytest.mark.claim("C502"), pytest.mark.slow, pytest.mark.usefixtures(_small.__name__)]

ALPHA = Fraction(1, 5)
GROUPS = 10
EVERY = range(1, GROUPS + 1)
ROWS = (0, 6, 20)  # of a group
RULES = {  # the least that is shown is what a group has, so that noise alone decides
    "at_least": lambda least: {"at_least": least},
    "within": lambda _: {"within": "60%"},
    "both, rounded": lambda least: {"at_least": least, "within": "90%", "round_to": "2"},
}
ALONE = {"laplace": DiscreteLaplace(Fraction(3, 2)), "gaussian": DiscreteGaussian(Fraction(4))}
GIVEN = {"coverage": "conditional"}  # of what is shown


def asked(name, options, **rule):
    plain = {"statistic": name, **options, "by": ["copy"]}
    return statistic_of({**plain, "publish": rule} if rule else plain)


def takes_a_rule(name, options, **how):
    """Whether the plan of a question with a rule is made."""
    try:
        question = asked(name, options, at_least="9", **how)
        dp.plan(table_of(copy=[0]), question, spend=dp.zcdp(1))
    except (InputError, TypeError):
        return False
    return True


EXAMPLES = [
    (name, options)
    for name, one in LISTED.items()
    if not one.chooses and name not in ("cube", "tables")  # which refuse it, and have no groups
    for options in one.examples(table_of())
    if takes_a_rule(name, options)
]
TRIED = pytest.mark.parametrize(("name", "options"), EXAMPLES, ids=str)
BY_LAW = pytest.mark.parametrize("law", LAWS)
BY_RULE = pytest.mark.parametrize("rule", RULES)


def noise_by(law, many, *, own):
    """The law of a group's numbers, its vectors of noise, and their chances.

    Where each number has noise of its own all of them may have the same.
    """
    if not own:
        noise_law = noise_of(law, many)
        return noise_law, *likeliest(noise_law, many)
    alone = ALONE[law]
    noise, weights = likeliest(alone, 1)
    return alone, [each * many for each in noise], weights


def published(name, options, law, rule, coverage):
    """Of each size of a group: a question with its noisy groups, their chances, and what is true."""
    for size in ROWS:
        true, exact = truth(asked(name, options), size), vectors_of(name, options, size)
        own = len(exact) == len(true)
        rows = size // 2 if "weights" in options else size  # every second row weighs 1, others 0
        least = int(max(true)) if own else rows
        question = asked(name, options, **RULES[rule](str(max(least, 3))), coverage=coverage)
        noise_law, noise, weights = noise_by(law, len(exact), own=own)
        vector = [x + y for each in noise for x, y in zip(exact, each, strict=True)]
        table = table_of(copy=range(len(noise)))
        noisy = [Noisy(tuple(vector))]
        yield RuledQuestion(question, table, noisy, [noise_law], ALPHA), weights, true, len(exact)


def misses(answer, places, true):
    """Which of the shown numbers have an interval that does not hold what is true."""
    wrong = {}
    for place, low, high in zip(places, answer.low, answer.high, strict=True):
        goal = true[place % len(true)]
        wrong[place] = goal is None or not low - 1e-9 <= goal <= high + 1e-9
    return wrong


def of_shown(asked_, weights, true, level_of, among=(1,)):
    """Of each number of a group: how often it is shown; and missed by how many are shown."""
    plain = asked_.answer(ALPHA)
    places = places_shown(asked_.statistic, plain)
    answers = [level_of(many, plain, places) for many in among]
    wrong = [misses(answer, places, true) for answer in answers]
    for number in range(len(true)):
        mine = [place for place in places if place % len(true) == number]
        often = sum(weights[place // len(true)] for place in mine)
        yield (
            often,
            [sum(weights[p // len(true)] * of[p] for p in mine) for of in wrong],
        )


@pytest.mark.exhaustive
@TRIED
@BY_LAW
@BY_RULE
def test_of_what_is_shown_of_ten_groups_at_most_alpha_is_missed(name, options, law, rule):
    """Coverage "rate": the expected part of missed intervals among those that are shown."""
    for asked_, weights, true, _ in published(name, options, law, rule, "rate"):

        def at_rate(many, plain, places, asked_=asked_):
            return at_level(asked_, plain, places, rate_level(ALPHA, many, GROUPS))

        left_out = GROUPS * (1 - weights.sum())
        for often, wrong in of_shown(asked_, weights, true, at_rate, EVERY):
            part = sum(
                comb(GROUPS - 1, many - 1)
                * often ** (many - 1)
                * (1 - often) ** (GROUPS - many)
                * (GROUPS / many)
                * wrong[many - 1]
                for many in EVERY
            )
            assert part <= float(ALPHA) + left_out + ROUNDED


def at_level(asked_, plain, places, level):
    """What is shown, with the ends of a level: values are those of the release's alpha."""
    ask = asked_.statistic.ask
    marginal = replace(ask, publish=replace(ask.publish, coverage="marginal"))
    at = replace(asked_, statistic=replace(asked_.statistic, ask=marginal), alpha=level)
    return answer_shown(at, replace(at.answer(level), values=plain.values), places)


@pytest.mark.exhaustive
@TRIED
@BY_LAW
@BY_RULE
def test_a_number_is_shown_and_missed_with_at_most_alpha(name, options, law, rule):
    """Coverage "marginal": whatever is shown."""
    told = []
    for asked_, weights, true, _ in published(name, options, law, rule, "marginal"):

        def answered(_many, plain, places, asked_=asked_):
            return answer_shown(asked_, plain, places)

        for often, wrong in of_shown(asked_, weights, true, answered):
            told.append(often)
            assert wrong[0] <= float(ALPHA) + ROUNDED
    assert rule != "at_least" or max(told) > 0.001  # a width may be one that is never reached


COUNTED = [(name, options) for name, options in EXAMPLES if takes_a_rule(name, options, **GIVEN)]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "options"), COUNTED, ids=str)
@BY_LAW
def test_given_that_it_is_shown_a_count_is_missed_with_at_most_alpha(name, options, law):
    """Coverage "conditional": whatever the truth, the threshold among them."""
    tried = published(name, options, law, "at_least", "conditional")
    for asked_, weights, true, _ in tried:

        def answered(_many, plain, places, asked_=asked_):
            return answer_shown(asked_, plain, places)

        for often, wrong in of_shown(asked_, weights, true, answered):
            assert wrong[0] <= float(ALPHA) * often + ROUNDED


@pytest.mark.exhaustive
@TRIED
@BY_RULE
@pytest.mark.parametrize("coverage", ["rate", "marginal"])
def test_a_release_shows_what_is_put_together_here(name, options, rule, coverage):
    """Ten groups with some of the noise: the same numbers, with the ends of their number's level."""
    for asked_, weights, true, each in published(name, options, "laplace", rule, coverage):
        apart = len(weights) // GROUPS
        chosen = [group * apart for group in range(GROUPS)]
        vector = [x for at in chosen for x in asked_.noisy[0].values[at * each : (at + 1) * each]]
        size = asked_.laws[0].scale
        spend = spend_of(asked_.statistic, "laplace", size)
        table = table_of(copy=range(GROUPS))
        plan = dp.plan(table, asked_.statistic, spend=spend, alpha=ALPHA)
        assert plan.lines[0].laws[0] == asked_.laws[0]
        release = release_of(plan, [vector])
        (whole,) = release.document.statistics
        plain = asked_.answer(ALPHA)
        numbers = [at * len(true) + place for at in chosen for place in range(len(true))]
        places = places_shown(asked_.statistic, plain, numbers)
        level = rate_level(ALPHA, len(places), len(numbers)) if coverage == "rate" else ALPHA
        expected = at_level(asked_, plain, places, level)

        assert [*whole.answer.rows.columns[-3]] == [*expected.values]
        low, high = whole.answer.rows.columns[-2:]
        assert [*low] == pytest.approx([*expected.low], abs=SEARCHED)
        assert [*high] == pytest.approx([*expected.high], abs=SEARCHED)


def test_plain_intervals_of_what_noise_lifted_are_caught():
    """The check has power: at the plain level far more than alpha of what is shown is missed."""
    tried = published("count", {}, "laplace", "at_least", "marginal")
    asked_, weights, true, _ = next(tried)  # of no rows
    ((often, wrong),) = of_shown(
        asked_, weights, true, lambda _many, plain, places: answer_shown(asked_, plain, places)
    )

    assert wrong[0] > 2 * float(ALPHA) * often
