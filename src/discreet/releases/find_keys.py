"""Keys alone: what a column holds that many units have, to be listed in later tables."""

from dataclasses import replace
from fractions import Fraction
from os import PathLike
from types import MappingProxyType

from ..errors import InputError, as_given, shown
from ..fix import BLANK, call, write
from ..ledgers.file import Ledger
from ..plans.plan import plan
from ..privacy.loss import Loss
from ..schema import Table
from ..statistic.count import count_units
from .run import run

_NEARLY_ALL = Fraction(99, 100)  # the rest is for the number of units of each, which stands beside


def find_keys(
    table: Table,
    column: str,
    *,
    spend: Loss,
    ledger: Ledger | str | PathLike[str],
    request: str | None = None,
) -> tuple[str, ...]:
    """Find the keys of an unknown column, pay for the search, and return the keys. The keys are
    then public.

    Later tables can list the result as their keys. Plans on these tables then pay for their
    questions alone. The same call on the same data returns the same keys again, at no cost.

    Args:
        table: a table that declares the column as `discreet.unknown`.
        column: the column of unknown keys.
        spend: the loss. 99 of its 100 parts pay for the search. The last part pays for counting the
            units of each key. These counts are in the release that the ledger stores.
        ledger: who pays.
        request: the name of this request; the same name with another plan is refused.

    Returns: the keys as text, in the order of the release. Keys that few units have are not
        returned.

    Raises:
        InputError: the column is not declared as unknown, or the spend has no delta.
        BudgetError: the search costs more than the ledger has left.

    Example:
        >>> import discreet as dp
        >>> rows = [{"who": n, "film": "Alien" if n % 3 else "Brazil"} for n in range(3_000)]
        >>> keys = {"film": dp.unknown(max_groups=1)}
        >>> seen = dp.table(rows, name="seen", unit=dp.unit("who", max_rows=1), keys=keys)
        >>> book = dp.ledger("seen.ledger", budget=dp.approx(1, "1e-6"))
        >>> dp.find_keys(seen, "film", spend=dp.approx("1/2", "1e-7"), ledger=book)
        ('Alien', 'Brazil')
    """
    if not isinstance(table, Table):
        from ..plans.asked_otherwise import source_of

        raise InputError(
            f"{as_given(table)} is not a table.",
            kind="wrong-type",
            why="keys are looked for in a table that declares their column as unknown",
            fix=write(table=call("discreet.table", source_of(table), unit=BLANK)),
        )
    named = column if isinstance(column, str) else str(column)
    if named not in table.unknown:
        raise InputError(
            f"{shown(named)} is not declared as unknown.",
            kind="unknown-keys-wrong",
            why="how keys are looked for is said of the table: how many of one unit count",
            fix=write(of="table", keys={named: call("discreet.unknown", max_groups=BLANK)}),
        )
    declared = replace(table.unknown[column], share=_NEARLY_ALL)
    whole = replace(table, unknown=MappingProxyType({**table.unknown, column: declared}))
    asked = plan(whole, count_units(by=column), spend=spend)
    release = run(asked, ledger=ledger, request=request)
    (answer,) = release.document.statistics
    return tuple(str(key) for key in answer.answer.rows.columns[0][:-1])
