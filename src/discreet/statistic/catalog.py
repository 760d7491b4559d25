"""All statistics by name, for plans that come as plain data; a new statistic is one line here.

Decision 15.
"""

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any

from ..errors import InputError, shown
from ..fix import Fix, Rename, Set, leave_out, our_name, write
from .choose import CHOOSE, TOP_K
from .count import COUNT, COUNT_UNITS
from .covariance import CORRELATION, COVARIANCE
from .cube import CUBE
from .group_sizes import group_sizes
from .histogram import HISTOGRAM
from .mean import MEAN
from .quantile import IQR, MEDIAN, MIDDLE, QUANTILE
from .regression import REGRESSION
from .share_below import SHARE_BELOW
from .stated import stated
from .statistic import ListedStatistic, Statistic
from .sum import SUM
from .tables import TABLES
from .variance import STD, VARIANCE

_ALL: tuple[ListedStatistic, ...] = (
    CHOOSE,
    CORRELATION,
    COUNT,
    COUNT_UNITS,
    COVARIANCE,
    CUBE,
    HISTOGRAM,
    IQR,
    MEAN,
    MEDIAN,
    MIDDLE,
    QUANTILE,
    REGRESSION,
    SHARE_BELOW,
    STD,
    SUM,
    TABLES,
    TOP_K,
    VARIANCE,
)
LISTED: dict[str, ListedStatistic] = {statistic.name: statistic for statistic in _ALL}
STATISTICS: dict[str, Callable[..., Statistic]] = {
    statistic.name: statistic.ask for statistic in _ALL
}
ASKED = {  # also what is not made of the rows of units in groups
    **STATISTICS,
    "group_sizes": group_sizes,
    "stated": stated,
}


def statistic_of(plain: Mapping[str, Any]) -> Statistic:
    """Return the question that a statistic's `plain()` wrote, or that a plan file asks.

    Raises:
        InputError: an unknown statistic, or an option that it does not take.
    """
    name = plain.get("statistic")
    if name not in ASKED:
        raise InputError(
            f"statistic = {shown(name)} is not known.",
            kind="unknown-choice",
            why=f"discreet can be asked for {', '.join(ASKED)}",
            fix=_meant(str(name)),
        )
    options = {option: value for option, value in plain.items() if option != "statistic"}
    _check_options(str(name), options)
    return ASKED[str(name)](**options)


def _meant(name: str) -> Fix:
    """Return the advice on a name that is no statistic: never one that is another question."""
    if near := our_name(name, ASKED):
        return write(statistic=near)
    if name in _DERIVED:
        return f"ask for a count, and under [[also]] write derive = {name!r} with its name as of"
    return Set({"statistic": "?"})


_DERIVED = (
    "total",
    "difference",
    "ratio",
    "share",
    "relative",
    "change",
    "rate",
    "ranks",
    "standardized",
    "intervals",
)  # made of what is released


def takes(name: str, option: str) -> bool:
    """Tell whether a listed statistic takes an option."""
    return name in STATISTICS and option in signature(STATISTICS[name]).parameters


def _check_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuse an option that a statistic does not take, before one that it lacks."""
    taken = signature(ASKED[name]).parameters
    for option in options:
        if option not in taken:
            free = [other for other in taken if other not in options]
            near = our_name(option, free)
            raise InputError(
                f"{name} has no option {shown(option)}.",
                kind="wrong-call",
                why=f"its options are {', '.join(taken)}",
                fix=Rename(option, near) if near else leave_out(option),
            )
    for option, parameter in taken.items():
        if parameter.default is Parameter.empty and option not in options:
            raise InputError(
                f"{name} needs its {option}.",
                kind="setting-missing",
                why="without it there is nothing to count",
                fix=Set({option: "?"}),
            )
