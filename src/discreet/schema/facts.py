"""How many rows and units there are, where everybody knows that already.

Rules of this module:
- these numbers are typed by a person and never read from the data; what is not public stays out;
- they say which wanted error is meant by a share of the whole, at which size intervals are shown,
  and under `replace`, whose neighbors have as many units, what no count exceeds;
- one sensitivity depends on them, that of a mean under `replace` which all rows enter: it is one
  sum over the public number of rows (`statistic/mean.py`). A wrong number makes it a wrong mean,
  and no less private: what is added to the sum does not depend on it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import InputError
from ..exact.number import whole
from ..fix import BLANK, leave_out, write
from .unit import Unit


@dataclass(frozen=True, slots=True)
class PublicSizes:
    """The public number of rows and of units; None where it is not public."""

    rows: int | None = None
    units: int | None = None

    def plain(self) -> dict[str, int]:
        """Return what is public as plain data."""
        said = {"rows": self.rows, "units": self.units}
        return {name: size for name, size in said.items() if size is not None}

    def of_joined(self) -> "PublicSizes":
        """Return the same for joined tables, of which nobody knows how many rows they make.

        Raises:
            InputError: the number of rows is public.
        """
        if self.rows is None:
            return self
        raise InputError(
            f"rows = {self.rows} is public, and tables are joined.",
            why="joined there are more rows, or fewer; how many is not public by that",
            fix=leave_out("rows", of="table"),
        )


NO_FACTS = PublicSizes()


def facts_of(rows: object, units: object, unit: Unit) -> PublicSizes:
    """Return the public sizes of a table, or raise InputError.

    Where a row is the unit there are as many units as rows.
    """
    if unit.column is None and units is not None:
        raise InputError(
            "units is given, but the unit is a row.",
            why="there are as many units as rows",
            fix=(write(rows=BLANK), leave_out("units")),
        )
    known = None if rows is None else whole(rows, "rows", least=1)
    if unit.column is None:
        return PublicSizes(known, known)
    found = PublicSizes(known, None if units is None else whole(units, "units", least=1))
    if found.rows is not None and found.units is not None and found.rows < found.units:
        raise InputError(
            f"rows = {found.rows} and units = {found.units}.",
            why="each unit that is there has a row, so that there are as many rows at least",
            fix=(write(rows=BLANK), write(units=BLANK)),
        )
    return found


def facts_of_plain(plain: Mapping[str, int], unit: Unit) -> PublicSizes:
    """Return what `PublicSizes.plain()` wrote."""
    units = None if unit.column is None else plain.get("units")
    return facts_of(plain.get("rows"), units, unit)
