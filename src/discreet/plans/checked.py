"""What a plan is asked for: a declared table, questions, and a loss that buys answers to them.

Rules of this module:
- what is refused here is refused before anything is priced.
"""

from collections.abc import Sequence

from ..errors import InputError, as_given
from ..fix import BLANK, Call, Do, call, write
from ..privacy.loss import Loss, is_loss
from ..schema import Table
from ..statistic.statistic import Statistic
from .price import candidates


def checked_spend(spend: object) -> Loss:
    """Return a loss that buys an answer, or raise InputError."""
    if not is_loss(spend):
        raise InputError(
            f"spend = {as_given(spend)} is not a loss.",
            why="a bare number does not say what it protects: epsilon or rho",
            fix=(
                write(spend=call("discreet.zcdp", BLANK)),
                write(spend=call("discreet.pure", BLANK)),
            ),
        )
    if not candidates(spend):
        raise InputError(
            f"a spend of {spend} buys no answer.",
            why="a smaller loss needs more noise; with none at all the noise has no end",
            fix=write(", with more than 0", spend=blank_loss(spend.kind)),
        )
    return spend


def check_questions(table: Table, statistics: Sequence[Statistic]) -> None:
    """Raise InputError unless questions, no two alike, are asked of a declared table."""
    if not isinstance(table, Table):
        raise InputError(
            f"plan was given a {type(table).__name__} where a declared table belongs.",
            why="the price of a question follows from what is declared, not from data",
            fix=_plan_of(call("discreet.table", BLANK, unit=BLANK)),
        )
    for statistic in statistics:
        if isinstance(statistic, type) or not callable(getattr(statistic, "aggregates", None)):
            raise InputError(
                f"{as_given(statistic)} is not a question.",
                why="a plan asks for counts, sums, means, variances and histograms",
                fix=_plan_of(BLANK),
                at="ask",
            )
    if not statistics:
        raise InputError(
            "the plan asks nothing.",
            why="a price follows from what is asked",
            fix=_plan_of(BLANK),
            at="ask",
        )
    first: dict[str, int] = {}
    for number, statistic in enumerate(statistics):
        same = first.setdefault(str(statistic.plain()), number)
        if same != number:
            raise InputError(
                f"the plan asks one question twice: question {number + 1} is question {same + 1}.",
                why="each question costs its share; the same one twice would only be noisier",
                fix="remove one of them, and give the other a weight if it matters more",
                at=("ask", number),
            )


def blank_loss(kind: str) -> Call:
    """Return the call that makes a loss of a kind, its numbers still to be chosen."""
    return call(f"discreet.{kind}", *[BLANK] * (2 if kind == "approx" else 1))


def _plan_of(table: object) -> Do:
    return Do(call("discreet.plan", table, call("discreet.count"), spend=BLANK))
