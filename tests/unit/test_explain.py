"""Answers in sentences: the number is the page's own, and the naive one is told with a reason."""

import pytest

from discreet import calculator as calc
from discreet.errors import InputError


@pytest.mark.parametrize(
    ("wanted", "law", "known", "answer", "naive", "why"),
    [
        ("accuracy", "geometric", {"epsilon": "0.7", "alpha": "0.05"}, "4", "5", "one too large"),
        (
            "accuracy",
            "geometric",
            {"epsilon": 1, "alpha": "0.05", "convention": "ge"},
            "4",
            "3",
            "has a chance of 0.0727945",
        ),
        ("accuracy", "geometric", {"epsilon": "0.1", "alpha": "0.05", "releases": 10}, "89", "530", "partly cancel"),
        ("accuracy", "clamped_geometric", {"epsilon": "0.1", "alpha": "0.05", "bounds": (0, 30)}, "23", "30", "bounds"),
        ("epsilon", "geometric", {"accuracy": 1, "alpha": "0.05"}, "1.7654649057793630", "2.99573", "1.697 times"),
        ("epsilon", "geometric", {"epsilon": "0.1", "releases": 100, "delta": "1e-6"}, "4.7745675881081219", "10", "no use of delta"),
        ("epsilon", "gaussian", {"accuracy": 1, "alpha": "0.05", "delta": "1e-6"}, "10.731918567835331", "10.3855", "no proof"),
        ("sigma", "gaussian", {"epsilon": 20, "delta": "1e-5"}, "0.29004141803279583", "0.24224", "0.00152669"),
        ("sigma2", "discrete_gaussian", {"epsilon": 8, "delta": "1e-6"}, "0.43462284123133699", "0.426325", "3.01418e-06"),
        ("delta", "gaussian", {"epsilon": 10, "sigma": "0.52988025268504740"}, "0.0000019021638093497848", "1e-06", "understates"),
        ("tail", "geometric", {"accuracy": 3, "epsilon": 1}, "0.026779609865396904", "0.0497871", "tail of its own"),
    ],
)  # fmt: skip
def test_a_naive_formula_is_told_with_its_number_and_its_fault(
    wanted, law, known, answer, naive, why
):
    """The printed numbers of the documents come back beside the exact ones (A2, A4, B4, B8, F7)."""
    found = calc.explain(wanted, law, known)

    assert (found.text, found.naive.value) == (answer, naive)
    assert why in found.naive.why


@pytest.mark.parametrize(
    ("wanted", "law", "known"),
    [
        ("accuracy", "laplace", {"epsilon": 1, "alpha": "0.01"}),
        ("sigma", "gaussian", {"rho": "1/50"}),
        ("scale", "geometric", {"epsilon": "0.3"}),
        ("rho", "discrete_gaussian", {"sigma2": 25}),
    ],
)
def test_an_answer_that_every_formula_gives_has_no_naive_one(wanted, law, known):
    """Where nobody errs, nothing is said."""
    assert calc.explain(wanted, law, known).naive is None


def test_a_formula_without_a_value_says_why():
    """Document 000 divides by the accuracy; the exact answer for 0 exists (A4)."""
    found = calc.explain("epsilon", "geometric", {"accuracy": 0, "alpha": "0.05"})

    assert found.text == "3.6635616461296465"
    assert found.naive.value is None
    assert "divides by the accuracy" in str(found)


@pytest.mark.parametrize(
    ("wanted", "law", "known", "named"),
    [
        ("accuracy", "geometric", {"epsilon": 1}, "alpha"),
        ("accuracy", "geometric", {"epsilon": 1, "alpha": "0.05", "rule": "tight"}, "rule"),
        ("delta", "gaussian", {"sigma": 4}, "epsilon"),
        ("epsilon", "gaussian", {"sigma": 4}, "delta"),
        ("scale", "gaussian", {"accuracy": 10, "alpha": "0.05"}, "sigma"),
        ("noise", "gaussian", {}, "accuracy"),
    ],
)
def test_what_does_not_belong_or_is_missing_is_named(wanted, law, known, named):
    """The way out is something that can be typed."""
    with pytest.raises(InputError) as refused:
        calc.explain(wanted, law, known)

    assert named in refused.value.fix
