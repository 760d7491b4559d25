"""Numbers of one's own: their noise is what is stated, and what is not said is refused."""

from fractions import Fraction

import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.plans.plan import plan_of
from discreet.statistic.catalog import statistic_of

WHO = "one household"


def scores(**how):
    rows = [{"k": "a", "x": 1, "z": 2}, {"k": "b", "x": 2, "z": 2}, {"k": "c", "x": 3, "z": 2}]
    public = {
        "unit": "row",
        "keys": {"k": ["a", "b", "c"]},
        "columns": {"x": dp.bounds(-100, 100, step="0.5")},
        "name": "own",
    }
    return dp.table(rows, **(public | how))


@pytest.mark.claim("C491")
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize(
    ("how", "l1", "l2_squared", "linf"),
    [
        ({"sensitivity": 3}, 6, 36, 6),  # in steps of 0.5
        ({"sensitivity": "3.2"}, 7, 49, 7),  # rounded up
        ({"sensitivity": "0.1", "by": "k"}, 3, 3, 1),
        ({"sensitivity": 3, "by": "k", "numbers": 2}, 12, 72, 6),
        ({"sensitivity": 3, "by": "k", "numbers": 99}, 18, 108, 6),
    ],
)
def test_the_noise_is_what_is_stated(neighbors, how, l1, l2_squared, linf):
    """By definition, in either relation; as many numbers move as there are."""
    (one,) = dp.stated("x", protects=WHO, **how).aggregates(scores(neighbors=neighbors))

    moved = one.sensitivity
    assert (moved.l1, moved.l2_squared, moved.linf) == (l1, l2_squared, linf)


@pytest.mark.claim("C491")
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_scores_move_apart_by_twice_what_is_stated(neighbors):
    """One may rise where another falls; by the proof of sums one row moves them up to 100."""
    table = scores(neighbors=neighbors)
    for question in (
        dp.choose("k", most="x", sensitivity=2, protects=WHO),
        dp.top_k("k", 2, most="x", sensitivity=2, protects=WHO),
    ):
        (one,) = question.aggregates(table)

        assert one.choice.spread == 2 * 2 * 2  # in steps of 0.5
        assert statistic_of(question.plain()) == question


def test_a_plan_is_read_again_and_differs_by_what_is_stated():
    """What is stated is in the digest, and so in the price and the request."""
    asked = [
        dp.plan(scores(), dp.stated("x", by="k", **how), spend=dp.pure(1))
        for how in (
            {"sensitivity": 1, "protects": WHO},
            {"sensitivity": 2, "protects": WHO},
            {"sensitivity": 1, "protects": "one person"},
            {"sensitivity": 1, "protects": WHO, "numbers": 1},
        )
    ]

    assert len({one.digest for one in asked}) == 4
    assert all(plan_of(one.plain()) == one for one in asked)


def test_an_error_that_is_wanted_is_kept():
    """In the column's measure."""
    question = dp.stated("x", by="k", sensitivity=1, protects=WHO, within=4)
    found = dp.plan(scores(), question)
    (line,) = found.lines

    assert line.laws[0].half_width(found.alpha) * Fraction(1, 2) <= 4


@pytest.mark.parametrize(
    ("ask", "says", "fix"),
    [
        (
            lambda: dp.stated("x", sensitivity=0, protects=WHO),
            "must be above 0",
            "say in sensitivity",
        ),
        (lambda: dp.stated("x", sensitivity=1, protects=" "), "does not say who", "protects="),
        (lambda: dp.stated("x", sensitivity=1, protects="a\nb"), "does not say who", "protects="),
        (
            lambda: dp.choose("k", sensitivity=1, protects=WHO),
            "no column of scores",
            "leave sensitivity and protects out",
        ),
        (
            lambda: dp.choose("k", most="x", protects=WHO),
            "without a sensitivity",
            "leave protects out",
        ),
        (lambda: dp.choose("k", most="x", sensitivity=1), "does not say who", "protects="),
    ],
)
def test_half_a_statement_is_refused(ask, says, fix):
    """Before anything is planned."""
    with pytest.raises(InputError) as error:
        ask()

    assert says in str(error.value)
    assert fix in str(error.value)


OWN = {"sensitivity": 1, "protects": WHO}


@pytest.mark.parametrize("question", [dp.stated("x", **OWN), dp.choose("k", most="x", **OWN)])
def test_rows_of_units_are_refused(question):
    """Limits would take a number away by chance."""
    with pytest.raises(InputError, match="needs a table whose unit is a row"):
        dp.plan(scores(unit=dp.unit("z", max_rows=1)), question, spend=dp.zcdp(1))


@pytest.mark.parametrize(
    "how",
    [
        lambda table: (table, {"where": "x > 2"}),
        lambda table: (table.where("x > 2"), {}),
        lambda table: (table.derive(k2=dp.derived("floor(x / 10)", keys=[0, 1])), {"by": "k2"}),
    ],
    ids=["where", "a table's condition", "a derived group"],
)
@pytest.mark.claim("C491")
def test_what_a_number_can_fall_out_of_is_refused(how):
    """From 2 to 2.5 it moves by one step, and what is counted by five: the statement is broken."""
    table, options = how(scores())
    for ask in (
        lambda by="k", **more: dp.stated("x", by=by, **OWN, **more),
        lambda by="k", **more: dp.choose(by, most="x", **OWN, **more),
    ):
        with pytest.raises(InputError, match="takes no filter and no derived groups"):
            ask(**options).aggregates(table)


def test_keys_that_nobody_knows_are_refused():
    """They are found among many units."""
    table = scores(keys={"k": dp.unknown(max_groups=1)})
    with pytest.raises(InputError, match="keys that nobody knows"):
        dp.plan(table, dp.stated("x", by="k", **OWN), spend=dp.approx(1, "1e-6"))


def test_without_bounds_it_is_refused():
    """A number of one's own needs public bounds, too."""
    with pytest.raises(InputError, match="no bounds for 'z'"):
        dp.plan(scores(), dp.stated("z", **OWN), spend=dp.zcdp(1))
