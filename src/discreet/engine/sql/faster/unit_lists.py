"""Rows limited, and looked at, by one row of lists for each unit: on engines that keep such lists.

Why no integer changes: the rows that stay are those of ranks without lists; the proof stands at
`listed_for`.

Rules of this module:
- rows are sorted once, by unit and group, and what is grouped by unit comes in that order;
- who is named, by ranks or by the look, is taken apart again: rows are chosen by content, and
  looked at closely; all others are handed on as they are;
- no list is long: of a unit with many rows these are read again, so that none is too large to keep.

Decision 63.
"""

from dataclasses import dataclass
from functools import partial

from sqlglot import exp

from ...guard import Limits
from ...protocol import Grouping
from ..bounding import at_once, grouped, kept_columns
from ..columns import PREFIX, Names
from ..guard import cleared_or_chosen, listed_rows, quick_query, uncleared_by, unfit_query, unlisted
from ..ranked import first_of, of_groups
from ..tree import picked, whole
from .pruned import few

_LONG = 2**16  # rows of a unit in lists at most: of each column they take some 3 MB while they grow


@dataclass(frozen=True, slots=True)
class Listed:
    """The queries by which rows are limited and looked at; each reads some of those before it."""

    listed: exp.Select
    chosen: exp.Select
    quick: exp.Select | None
    unfit: exp.Select
    kept: exp.Select

    def steps(self, number: int, parts: int) -> list[tuple[str, exp.Select, int]]:
        """Return the steps of a grouping, by name, and by how many each is read.

        Args:
            parts: by how many what is kept is read.
        """
        readers = {"listed": 5, "chosen": 3, "quick": 1, "unfit": 1, "kept": parts}
        return [
            (f"{PREFIX}_{step}_{number}", query, count)
            for step, count in readers.items()
            if (query := getattr(self, step)) is not None
        ]


def listed_for(
    names: Names, grouping: Grouping, limits: Limits, number: int, cuts: str | None = None
) -> Listed | None:
    """Return what both limits leave, and the second look at it; None where there are not both.

    Proof that the same rows stay. Who is not named has, by ranks, no group with too many rows
    (`at_once`), and all rows of his groups in lists, because he has no more than a list may hold.
    Who is named is limited in each group by content, of all rows in his groups that stay: from his
    lists, or read again and ranked in the same way. And each barrier holds where the other one
    fails: the look is that of `guard.cleared_or_chosen`, whatever ranks, lists and choices are.

    Args:
        limits: what the questions allow a unit.
        number: of the grouping, in the names of its steps: discreet_listed_0 ...
        cuts: the step of `cut_query`, where rows are pruned by it.
    """
    speed, limit = names.reader.dialect.speed, grouping.max_rows_per_group
    uncleared = uncleared_by(limits, speed.takes)
    if not speed.lists or limit is None or not grouping.max_groups or uncleared is None:
        return None
    steps = ("listed", "chosen", "quick", "unfit")
    listed, stay, among, unfit = (f"{PREFIX}_{step}_{number}" for step in steps)
    # of one row in a group a unit is cleared by its number; of more nearly none would be
    quick = quick_query(stay, limits, speed.takes) if limit == 1 else None
    values = [names.steps(value) for value in grouping.columns]
    u, *columns = kept_columns(values)
    hashed = of_groups(names)
    ranked = partial(at_once, grouping, hashed=hashed, values=values)
    often = exp.GTE(this=exp.Max(this=exp.column("m")), expression=whole(limit))
    first = ranked(few(names, grouped(names, grouping), cuts), is_numbered=True)
    named = exp.or_(uncleared, often, _is_long(exp.Count(this=exp.Star())))
    some = exp.LTE(this=exp.column("n"), expression=whole(_LONG))
    long = picked(listed, "u").where(_is_long(exp.column("n")), copy=False)
    is_any = exp.Exists(this=long.copy())  # else no row is read again
    again = grouped(names, grouping).where(is_any, u.isin(query=long), copy=False)
    short = unlisted(listed, columns).where(
        exp.column("named"), exp.not_(_is_long(exp.column("n"))), copy=False
    )
    long_rows = picked(ranked(again).subquery("l", copy=False), *kept_columns(values))
    rest = exp.Union(this=short, expression=long_rows, distinct=False)
    each = picked(rest.subquery("e", copy=False), *kept_columns(values))
    return Listed(
        listed=listed_rows(first, columns, named, some),
        chosen=first_of(names, each, "ROW_NUMBER", ["u", "g"], values, limit),
        quick=quick,
        unfit=unfit_query(stay, limits, among if quick else None),
        kept=cleared_or_chosen(listed, stay, unfit, columns),
    )


def _is_long(count: exp.Expression) -> exp.Expression:
    return exp.GT(this=count, expression=whole(_LONG))
