"""discreet: a table and a privacy budget become a published release.

A release is exact integers plus paid-for integer noise; everything after that is arithmetic.

    >>> import discreet as dp
    >>> people = dp.table("people.csv", unit="row", keys={"state": ["MA", "NY"]})
    >>> print(dp.plan(people, dp.count(by="state"), spend=dp.pure(1)).spend)
    epsilon = 1
"""

from typing import TYPE_CHECKING

from . import errors
from .plans.plan import plan
from .plans.sql import sql
from .privacy.loss import approx, gdp, pure, zcdp
from .releases.denoise import denoise
from .releases.find_keys import find_keys
from .releases.forecast import forecast
from .releases.open_ledger import ledger
from .releases.rehearsal import rehearse
from .releases.release import load
from .releases.run import run
from .releases.verify import verify
from .schema import about, bounds, derived, join, keys, levels, owner, table, unit, unknown
from .statistic.choose import choose, top_k
from .statistic.count import count, count_units
from .statistic.covariance import correlation, covariance
from .statistic.cube import cube
from .statistic.group_sizes import group_sizes
from .statistic.histogram import histogram
from .statistic.mean import mean
from .statistic.quantile import iqr, median, middle, quantile
from .statistic.regression import regression
from .statistic.share_below import share_below
from .statistic.sum import sum_ as sum  # noqa: A004 - the field's word; nobody star-imports
from .statistic.tables import tables
from .statistic.variance import std, variance

__all__ = [
    "about",
    "approx",
    "bounds",
    "choose",
    "correlation",
    "count",
    "count_units",
    "covariance",
    "cube",
    "denoise",
    "derived",
    "errors",
    "find_keys",
    "forecast",
    "gdp",
    "group_sizes",
    "histogram",
    "iqr",
    "join",
    "keys",
    "ledger",
    "levels",
    "load",
    "mean",
    "median",
    "middle",
    "owner",
    "plan",
    "pure",
    "quantile",
    "regression",
    "rehearse",
    "run",
    "share_below",
    "sql",
    "std",
    "sum",
    "table",
    "tables",
    "top_k",
    "unit",
    "unknown",
    "variance",
    "verify",
    "zcdp",
]

if not TYPE_CHECKING:  # a type checker must not take every name for one that is there

    def __getattr__(name: str) -> object:
        if name == "calculator":  # a page of its own, loaded when it is first asked for
            from importlib import import_module

            return import_module(f"{__name__}.{name}")
        if name == "__version__":
            from importlib.metadata import version

            return version(__name__)
        if name.startswith("_"):  # programs look for such names, and expect a plain answer
            raise AttributeError(name)
        from .statistic.catalog import ASKED

        if name in ASKED:  # one that was added to the register
            return ASKED[name]
        from .absent import absent

        raise absent(name, __all__)


def __dir__() -> list[str]:
    from .statistic.catalog import ASKED

    return sorted({*__all__, *ASKED, "calculator"})
