"""discreet: a table and a privacy budget become a published release.

A release is exact integers plus paid-for integer noise; everything after that is arithmetic.

    >>> import discreet as dp
    >>> people = dp.table("people.csv", unit="row", keys={"state": ["MA", "NY"]})
    >>> print(dp.plan(people, dp.count(by="state"), spend=dp.pure(1)).spend)
    epsilon = 1

Rules of this module:
- a name of the page is imported when it is first asked for, so that `import discreet` is quick;
- a type checker reads the imports, Python reads `_PLACES`; a test holds them to be the same;
- a name with a capital letter is a type, for annotations; the function beside it makes one.

Decisions 1, 17, 70, 98.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import errors
    from .derive.derived import DerivedNumbers
    from .document.tidy import Tidy
    from .ledgers.entry import Entry
    from .ledgers.file import Ledger
    from .noise.law import Law
    from .plans.plan import Plan, plan
    from .plans.sql import sql
    from .privacy.loss import Loss, approx, gdp, pure, zcdp
    from .releases.denoise import denoise
    from .releases.find_keys import find_keys
    from .releases.forecast import Forecast, forecast
    from .releases.open_ledger import ledger
    from .releases.rehearsal import rehearse
    from .releases.release import Release, load
    from .releases.run import run
    from .releases.verify import Verified, verify
    from .report.cleaned import Cleaned
    from .report.microdata import Microdata
    from .report.result import Result
    from .schema import (
        Table,
        about,
        bounds,
        derived,
        join,
        keys,
        levels,
        owner,
        table,
        unit,
        unknown,
    )
    from .schema.about import About
    from .schema.bounds import Bounds
    from .schema.derived import Derived
    from .schema.joins import Join
    from .schema.levels import Levels
    from .schema.unit import Unit
    from .schema.unknown import Unknown
    from .statistic.ask import Publish
    from .statistic.choose import choose, top_k
    from .statistic.count import count, count_units
    from .statistic.covariance import correlation, covariance
    from .statistic.cube import cube
    from .statistic.group_sizes import group_sizes
    from .statistic.histogram import histogram
    from .statistic.mean import mean
    from .statistic.publish import publish
    from .statistic.quantile import iqr, median, middle, quantile
    from .statistic.regression import regression
    from .statistic.share_below import share_below
    from .statistic.stated import stated
    from .statistic.statistic import Statistic as Question
    from .statistic.sum import sum_ as sum  # noqa: A004 - the field's word; nobody star-imports
    from .statistic.tables import tables
    from .statistic.variance import std, variance

__all__ = [
    "About",
    "Bounds",
    "Cleaned",
    "Derived",
    "DerivedNumbers",
    "Entry",
    "Forecast",
    "Join",
    "Law",
    "Ledger",
    "Levels",
    "Loss",
    "Microdata",
    "Plan",
    "Publish",
    "Question",
    "Release",
    "Result",
    "Table",
    "Tidy",
    "Unit",
    "Unknown",
    "Verified",
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
    "publish",
    "pure",
    "quantile",
    "regression",
    "rehearse",
    "run",
    "share_below",
    "sql",
    "stated",
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

_PLACES = {  # the page, and the calculator with a page of its own; written as entry points are
    "About": "schema.about:About",
    "Bounds": "schema.bounds:Bounds",
    "Cleaned": "report.cleaned:Cleaned",
    "Derived": "schema.derived:Derived",
    "DerivedNumbers": "derive.derived:DerivedNumbers",
    "Entry": "ledgers.entry:Entry",
    "Forecast": "releases.forecast:Forecast",
    "Join": "schema.joins:Join",
    "Law": "noise.law:Law",
    "Ledger": "ledgers.file:Ledger",
    "Levels": "schema.levels:Levels",
    "Loss": "privacy.loss:Loss",
    "Microdata": "report.microdata:Microdata",
    "Plan": "plans.plan:Plan",
    "Publish": "statistic.ask:Publish",
    "Question": "statistic.statistic:Statistic",
    "Release": "releases.release:Release",
    "Result": "report.result:Result",
    "Table": "schema:Table",
    "Tidy": "document.tidy:Tidy",
    "Unit": "schema.unit:Unit",
    "Unknown": "schema.unknown:Unknown",
    "Verified": "releases.verify:Verified",
    "about": "schema:about",
    "approx": "privacy.loss:approx",
    "bounds": "schema:bounds",
    "calculator": "calculator",
    "choose": "statistic.choose:choose",
    "correlation": "statistic.covariance:correlation",
    "count": "statistic.count:count",
    "count_units": "statistic.count:count_units",
    "covariance": "statistic.covariance:covariance",
    "cube": "statistic.cube:cube",
    "denoise": "releases.denoise:denoise",
    "derived": "schema:derived",
    "errors": "errors",
    "find_keys": "releases.find_keys:find_keys",
    "forecast": "releases.forecast:forecast",
    "gdp": "privacy.loss:gdp",
    "group_sizes": "statistic.group_sizes:group_sizes",
    "histogram": "statistic.histogram:histogram",
    "iqr": "statistic.quantile:iqr",
    "join": "schema:join",
    "keys": "schema:keys",
    "ledger": "releases.open_ledger:ledger",
    "levels": "schema:levels",
    "load": "releases.release:load",
    "mean": "statistic.mean:mean",
    "median": "statistic.quantile:median",
    "middle": "statistic.quantile:middle",
    "owner": "schema:owner",
    "plan": "plans.plan:plan",
    "publish": "statistic.publish:publish",
    "pure": "privacy.loss:pure",
    "quantile": "statistic.quantile:quantile",
    "regression": "statistic.regression:regression",
    "rehearse": "releases.rehearsal:rehearse",
    "run": "releases.run:run",
    "share_below": "statistic.share_below:share_below",
    "sql": "plans.sql:sql",
    "stated": "statistic.stated:stated",
    "std": "statistic.variance:std",
    "sum": "statistic.sum:sum_",
    "table": "schema:table",
    "tables": "statistic.tables:tables",
    "top_k": "statistic.choose:top_k",
    "unit": "schema:unit",
    "unknown": "schema:unknown",
    "variance": "statistic.variance:variance",
    "verify": "releases.verify:verify",
    "zcdp": "privacy.loss:zcdp",
}

if not TYPE_CHECKING:  # a type checker must not take every name for one that is there

    def __getattr__(name: str) -> object:
        if name in _PLACES:
            place, _, inner = _PLACES[name].partition(":")
            attribute = import_module(f"{__name__}.{place}")
            globals()[name] = attribute = (
                _public(name, getattr(attribute, inner)) if inner else attribute
            )
            return attribute
        if name == "__version__":
            from importlib.metadata import version

            return version(__name__)
        if name.startswith("_"):  # programs look for such names, and expect a plain answer
            raise AttributeError(name)
        from .statistic.catalog import ASKED

        if name in ASKED:  # one that was added to the register
            return _public(name, ASKED[name])
        from .absent import absent

        raise absent(name, __all__)

    def _public(name: str, function: Callable[..., object]) -> Callable[..., object]:
        from .calls import checked

        if isinstance(function, type):  # a name for annotations
            return function
        return checked(function, f"{__name__}.{name}")


def __dir__() -> list[str]:
    from .statistic.catalog import ASKED

    return sorted({*_PLACES, *ASKED})
