"""Every statistic of the register keeps its promises; one that nobody wrote tests for is tried.

That no unit moves its vectors further than declared is asked in tests/adversarial (`test_one_unit`,
`test_tight`), of the same examples.
"""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from adversarial.moves import counted
from coins import Tape
from discreet.aggregate import Exact, Noisy
from discreet.engine.memory import MemoryEngine
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.noise.registry import law_for
from discreet.noise.selection import ExponentialMechanism, PermuteAndFlip
from discreet.privacy.loss import pure, zcdp
from discreet.releases.door import door
from discreet.releases.draws import Picks
from discreet.schema import ROW, table, unit
from discreet.statistic.catalog import LISTED, statistic_of
from engine.sources import opened
from property.strategies import COLUMNS, KEYS, declared

ALPHA = Fraction(1, 20)
RELEASES = 1_000
LEAST = 1 - float(ALPHA) - 6 * (float(ALPHA * (1 - ALPHA)) / RELEASES) ** 0.5  # 6 deviations, 1e-9
QUIET = ["pure", "zcdp"]
LOSSES = [pure("1/4"), zcdp(2)]
WIDE = 4  # bins of an example, of more than one step each
UNITS = [ROW, unit("who", max_rows=99)]
BYS = [[], ["ward"], ["floor", "ward"]]
SETTINGS = {
    "suppress_health_check": list(HealthCheck),
    "phases": (Phase.explicit, Phase.generate),  # rows are few: a failure needs no long shrinking
}


def asked(name, options, by=()):
    return statistic_of({"statistic": name, **options, "by": list(by)})


def examples(name):
    return [(name, options) for options in LISTED[name].examples(declared([], unit=ROW))]


EXAMPLES = [  # what chooses tells no number of each group: tests/unit/statistic/test_choose.py
    example for name, one in LISTED.items() if not one.chooses for example in examples(name)
]
TRIED = pytest.mark.parametrize(("name", "options"), EXAMPLES, ids=str)


def cells(column):
    """Cells on the grid, some beyond a bound, some missing."""
    found = COLUMNS[column]
    return st.none() | st.integers(found.lower_step - 3, found.upper_step + 3).map(
        lambda steps: float(steps * found.step)
    )


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "who": st.sampled_from(["ann", "bob", "o'hara"]),
            **{key: st.sampled_from([*keys, "elsewhere"]) for key, keys in KEYS.items()},
            **{column: cells(column) for column in COLUMNS},
        }
    ),
    max_size=30,
)


def groups(rows, by):
    """The rows of each group, as the textbook takes them: cells within their bounds."""
    found = defaultdict(list)
    for row in rows:
        usable = {
            column: None
            if row[column] is None
            else min(max(Fraction(row[column]), ends.lower), ends.upper)
            for column, ends in COLUMNS.items()
        }
        found[tuple(row[key] for key in by)].append({**row, **usable})
    return [found[key] for key in product(*(KEYS[key] for key in by))]


def noise_of(statistic, table, loss):
    return [
        law_for(loss, l1=a.paid.l1, l2_squared=a.paid.l2_squared, chooses=a.choice is not None)
        for a in statistic.aggregates(table)
    ]


def hardly_any(statistic, table, kind):
    """Noise of each kind that is 0 but once in e^32, and choices of the largest number."""
    noise = (
        DiscreteLaplace(Fraction(1, 99)) if kind == "pure" else DiscreteGaussian(Fraction(1, 64))
    )
    choice = PermuteAndFlip if kind == "pure" else ExponentialMechanism
    return [choice(Fraction(1, 64)) if a.choice else noise for a in statistic.aggregates(table)]


