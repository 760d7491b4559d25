"""The next step of an accuracy: the least loss, or the most noise, at which an error is less by one."""

import json
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import calculator as calc
from discreet.calculator.for_accuracy import next_step
from discreet.cli.cli import main

CASES = [
    ("geometric", {"epsilon": "0.83"}),
    ("geometric", {"epsilon": "0.1", "releases": 10}),
    ("geometric", {"scale": "3", "coordinates": 7}),
    ("geometric", {"epsilon": "2", "sensitivity": 3, "convention": "ge"}),
    ("discrete_laplace", {"scale": "1/2", "convention": "ge"}),
    ("discrete_gaussian", {"rho": "1/50"}),
    ("discrete_gaussian", {"sigma": 5}),
    ("discrete_gaussian", {"sigma2": 25, "releases": 3}),
    ("discrete_gaussian", {"epsilon": 1, "delta": "1e-6"}),
    ("discrete_gaussian", {"epsilon": 15, "delta": "1e-6"}),
    ("clamped_geometric", {"epsilon": "0.1", "bounds": (0, 30)}),
    ("truncated_geometric", {"epsilon": "0.1", "bounds": (0, 30)}),
]


def a_digit_less(step):
    """The same step with its last digit moved to the side that should not do."""
    exact = Fraction(step.value)
    with mpmath.workdps(20):
        unit = Fraction(10) ** (
            int(mpmath.floor(mpmath.log10(exact.numerator) - mpmath.log10(exact.denominator))) - 4
        )
    return exact - unit if step.name in ("epsilon", "rho") else exact + unit


@pytest.mark.slow
@pytest.mark.claim("C21")
@pytest.mark.parametrize(("law", "known"), CASES, ids=str)
def test_the_next_step_is_the_first_that_has_a_smaller_error(law, known):
    """At it the error is less by one; one unit of its fifth digit before, it is not (A7)."""
    given = {"alpha": "0.05", **known}
    now = calc.accuracy(law, **given)

    step = next_step(law, now, given)

    assert step.accuracy == now - 1
    assert calc.accuracy(law, **{**given, step.name: step.value}) == now - 1
    assert calc.accuracy(law, **{**given, step.name: a_digit_less(step)}) == now


@pytest.mark.slow
@given(st.integers(1, 500), st.fractions(min_value="1e-6", max_value="0.9", max_denominator=10**6))
def test_the_step_of_geometric_noise_is_the_root_of_its_tail(error, alpha):
    """2 q^a = alpha (1 + q) at 50 digits, for the error a that is one more; rounded up."""
    step = next_step("geometric", error, {"alpha": alpha, "epsilon": "1e-6"})
    least = calc.epsilon_for("geometric", accuracy=error - 1, alpha=alpha)
    with mpmath.workdps(50):

        def above(epsilon):
            """Whether an error of a or more is too likely."""
            q = mpmath.exp(-mpmath.mpf(epsilon.numerator) / epsilon.denominator)
            return 2 * q**error - (1 + q) * alpha.numerator / mpmath.mpf(alpha.denominator) > 0

        for told, off in ((Fraction(least), "1e-12"), (Fraction(step.value), "2e-4")):
            assert not above(told)
            assert above(told * (1 - Fraction(off)))


def test_where_there_is_no_step_none_is_told():
    """An error of 0, one of 1 or more, at a truth, in real numbers, and of many numbers together."""
    for law, known in (
        ("geometric", {"epsilon": 20}),
        ("geometric", {"epsilon": 20, "convention": "ge"}),
        ("clamped_geometric", {"epsilon": "0.1", "bounds": (0, 30), "truth": 15}),
        ("gaussian", {"sigma": 2}),
        ("laplace", {"epsilon": 1}),
    ):
        found = calc.explain("accuracy", law, {"alpha": "0.05", **known})

        assert found.step is None
        assert "next:" not in str(found)
    assert calc.explain("epsilon", "geometric", {"alpha": "0.05", "accuracy": 3}).step is None


def test_the_command_line_tells_the_step_of_document_000(capsys):
    """A7: at 0.83 the error is 4, and 3 from 0.83189 on; with --json as numbers to type."""
    line = ["calc", "accuracy", "geometric", "--epsilon", "0.83", "--alpha", "0.05"]

    main(line)
    told = capsys.readouterr().out
    main([*line, "--json"])
    answer = json.loads(capsys.readouterr().out)

    assert "accuracy = 4\n" in told
    assert "  next:   3 from epsilon = 0.83189 on\n" in told
    assert answer["next"] == {"accuracy": 3, "name": "epsilon", "value": "0.83189"}
