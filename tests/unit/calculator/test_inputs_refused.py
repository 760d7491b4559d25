"""What the calculator refuses says why, and its fix can be typed: in Python and on the line."""

import re
import shlex

import pytest

from discreet import calculator as calc
from discreet.calculator.explain import explain
from discreet.cli.cli import main
from discreet.errors import InputError
from discreet.fix import Say, leave_out, write
from discreet.plan_file.in_file import as_options

ASK = {
    "a delta for an epsilon": (
        "epsilon gaussian --accuracy 10 --alpha 0.05",
        "--delta 1e-6",
    ),
    "a delta for its own curve": (
        "epsilon discrete_gaussian --accuracy 10 --alpha 0.05",
        "--delta 1e-6",
    ),
    "a delta for an accuracy": ("accuracy gaussian --epsilon 1 --alpha 0.05", "--delta 1e-6"),
    "an epsilon": ("accuracy clamped_geometric --alpha 0.05 --bounds 0:30", "--epsilon 0.1"),
    "bounds": ("accuracy truncated_geometric --epsilon 1 --alpha 0.05", "--bounds 0:100"),
    "bounds for an epsilon": (
        "epsilon truncated_geometric --accuracy 9 --alpha 0.05",
        "--bounds 0:100",
    ),
    "an alpha": ("accuracy geometric --epsilon 1", "--alpha 0.05"),
    "a size": ("accuracy gaussian --alpha 0.05", "--epsilon 0.1 --delta 1e-6"),
}
OPTION = re.compile(r"--[a-z]\w* \S+")


def asked(line):
    return main(["calc", *shlex.split(line)])


@pytest.mark.parametrize("lacking", ASK)
def test_what_the_fix_says_can_be_typed_and_answers(lacking, capsys):
    """The options in the fix, added to the line as they stand, make it an answer."""
    line, options = ASK[lacking]

    code = asked(line)
    fix = capsys.readouterr().err.splitlines()[-1]

    assert code == 2
    assert " ".join(OPTION.findall(fix)) == options
    assert asked(f"{line} {options}") == 0


@pytest.mark.parametrize(
    "line",
    [
        "rho discrete_gaussian --accuracy 10 --alpha 0.05",
        "rho gaussian --accuracy 10 --alpha 0.05",
        "sigma2 discrete_gaussian --accuracy 31 --alpha 0.05 --releases 10",
        "epsilon discrete_gaussian --accuracy 10 --alpha 0.05 --delta 1e-6",
        "epsilon truncated_geometric --accuracy 10 --alpha 0.05 --bounds 0:30 --coordinates 3",
        "scale laplace --accuracy 10 --alpha 0.05 --releases 4",
        "tail laplace --accuracy 10 --scale 2 --releases 4",
        "sigma gaussian --accuracy 10 --alpha 0.05 --coordinates 4 --norm l2",
        "rho gaussian --accuracy 10 --alpha 0.05 --coordinates 4 --norm l2",
    ],
)
def test_each_law_is_asked_back_from_its_accuracy_on_the_line(line):
    """Every promise has its loss or its noise."""
    assert asked(line) == 0


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: calc.epsilon_for("gaussian", accuracy=3, alpha="0.05"), "needs a delta"),
        (lambda: calc.accuracy("gaussian", epsilon=1, alpha="0.05"), "needs a delta"),
        (lambda: calc.accuracy("geometric", epsilon=0, alpha="0.05"), "loses nothing"),
        (lambda: calc.epsilon_for("laplace", accuracy=0, alpha="0.05"), "exactly 0"),
        (lambda: calc.sigma_for("geometric", epsilon=1), "its scale"),
        (lambda: calc.scale_for("discrete_gaussian", epsilon=1), "its sigma2"),
        (lambda: calc.sigma_for(epsilon=0, delta="0.1", rule="tight"), "divides by epsilon"),
        (
            lambda: calc.accuracy("clamped_geometric", epsilon=1, alpha="0.05", bounds=(9, 0)),
            "bounds=(0, 9)",
        ),
        (
            lambda: calc.accuracy("laplace", scale=1, alpha="0.05", norm="l2"),
            "Gaussian errors only",
        ),
        (lambda: calc.accuracy("gaussian", sigma=1, alpha="0.05", norm="l3"), 'norm="l2"'),
    ],
)
def test_the_reason_is_the_true_one(ask, words):
    """Not "the size of the noise is not known" where something else is wrong."""
    with pytest.raises(InputError) as refused:
        ask()

    assert words in str(refused.value)


def test_a_fix_in_python_becomes_options():
    """Names, numbers and bounds; sentences are left alone."""
    for way, said in (
        (write(norm="l2"), "write --norm l2"),
        (write("or less", releases=2000), "write --releases 2000 or less"),
        (write(bounds=(-3, 9)), "write --bounds -3:9"),
        (write(law="geometric"), "write geometric as LAW"),
        (write(totals={"count by ward": 1000}), "write --total 'count by ward=1000'"),
        (leave_out("delta"), "leave --delta out"),
        (Say("leave delta=1 out"), "leave delta=1 out"),
    ):
        assert as_options((way,)) == said


def test_a_formula_that_divides_by_epsilon_says_so_at_0():
    """There is a finite sigma at epsilon = 0; the classical formula has none."""
    found = explain("sigma", "gaussian", {"epsilon": 0, "delta": "1e-6"})

    assert found.naive is not None
    assert str(found.naive).endswith("it divides by epsilon, which is 0")
