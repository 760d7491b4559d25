"""Answers in sentences: the number is the page's own, and the naive one is told with a reason."""

import re
from fractions import Fraction

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


@pytest.mark.claim("C21")
@pytest.mark.parametrize(
    ("rule", "epsilon"), [("classical", 1), ("tight", "0.5"), ("pinsker", 0), ("vinterbo", 7)]
)
def test_a_closed_form_is_never_called_the_least(rule, epsilon):
    """A3: it keeps the loss, and the least is told beside it: less, and rounded up."""
    known = {"epsilon": epsilon, "delta": "1e-6"}
    found = calc.explain("sigma", "gaussian", {**known, "rule": rule})
    said, least = found.meaning.split("; the least is ")

    assert said == f"a sigma that keeps epsilon = {epsilon} and delta = 1e-6"
    assert calc.sigma_for(**known) <= Fraction(least) < Fraction(found.answer)
    assert "the least" in calc.explain("sigma", "gaussian", known).meaning


@pytest.mark.parametrize(
    ("wanted", "law", "known", "said"),
    [
        ("epsilon", "geometric", {"epsilon": 1, "sensitivity": 3, "delta": "0.1"}, "the least epsilon at"),
        ("epsilon", "geometric", {"epsilon": 1, "releases": 3, "delta": "0.1"}, "the least epsilon of"),
        ("epsilon", "geometric", {"epsilon": 1, "sensitivity": 3, "releases": 3, "delta": "0.1"}, "an upper bound on the least epsilon of"),
        ("delta", "geometric", {"epsilon": 1, "scale": 3, "sensitivity": 3, "releases": 3}, "an upper bound on the least delta of"),
        ("rho", "discrete_gaussian", {"sigma2": 3}, "the rho"),
        ("rho", "geometric", {"epsilon": 1}, "a rho that is kept"),
    ],
)  # fmt: skip
def test_an_upper_bound_is_not_called_the_least(wanted, law, known, said):
    """A3: several releases above sensitivity 1, and the rho of pure noise, are bounds."""
    assert calc.explain(wanted, law, known).meaning.startswith(said)


@pytest.mark.exhaustive
@pytest.mark.claim("C22")
@pytest.mark.parametrize("epsilon", ["0.1", "0.7", "1", "2", "3", "5", "8", "10", "20"])
@pytest.mark.parametrize("delta", ["1e-3", "1e-6"])
def test_the_least_sigma2_is_called_so_only_where_none_smaller_keeps_the_loss(epsilon, delta):
    """A3: 0.3125 keeps (8, 1e-6), too; where more noise can lose more, the words say so."""
    known = {"epsilon": epsilon, "delta": delta}
    found = calc.explain("sigma2", "discrete_gaussian", known)

    def keeps(sigma2):
        return calc.delta_of("discrete_gaussian", sigma2=sigma2, at_epsilon=epsilon) <= Fraction(
            delta
        )

    edge = Fraction(found.answer)
    some = any(keeps(edge * Fraction(k, 300)) for k in range(30, 300))
    assert keeps(edge)
    if found.meaning.startswith("the least sigma2"):
        assert not some
    else:
        smaller = re.search("; (.*) does, too, but some between do not$", found.meaning).group(1)
        assert keeps(Fraction(smaller))
        assert Fraction(smaller) < edge
        assert not keeps(edge * (1 - Fraction(1, 10**12)))
    if (epsilon, delta) == ("8", "1e-6"):
        assert found.meaning == (
            "from this sigma2 on each keeps epsilon = 8 and delta = 1e-6; 0.3125 does, too, but some "
            "between do not"
        )
