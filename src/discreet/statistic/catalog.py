"""All statistics by name, for plans that come as plain data."""

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import InputError, shown
from .count import count, count_units
from .histogram import histogram
from .mean import mean
from .statistic import Statistic
from .sum import sum_
from .variance import std, variance

STATISTICS: dict[str, Callable[..., Statistic]] = {
    "count": count,
    "count_units": count_units,
    "histogram": histogram,
    "mean": mean,
    "std": std,
    "sum": sum_,
    "variance": variance,
}


def statistic_of(plain: Mapping[str, Any]) -> Statistic:
    """Return the question that a statistic's `plain()` wrote, or that a plan file asks.

    Raises:
        InputError: an unknown statistic, or an option that it does not take.
    """
    name = plain.get("statistic")
    if name not in STATISTICS:
        raise InputError(
            f"statistic = {shown(name)} is not known.",
            why=f"discreet can be asked for {', '.join(STATISTICS)}",
            fix='write statistic = "count"',
        )
    options = {option: value for option, value in plain.items() if option != "statistic"}
    try:
        return STATISTICS[str(name)](**options)
    except TypeError:
        raise InputError(
            f"{name} does not take exactly these options: {shown(', '.join(options) or 'none')}.",
            why="an option is missing or unknown",
            fix=f"see help(discreet.{name}) for what it takes",
        ) from None