def past_the_door(statistic, table, laws, vectors, coins, *, quiet=False):
    """What leaves: places where it is a choice, else the vectors with noise, or without."""
    for a, law, vector in zip(statistic.aggregates(table), laws, vectors, strict=True):
        if a.choice:
            rank, bins = a.choice.rank, a.bins.count
            off = rank.off(law.half_width, bins)
            yield door(Exact(tuple(vector)), Picks(law, len(vector) // bins, coins, rank, off))
        else:
            noise = [0] * len(vector) if quiet else law.sample(len(vector), coins)
            yield Noisy(tuple(x + z for x, z in zip(vector, noise, strict=True)))


def told(question, table, kind):
    """The answer with hardly any noise."""
    laws, vectors = hardly_any(question, table, kind), exactly(question, table)
    noisy = list(past_the_door(question, table, laws, vectors, Tape("quiet"), quiet=True))
    return question.answer(table, noisy, laws, ALPHA)


def exactly(statistic, table):
    """The vectors that would pass the door, without noise."""
    aggregates = statistic.aggregates(table)
    return counted(aggregates, opened(MemoryEngine().prepare(table, aggregates).count(1)))


@pytest.mark.parametrize("name", LISTED)
def test_a_statistic_brings_examples_that_try_it(name):
    """At least one, each a question that this table answers, and that is read from its plain data."""
    assert examples(name)
    for _, options in examples(name):
        question = asked(name, options, ["ward"])
        assert question.plain()["statistic"] == name
        assert statistic_of(question.plain()) == question
        assert question.aggregates(declared([], unit=ROW))


@pytest.mark.exhaustive
@TRIED
@settings(max_examples=8, **SETTINGS)
@given(
    rows=ROWS, by=st.sampled_from(BYS), whose=st.sampled_from(UNITS), kind=st.sampled_from(QUIET)
)
def test_without_noise_the_textbook_answer_comes_out(name, options, rows, by, whose, kind):
    """For any rows, in every group; and what is not told may be anything in its interval."""
    table, question = declared(rows, unit=whose), asked(name, options, by)

    answer = told(question, table, kind)

    true = [x for group in groups(rows, by) for x in question.textbook(table, group)]
    numbers = zip(answer.index, answer.values, answer.low, answer.high, strict=True)
    numbers_of = [found for index, *found in numbers if None not in index]  # without margins
    assert len(true) == len(numbers_of)
    for (value, low, high), truth in zip(numbers_of, true, strict=True):
        if truth is not None:
            assert low - 1e-9 <= truth <= high + 1e-9
            if answer.measure == "chosen" or options.get("bins") == WIDE:
                assert value is None or low <= value <= high  # within the bin, filled evenly
            else:
                assert value is None or value == pytest.approx(truth, rel=1e-9, abs=1e-6)


LONG = [
    {"who": str(i), "ward": "A", "floor": 1, "cost": (i % 27 - 7) / 2, "age": i % 5 / 2}
    for i in range(400)
]


@pytest.mark.exhaustive
@TRIED
def test_of_many_rows_something_is_told(name, options):
    """The test above has power: no value is withheld where there are rows enough."""
    answer = told(asked(name, options), declared(LONG, unit=ROW), QUIET[0])

    assert None not in answer.values


@pytest.mark.exhaustive
@TRIED
@pytest.mark.parametrize("whose", UNITS, ids=str)
def test_an_empty_table_is_answered(name, options, whose):
    """Every group is there, with or without rows, and says zero or nothing."""
    table = declared([], unit=whose)
    question = asked(name, options, ["floor", "ward"])

    answer = told(question, table, QUIET[0])

    found = {row[:2] for row in answer.index if None not in row}
    assert found == set(product(KEYS["floor"], KEYS["ward"]))
    if answer.measure != "chosen":  # which is always some bin
        assert set(answer.values) <= {0, None}


@pytest.mark.exhaustive
@pytest.mark.claim("C16")
@pytest.mark.slow
@TRIED
@pytest.mark.parametrize(
    ("loss", "neighbors"), list(zip(LOSSES, ["replace", "add_remove"], strict=True)), ids=str
)
def test_intervals_hold_the_truth_as_often_as_they_say(name, options, loss, neighbors):
    """In 1,000 releases of no, few and many rows: a group stands as often in one table.

    The coins are a tape: it passes or fails for ever. A right interval fails with probability 1e-9, by
    the normal approximation, when it is first tried.
    """
    question, missed = asked(name, options, ["copy"]), {}
    how = {"unit": ROW, "name": "t", "columns": COLUMNS, "neighbors": neighbors}
    many, one = (table([], keys={**KEYS, "copy": range(n)}, **how) for n in (RELEASES, 1))
    if any(a.transform and a.transform.of == "vector" for a in question.aggregates(many)):
        pytest.skip("groups that are put together cannot stand for as many releases")
    laws = noise_of(question, many, loss)
    for size in (0, 3, 400):
        rows = [{**row, "copy": 0} for row in LONG[:size]]
        vectors = [v * RELEASES for v in exactly(question, replace(one, source=rows))]
        coins = Tape(f"{name} {options} {loss} {neighbors} {size}")
        noisy = list(past_the_door(question, many, laws, vectors, coins))
        answer = question.answer(many, noisy, laws, ALPHA)
        true = question.textbook(many, groups(LONG[:size], [])[0])
        ends = list(zip(answer.low, answer.high, strict=True))
        held = [
            sum(low - 1e-9 <= x <= high + 1e-9 for low, high in ends[place :: len(true)])
            for place, x in enumerate(true)
            if x is not None
        ]
        if min(held, default=RELEASES) < LEAST * RELEASES:
            missed[size] = held

    assert missed == {}
