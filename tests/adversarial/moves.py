"""How far a vector moves, and every question that the catalog knows.

Rules of this module:
- a new statistic of the catalog is asked here without being named, by its own examples, so that no
  test of one unit can forget it; those in WIDER are asked with more options besides.
"""

import inspect
from collections.abc import Mapping, Sequence
from itertools import product

from hypothesis import assume
from hypothesis import strategies as st

from discreet.aggregate import Aggregate
from discreet.errors import InputError
from discreet.schema import ROW, Table
from discreet.sensitivity import Sensitivity
from discreet.statistic.catalog import LISTED, STATISTICS, statistic_of
from property.strategies import BALLS

Move = tuple[int, int, int]


def move(one: Sequence[int], other: Sequence[int]) -> Move:
    """The sum of the moves, of their squares, and the largest."""
    moved = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return sum(moved), sum(m * m for m in moved), max(moved)


def declared_move(sensitivity: Sensitivity) -> Move:
    return sensitivity.l1, sensitivity.l2_squared, sensitivity.linf


def exceeds(found: Move, sensitivity: Sensitivity) -> bool:
    """Whether a move is larger than declared in any of the three measures."""
    return any(a > b for a, b in zip(found, declared_move(sensitivity), strict=True))


def counted(aggregates: Sequence[Aggregate], vectors: Sequence[Sequence[int]]) -> list:
    """What an engine has counted, times the matrices that it passes before the door."""
    pairs = zip(aggregates, vectors, strict=True)
    return [a.transform.applied(v) if a.transform else v for a, v in pairs]


WHERE = [None, "cost > 0", "age < 2 OR ward = 'A'", "cost IS NULL OR NOT ward = 'B'"]
WIDER = {"count", "count_units", "cube", "histogram", "mean", "std", "sum", "variance"}


def options(
    name: str,
    table: Table,
    *,
    bys: Sequence,
    columns: Sequence[str],
    bins: Sequence,
    limits: Sequence,
):
    """Every plain question of one statistic over these columns, keys, bins and limits.

    Where a ball is taken, the columns are asked together too, without one. Others than those in
    WIDER are asked by their examples.
    """
    taken = dict(inspect.signature(STATISTICS[name]).parameters)
    asked = [*columns, list(columns)] if "ball" in taken else columns
    own = [{"column": column} for column in asked] if "column" in taken else [{}]
    if name not in WIDER:
        own = list(LISTED[name].examples(table))
        taken.pop("bins", None)
    parts = [
        own,
        [{"by": by} for by in bys],
        [{"bins": cut} for cut in bins] if "bins" in taken else [{}],
        [{"max_groups": n} for n in limits] if "max_groups" in taken else [{}],
        [{"max_rows_per_group": n} for n in limits] if "max_groups" in taken else [{}],
    ]
    for chosen in product(*parts):
        yield {"statistic": name, **{k: v for part in chosen for k, v in part.items()}}


def aggregates_of(plain: dict[str, object], table: Table) -> tuple[Aggregate, ...]:
    """What a question counts; nothing where the declaration does not allow the question."""
    try:
        return statistic_of(plain).aggregates(table)
    except InputError:
        return ()


@st.composite
def question(draw: st.DrawFn, name: str, table: Table, columns: Sequence[str]) -> tuple:
    """One question of this statistic, of all rows or some, with the limits that the unit needs."""
    taken: Mapping = inspect.signature(STATISTICS[name]).parameters
    may_filter = "where" in taken
    keys, least = list(table.keys), int(LISTED[name].chooses)  # what is chosen is a key
    plain: dict[str, object] = {
        "statistic": name,
        "by": draw(
            st.lists(st.sampled_from(keys), unique=True, min_size=least, max_size=len(keys))
        ),
    }
    if may_filter and (where := draw(st.sampled_from(WHERE))) is not None:
        plain["where"] = where
    if name not in WIDER or draw(st.booleans()):
        plain |= draw(st.sampled_from(list(LISTED[name].examples(table))))
        taken = {}
    if "column" in taken:
        plain["column"] = draw(st.sampled_from(columns))
    if "ball" in taken and draw(st.booleans()):
        plain["column"] = list(columns)
        plain["ball"] = draw(st.sampled_from(BALLS))
    if "bins" in taken:
        found = table.columns[str(plain["column"])]
        plain["bins"] = draw(st.sampled_from([1, 2, 4, [found.lower, found.upper]]))
    if "max_groups" not in inspect.signature(STATISTICS[name]).parameters:
        assume(table.unit.max_rows is not None)  # without it the question is refused
        return statistic_of(plain).aggregates(table)
    if table.unit != ROW:
        few = st.integers(1, 3) if table.unit.max_rows is None else st.none() | st.integers(1, 3)
        plain["max_rows_per_group"] = draw(few)
        plain["max_groups"] = draw(st.none() | st.integers(1, 3))
    return statistic_of(plain).aggregates(table)
