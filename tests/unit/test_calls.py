"""A call that does not fit a public function is refused in three lines, with the call that fits."""

import inspect
import pickle

import pytest

import discreet as dp
import discreet.calculator as dc
from discreet.calls import _OF_QUESTION
from discreet.errors import CallError, InputError
from discreet.statistic.catalog import ASKED

pytestmark = pytest.mark.claim("C250")

TABLE = dp.table("people.csv", unit="row", keys={"sex": ["f", "m"]})
PLAN = dp.plan(TABLE, dp.count(by="sex"), spend=dp.pure(1))
FUNCTIONS = {
    **{
        f"dp.{name}": getattr(dp, name)
        for name in dp.__all__
        if name != "errors" and not isinstance(getattr(dp, name), type)  # types annotate
    },
    **{
        f"dc.{name}": one
        for name, one in vars(dc).items()
        if inspect.isfunction(one) and one.__module__ == dc.__name__
    },
    **{
        f"{of}.{name}": getattr(thing, name)
        for of, thing in (("table", TABLE), ("plan", PLAN), ("release", dp.rehearse(PLAN)))
        for name in vars(type(thing))
        if inspect.isfunction(getattr(type(thing), name)) and not name.startswith("_")
    },
}
OPEN = {"dp.about", "dc.explain", "table.derive"}  # take settings of any name


def refusal(act, *args, **options):
    with pytest.raises(CallError) as caught:
        act(*args, **options)
    assert str(caught.value).count("\n") == 2
    assert caught.value.__cause__ is None
    return caught.value


def test_there_are_many():
    """All names of the page, of the calculator, and what one gets back from them."""
    assert len(FUNCTIONS) > 90


@pytest.mark.parametrize("name", sorted({*FUNCTIONS} - OPEN))
def test_an_unknown_setting_is_refused_in_three_lines(name):
    """Whoever is called; it is still the TypeError that Python would raise, too."""
    refused = refusal(FUNCTIONS[name], no_such_setting=1)

    assert isinstance(refused, InputError)
    assert isinstance(refused, TypeError)
    assert "no_such_setting" in refused.what


@pytest.mark.parametrize(
    "name",
    sorted(
        name
        for name, act in FUNCTIONS.items()
        if any(
            one.default is one.empty and one.kind is not one.VAR_POSITIONAL
            for one in inspect.signature(act).parameters.values()
            if one.kind is not one.VAR_KEYWORD
        )
    ),
)
def test_what_is_missing_is_named_with_a_call_that_has_it(name):
    """Each setting without a default; the call that is shown can be made."""
    refused = refusal(FUNCTIONS[name])

    shown = refused.fix.split(", or ")[0].removeprefix("write ").split(" where ")[0]
    call = compile(shown.replace("?", "...").replace("discreet.", "dp."), "fix", "eval")
    assert call.co_names[-1] or call.co_names


@pytest.mark.parametrize(
    ("act", "fix"),
    [
        (lambda: dp.plan(TABLE, dp.count(), epsilon=1), "*questions, spend=discreet.pure(1))"),
        (lambda: dp.run(PLAN), 'discreet.run(plan, ledger="visits.ledger")'),
        (lambda: dp.table("p.csv"), 'discreet.table("p.csv", unit="row") where nobody'),
        (lambda: dp.approx(1), "discreet.approx(1, ?)"),
        (lambda: dp.cube("a", "b"), 'discreet.cube(["a", "b"])'),
        (lambda: dp.count(epsilon=1), "discreet.count(spend=discreet.pure(1))"),
        (lambda: dp.count(unique=True), "discreet.count_units(), which counts distinct"),
        (lambda: dp.count(mechanism="laplace"), "leave mechanism out"),
        (lambda: dp.plan(TABLE, dp.count(), confidence=95), 'alpha="0.05"'),
        (lambda: dp.bounds(0, 1, "0.1"), 'discreet.bounds(0, 1, step="0.1")'),
        (lambda: dc.accuracy("geometric", 1, "0.05"), "write each value behind its name"),
        (lambda: dp.count("sex", by="sex"), "leave by out"),
        (
            lambda: dp.tables(["a", "b"], ["b", "c"]),
            'write discreet.tables([["a", "b"], ["b", "c"]])',
        ),
    ],
)
def test_the_first_calls_of_a_newcomer_say_what_to_type(act, fix):
    """They ended in a bare TypeError."""
    assert fix in refusal(act).fix


@pytest.mark.claim("C645")
def test_bins_of_a_width_are_a_range_where_they_can_be():
    """Edges that are no whole number apart have no range; a limit is of rows or of keys."""
    assert "bins=range(?, ?, 10)" in refusal(dp.histogram, "age", width=10).fix
    assert "range" not in refusal(dp.histogram, "age", bin_width=2.5).fix
    assert refusal(dp.unit, "person", limit=3).fix == "write max_rows in place of limit"
    assert refusal(dp.top_k, by="ward", limit=3).fix == "write k in place of limit"


def test_a_type_error_inside_of_a_call_is_no_wrong_call():
    """What goes wrong after a call was made is said as it is."""
    from discreet.calls import checked

    def broken(value):
        return value + "a"

    with pytest.raises(TypeError) as caught:
        checked(broken, "discreet.broken")(1)

    assert not isinstance(caught.value, CallError)


def test_functions_are_what_they_were():
    """Their signatures, words and names stay, and they can be handed to other processes."""
    assert inspect.signature(dp.plan).parameters.keys() >= {"table", "spend", "within"}
    assert dp.plan.__doc__ == inspect.unwrap(dp.plan).__doc__
    for function in (dp.load, dp.plan, dc.accuracy):
        assert pickle.loads(pickle.dumps(function)) is function


def test_a_refused_call_shows_no_data():
    """Of a frame, a list of dicts or an object its kind alone."""
    rows = [{"name": "zebrafish"}]

    for act in (lambda: dp.table(rows), lambda: dp.plan(rows, spent=1), dp.load):
        assert "zebrafish" not in str(refusal(act))


def test_a_setting_of_a_question_is_said_to_be_one():
    """It was left out in silence, so that a mean lost the size it was promised for."""
    for name, value in {"by": "sex", "rows": 1000, "where": "age > 3", "max_groups": 2}.items():
        fix = refusal(dp.plan, TABLE, dp.count(), spend=dp.pure(1), **{name: value}).fix
        assert fix.startswith(f"write {name}={value!r}".replace("'", '"'))
        assert fix.endswith(f" in the question that it is for, and leave {name} out")
    for name in _OF_QUESTION:
        assert any(name in inspect.signature(ask).parameters for ask in ASKED.values()), name


def test_a_release_is_saved_by_itself():
    """`run` has no place to write to."""
    fix = refusal(dp.run, PLAN, ledger="visits.ledger", out="a.release").fix

    assert fix == 'leave out out, or write release.save("visits.release") with what it returns'
