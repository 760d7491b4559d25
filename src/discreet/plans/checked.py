"""What a plan is asked for: a declared table, questions, and a loss that buys answers to them.

Rules of this module:
- what is refused here is refused before anything is priced.
"""

from collections.abc import Sequence
from fractions import Fraction

from ..errors import InputError, as_given, shown
from ..exact.number import Number, flag, rational, text_of
from ..fix import BLANK, Call, Do, Set, call, leave_out, write
from ..privacy.loss import NAMES, Kind, Loss, call_of, is_loss
from ..schema import Levels, Table
from ..statistic.statistic import Statistic
from .price import buys

MAX_ALPHA = Fraction(1, 2)
KINDS = ("zcdp", "gdp", "pure")  # of losses of one number, that noise is priced in


def checked_terms(
    statistics: Sequence[Statistic], kind: str | None, delta: Number | None
) -> tuple[str, Fraction | None]:
    """Return in what the wanted errors are priced, where there is no spend, or raise InputError."""
    unmet = [
        statistic for statistic in statistics if not (statistic.ask.within or statistic.ask.spend)
    ]
    if unmet:
        raise InputError(
            "a plan needs spend=, or within= or spend= in each question.",
            kind="spend-missing",
            why=f"the loss gives the errors, or the errors wanted give the loss, and "
            f"{shown(unmet[0].label)} has none",
            fix=(write(spend=call("discreet.zcdp", BLANK)), write(within=BLANK)),
        )
    if kind is not None and delta is not None:
        raise InputError(
            "kind and delta are both given.",
            kind="settings-clash",
            why="for a delta the least epsilon is found; a kind has a number of its own",
            fix=(leave_out("kind"), leave_out("delta")),
        )
    if delta is None:
        own = [one.ask.spend.kind for one in statistics if one.ask.spend is not None]
        return _kind(next(iter(own), None) if kind is None else kind), None
    chance = rational(delta, "delta")
    if not 0 < chance < 1:
        raise InputError(
            f"delta = {text_of(chance)} must lie between 0 and 1.",
            kind="out-of-range",
            why="it is the chance that the protection fails; without any, write kind",
            fix=(write(", such as 1e-6 or less", delta=BLANK), write(kind="pure")),
        )
    return "approx", chance


def _kind(kind: str | None) -> str:
    if kind is None:
        return "zcdp"
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(
            f"kind = {as_given(kind)} is no kind of loss in which discreet prices noise.",
            kind="not-a-loss",
            why="wanted errors are priced in zCDP, mu2 or pure epsilon; with delta=, in epsilon",
            fix=tuple(write(kind=known) for known in KINDS),
        )
    return kind


def checked_spend(spend: object, kind: str | None = None, delta: object = None) -> Loss:
    """Return a loss that buys an answer, or raise InputError."""
    if kind is not None or delta is not None:
        name = "kind" if kind is not None else "delta"
        raise InputError(
            f"spend and {name} are both given.",
            kind="settings-clash",
            why=f"{name} says what a plan of wanted errors may cost where no spend does",
            fix=(leave_out(name), leave_out("spend")),
        )
    spend = loss_given(spend, "spend")
    if not buys(spend):
        raise InputError(
            f"a spend of {spend} buys no answer.",
            kind="spend-too-small",
            why="a smaller loss needs more noise; with none at all the noise has no end",
            fix=write(", with more than 0", spend=blank_loss(spend.kind)),
        )
    return spend


def loss_given(argument: object, name: str) -> Loss:
    """Return a loss that is handed in under a name, or raise InputError."""
    if not is_loss(argument):
        from ..meant import losses_meant

        raise InputError(
            f"{name} = {as_given(argument)} is not a loss.",
            kind="not-a-loss",
            why="a bare number does not say what it protects: epsilon or rho",
            fix=losses_meant(name, argument)
            or (
                Set({name: call("discreet.zcdp", BLANK)}),
                Set({name: call("discreet.pure", BLANK)}),
            ),
        )
    return argument


def checked_alpha(alpha: Number) -> Fraction:
    """Return the chance that an interval misses, or raise InputError."""
    chance = rational(alpha, "alpha")
    if not 0 < chance <= MAX_ALPHA:
        raise InputError(
            f"alpha = {text_of(chance)} must be above 0 and at most 1/2.",
            kind="out-of-range",
            why="alpha is the chance that an interval misses the truth",
            fix=write("for intervals of 95 %", alpha="0.05"),
        )
    return chance


def checked_share(share: object) -> bool:
    """Return whether questions may have one vector together, or raise InputError."""
    if isinstance(share, bool):
        return share
    return flag(
        share,
        "share",
        why="a count and means of the same groups are counted as one vector where that is "
        "cheaper, or never",
        fix=(leave_out("share"), write(share=False)),
    )


def check_questions(
    table: Table, statistics: Sequence[Statistic], spend: object = None, within: object = None
) -> None:
    """Raise InputError unless questions, no two alike, are asked of a declared table."""
    if not isinstance(table, Table):
        raise InputError(
            f"plan was given a {type(table).__name__} where a declared table belongs.",
            kind="wrong-type",
            why="the price of a question follows from what is declared, not from data",
            fix=_plan(table, statistics, spend, within),
        )
    for statistic in statistics:
        if isinstance(statistic, type) or not callable(getattr(statistic, "aggregates", None)):
            raise InputError(
                f"{as_given(statistic)} is not a question.", kind="wrong-type",
                why="a plan asks for counts, sums, means, variances and histograms",
                fix=_plan(table, statistics, spend, within),
                at="ask",
            )  # fmt: skip
        if hasattr(type(statistic), "levels"):
            _check_levels(table, getattr(statistic, "levels", ()))
    if not statistics:
        raise InputError(
            "the plan asks nothing.", kind="asks-nothing",
            why="a price follows from what is asked",
            fix=_plan(table, (), spend, within), at="ask",
        )  # fmt: skip
    first: dict[str, int] = {}
    for number, statistic in enumerate(statistics):
        same = first.setdefault(str(statistic.plain()), number)
        if same != number:
            raise InputError(
                f"the plan asks one question twice: question {number + 1} is question {same + 1}.",
                kind="named-twice",
                why="each question costs its share; the same one twice would only be noisier",
                fix="remove one of them, and give the other a weight if it matters more",
                at=("ask", number),
            )
        if statistic.ask.publish is not None:
            from ..statistic.publish import check_rule

            check_rule(statistic, table)


def _plan(table: object, statistics: Sequence[object], spend: object, within: object) -> Do:
    from .asked_otherwise import plan_meant

    return plan_meant(table, statistics, spend, within)


def _check_levels(table: Table, hierarchies: Sequence[Levels]) -> None:
    """Refuse a hierarchy that is listed in a file of the data."""
    from ..schema.public_list import refuse_data

    lists = {each.name: each.listed for each in hierarchies if each.listed is not None}
    refuse_data(lists, table.source, table.name)
    for join in table.joins:
        refuse_data(lists, join.source, join.name)


def blank_loss(kind: str) -> Call:
    """Return the call that makes a loss which a ledger of a kind can pay, still to be chosen."""
    spent: dict[str, Kind] = {known: known for known in NAMES if known != "purses"}
    payable = spent.get(kind, "gdp")
    return call_of(payable, *[BLANK] * len(NAMES[payable]))
