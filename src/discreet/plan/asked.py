"""What a plan is asked for: a declared table, questions, and a loss that buys answers to them.

Rules of this module:
- what is refused here is refused before anything is priced.
"""

from collections.abc import Sequence

from ..errors import InputError, as_given
from ..privacy.loss import AnyLoss, Approx, Pure, Zcdp
from ..schema import Table
from ..statistic.statistic import Statistic
from .price import candidates


def checked_spend(spend: object) -> AnyLoss:
    """Return a loss that buys an answer, or raise InputError."""
    if not isinstance(spend, (Pure, Zcdp, Approx)):
        raise InputError(
            f"spend = {as_given(spend)} is not a loss.",
            why="a bare number does not say what it protects: epsilon or rho",
            fix="write spend=discreet.zcdp(?) or spend=discreet.pure(?)",
        )
    if not candidates(spend):
        raise InputError(
            f"a spend of {spend} buys no answer.",
            why="a smaller loss needs more noise; with none at all the noise has no end",
            fix='write spend=discreet.zcdp("1/50"), for example',
        )
    return spend


def check_questions(table: Table, statistics: Sequence[Statistic]) -> None:
    """Raise InputError unless questions, no two alike, are asked of a declared table."""
    if not isinstance(table, Table):
        raise InputError(
            f"plan was given a {type(table).__name__} where a declared table belongs.",
            why="the price of a question follows from what is declared, not from data",
            fix="write discreet.plan(discreet.table(?, unit=?), discreet.count(), spend=?)",
        )
    for statistic in statistics:
        if isinstance(statistic, type) or not callable(getattr(statistic, "aggregates", None)):
            raise InputError(
                f"{as_given(statistic)} is not a question.",
                why="a plan asks for counts, sums, means, variances and histograms",
                fix="write discreet.plan(?, discreet.count(), spend=?)",
            )
    if not statistics:
        raise InputError(
            "the plan asks nothing.",
            why="a price follows from what is asked",
            fix="write discreet.plan(?, discreet.count(), spend=?)",
        )
    labels = [str(statistic.plain()) for statistic in statistics]
    if len(set(labels)) < len(labels):
        raise InputError(
            "the plan asks one question twice.",
            why="each question costs its share; the same one twice would only be noisier",
            fix="list each question once, and give it a weight if it matters more",
        )
