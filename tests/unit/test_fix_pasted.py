"""A fix can be pasted and works, or has a question mark where only a person can answer."""

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet.errors import InputError
from discreet.exact.number import common_step, value_of
from discreet.fix import BLANK, Remove, Set, in_python, python_of, write

NUMBERS = st.one_of(
    st.integers(-(10**6), 10**6).map(Fraction),
    st.decimals(-1000, 1000, places=3).map(Fraction),
    st.fractions(min_value=-50, max_value=50, max_denominator=30),
    st.sampled_from([Fraction(10) ** 30, Fraction(1, 10**25), Fraction("0.1234567890123456789")]),
)


def refusal_of(act):
    """What is refused, or None."""
    try:
        act()
    except InputError as refused:
        return refused
    return None


def fix_of(act):
    """The fix of what is refused, or None."""
    refused = refusal_of(act)
    return refused and refused.fix


def options(way):
    """What a way says to write; nothing where a person must answer."""
    settings = way.settings if isinstance(way, Set) else {}
    return {} if BLANK in settings.values() else dict(settings)


@pytest.mark.slow
@settings(max_examples=300)
@given(NUMBERS, NUMBERS, st.one_of(st.none(), NUMBERS))
def test_bounds_that_a_fix_writes_are_never_refused(lower, upper, step):
    """U6: reversed, equal, off the grid, too fine: what is suggested passes, or asks."""
    given = {"lower": lower, "upper": upper, "step": step}
    refused = refusal_of(lambda: dp.bounds(**given))

    for way in () if refused is None else refused.ways:
        if isinstance(way, Remove):
            continue
        assert bool(options(way)) == ("?" not in in_python((way,)))
        assert lower < upper or {"lower", "upper"} <= {*way.settings}
        if options(way):
            assert dp.bounds(**given | options(way))


def test_a_fix_that_is_refused_in_turn_is_seen():
    """The check has power: the old advice for a step that is too fine did not lie on the grid."""
    low, high = Fraction("0.1234567890123456789"), Fraction(1)

    assert options(refusal_of(lambda: dp.bounds(low, high)).ways[0]) == {}
    with pytest.raises(InputError):
        dp.bounds(low, high, **options(write(step="0.000001")))


@given(NUMBERS, NUMBERS)
@pytest.mark.slow
def test_a_common_step_divides_both(first, second):
    """And is the largest that does; a number is typed so that Python means it exactly."""
    if first == second == 0:
        return
    step = common_step(first, second)

    assert (first / step).denominator == (second / step).denominator == 1
    assert common_step(first / step, second / step) == 1
    assert Fraction(eval(python_of(value_of(first)))) == first


@pytest.mark.parametrize(
    ("steps", "ball"), [(("0.3", "0.2"), "0.6"), (("1", "1"), "2.5"), (("1/3", "1/3"), "1/2")]
)
def test_the_fix_of_a_ball_is_kept(steps, ball):
    """A common step for columns and ball; the radius that is suggested lies on the grid."""

    def asked(steps, ball):
        columns = {name: dp.bounds(0, 6, step=step) for name, step in zip("xy", steps, strict=True)}
        table = dp.table("t.csv", unit="row", columns=columns)
        return dp.plan(table, dp.mean(["x", "y"], ball=ball), spend=dp.zcdp("1/50"))

    ways = refusal_of(lambda: asked(steps, ball)).ways
    radius = [way.settings["ball"] for way in ways if isinstance(way, Set) and not way.of]
    grids = [way.settings["columns"] for way in ways if isinstance(way, Set) and way.of == "table"]

    assert all(asked(steps, one) for one in radius)
    assert {one.options["step"] for one in grids[0].values()} == {grids[0]["x"].options["step"]}
    assert asked((grids[0]["x"].options["step"],) * 2, ball)


INVENTED = re.compile(r"\.\.\.|\"A\"|\"B\"|\(0, 100|\"x\"|\"ward\"|person\b|visits|max_rows=\d")


def test_no_fix_invents_what_only_a_person_knows():
    """U6: bounds, keys, units and columns are asked for with a question mark, or are the caller's."""
    people = dp.table("p.csv", unit="row")
    units = dp.table("p.csv", unit=dp.unit("id"))
    wide = dp.table("p.csv", unit="row", columns={"w": dp.bounds(0, 10, step=1)})
    asks = [
        lambda: dp.bounds(9, 3),
        lambda: dp.bounds(3, 3),
        *(
            lambda keys=keys: dp.table("p.csv", unit="row", keys={"dest": keys})
            for keys in ("ABC", 3, {"a"}, [], ["a", 1], [None], [0.5], [2**60], [["a"]])
        ),
        lambda: dp.table("p.csv", unit="row", keys=["dest"]),
        lambda: dp.table("p.csv", unit="row", columns=["income"]),
        lambda: dp.table("p.csv", unit="row", columns={"income": (0, 1)}),
        lambda: dp.table("p.csv", unit=None),
        lambda: dp.table("p.csv", unit="pid"),
        lambda: dp.table("p.csv", unit="row", name=5),
        lambda: dp.count(by=5),
        lambda: dp.mean([]),
        lambda: dp.mean(["w"], ball=3),
        lambda: dp.mean(["w", "v"], ball=-1),
        lambda: dp.histogram("w", bins="x"),
        *(
            lambda table=table, ask=ask: dp.plan(table, ask, spend=dp.pure(1))
            for table, ask in (
                (people, dp.count(by="dest")),
                (people, dp.mean("income")),
                (people, dp.count(max_groups=1)),
                (units, dp.count()),
                (wide, dp.histogram("w", bins=[0, 5])),
                ("p.csv", dp.count()),
                (people, "count"),
            )
        ),
        lambda: dp.plan(people, spend=dp.pure(1)),
        lambda: dp.plan(people, dp.count(), spend=1),
    ]
    fixes = [fix_of(ask) for ask in asks]

    assert None not in fixes
    assert [fix for fix in fixes if INVENTED.search(fix)] == []
    assert {fix for fix in fixes if "?" not in fix} <= {
        "write lower=3 and upper=9",  # their own
        "write bins=20",
        "write bins=20, or bins=[0, 5, 10]",
        "leave ball out",
        "leave name out, or give it one as text",
        "leave keys out",
        "name one column of the data in by, or leave by out",
        "name one column of the data in column",
        'write columns={"income": discreet.bounds(0, 1)}',
        "write spend=discreet.pure(1) for epsilon = 1, or spend=discreet.zcdp(1) for rho = 1",
        "write discreet.plan(table, discreet.count(), spend=discreet.pure('1'))",
    }
    assert INVENTED.search('write keys={"dest": ["A", "B"]}')
    assert INVENTED.search("write discreet.bounds(0, 100)")
