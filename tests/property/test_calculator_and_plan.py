"""The calculator, the command line and the plan say one half-width of a sum, a mean and a count.

A plan knows the sensitivity and the noise of a question; the calculator is told both.
"""

from fractions import Fraction

import pytest

import discreet as dp
from discreet.calculator import accuracy
from discreet.cli.cli import main
from discreet.post.thresholds import for_interval

pytestmark = pytest.mark.claim("C333")

COST = dp.bounds(-3, 9, step="0.5")  # in half steps from -6 to 18
ALPHA = Fraction(1, 20)
LOSSES = {"pure": "0.1", "zcdp": "0.02"}
ASKED = {  # a question; the l1 of its numbers in steps; what 1 of the noise is worth, at which alpha
    "sum": (dp.sum("cost", by="k"), 18, Fraction(1, 2), ALPHA),
    "mean, of one row": (dp.mean("cost", by="k"), 24, Fraction(1, 2), for_interval(ALPHA)),
    "count between": (dp.count(by="k", between=(0, 30)), 1, 1, ALPHA),
    "count": (dp.count(by="k"), 1, 1, ALPHA),
}
NO_SUCH_LAW = ("count between", "zcdp")  # the calculator has no clamped Gaussian


def expected(question, loss):
    table = dp.table([], unit="row", name="t", columns={"cost": COST}, keys={"k": range(4)})
    (line,) = dp.plan(table, question, spend=loss).lines
    return line.statistic.expected(table, line.laws, ALPHA).half_width


CASES = [(name, kind) for name in ASKED for kind in LOSSES if (name, kind) != NO_SUCH_LAW]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_plan_calculator_and_command_line_say_one_half_width(name, kind, capsys):
    """At one loss: of Laplace noise by epsilon, of the discrete Gaussian by rho."""
    question, size, worth, alpha = ASKED[name]
    loss = LOSSES[kind]
    law = "geometric" if kind == "pure" else "discrete_gaussian"
    known = {"epsilon" if kind == "pure" else "rho": loss, "alpha": alpha, "sensitivity": size}
    options = {}
    if name == "count between":
        law, options = "clamped_geometric", {"bounds": (0, 30)}
        del known["sensitivity"]
    spend = dp.pure(loss) if kind == "pure" else dp.zcdp(loss)

    half = expected(question, spend)
    told = accuracy(law, **known, **options)
    line = [f"--{option}={value}" for option, value in known.items()]
    line += ["--bounds=0:30"] if options else []
    assert main(["calc", "accuracy", law, *line]) == 0
    shown = capsys.readouterr().out

    assert half == told * worth
    assert str(told) in shown
    less = {**known, "sensitivity": size - 1} if size > 1 else {**known, "alpha": 2 * alpha}
    assert half != accuracy(law, **less, **options) * worth  # the check has power
