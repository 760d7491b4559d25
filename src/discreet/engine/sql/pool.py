"""The pairs of unit and key of a source, and what they add up to in a round, as syntax trees.

Rules of this module:
- pairs are distinct, and which keys of a unit stay is decided once, by a keyed hash of the unit and
  the key: no other unit's rows matter to it;
- a key is text, compared byte by byte;
- a unit of which more keys are left than may be adds nothing, whatever made the pairs.
"""

from collections.abc import Mapping

from sqlglot import exp

from ...errors import InputError, shown
from ...finding.pairs import Pairs
from ...schema import Table, Unknown
from .cells import NOTHING, OBJECTS, WHOLE, Reader, is_text
from .columns import PREFIX, Cell
from .dialect import Dialect
from .portable import check_unit
from .tree import called, is_there, whole

PAIRS, KEYS, POOL = f"{PREFIX}_pairs", f"{PREFIX}_pool_keys", f"{PREFIX}_pool"
FOUND, WEIGHTS = f"{PREFIX}_pool_found", f"{PREFIX}_pool_weights"
_MOST = 2**60  # a sum is cut there, far beyond what all people of the world can add


def key_text(cell: exp.Expression, kind: str, reader: Reader) -> exp.Expression:
    """Return the text under which a cell is found as a key; NULL where it is none."""
    if kind == OBJECTS:
        return cell
    if is_text(kind):
        return reader.text(cell, kind)
    if kind == NOTHING:
        return exp.cast(exp.null(), "TEXT")
    return exp.cast(exp.cast(cell, "INT") if kind == "BOOLEAN" else cell, "TEXT")


def check_kind(column: str, kind: str) -> None:
    """Refuse a type whose cells are no text and no whole numbers."""
    if is_text(kind) or kind in WHOLE | {"BOOLEAN", NOTHING}:
        return
    raise InputError(
        f"{shown(column)} is of type {shown(kind)}, and its keys are to be found.",
        why="a key is shown as text: of text and whole numbers that is the same everywhere",
        fix=f"cast {shown(column)} to text before, or list its keys",
    )


def pairs_query(
    table: Table,
    pairs: Pairs,
    *,
    kinds: Mapping[str, str],
    source: exp.Expression,
    cell: Cell,
    dialect: Dialect,
) -> exp.Select:
    """Return the distinct pairs of unit and key that stay: u, k; for a unit that is a row k, n."""
    if dialect.unit_text is not None:
        check_unit(table, kinds)
    reader, unit = Reader(dialect, table.csv), table.unit.column
    key = key_text(cell("key", pairs.column), kinds[pairs.column], reader)
    read = exp.select(exp.alias_(key, "k")).from_(exp.alias_(source.copy(), "s"))
    if unit is not None:
        found = reader.unit(cell("unit", unit), kinds[unit])
        read.select(exp.alias_(found, "u"), copy=False)
    kept = exp.alias_(_candidate(table.unknown[pairs.column]), "k")
    rows = exp.select(kept).from_(read.subquery("r"))
    if unit is None:
        counted = exp.select("k", exp.alias_(exp.Count(this=exp.Star()), "n"))
        return counted.from_(rows.subquery("c")).where(is_there(exp.column("k"))).group_by("k")
    rows.select("u", copy=False)
    there = exp.and_(is_there(exp.column("u")), is_there(exp.column("k")))
    distinct = exp.select("u", "k").distinct().from_(rows.subquery("c")).where(there)
    hashed = dialect.hash_of([exp.column("u"), exp.column("k")])
    order = [exp.Ordered(this=hashed), exp.Ordered(this=exp.column("k"))]
    place = exp.Window(
        this=exp.RowNumber(),
        partition_by=[exp.column("u")],
        order=exp.Order(expressions=order),
    )
    placed = exp.select("u", "k", exp.alias_(place, "r")).from_(distinct.subquery("d"))
    within = exp.LTE(this=exp.column("r"), expression=whole(len(pairs.weights)))
    return exp.select("u", "k").from_(placed.subquery("p")).where(within)


def _candidate(declared: Unknown) -> exp.Expression:
    """Return the key that a text is while keys are looked for; NULL for one that is none."""
    text: exp.Expression = exp.column("k")
    if declared.missing is not None:
        named = exp.Literal.string(declared.missing)
        text = exp.Coalesce(this=text, expressions=[named])
    short = exp.LTE(this=called("LENGTH", text.copy()), expression=whole(declared.longest))
    own = exp.NEQ(this=text.copy(), expression=exp.Literal.string(declared.other))
    return exp.Case().when(exp.and_(short, own), text)


def keys_query() -> exp.Select:
    """Return the keys of the pairs, each with a number g of its own."""
    number = exp.Sub(this=exp.Window(this=exp.RowNumber()), expression=whole(1))
    keys = exp.select("k").distinct().from_(PAIRS)
    return exp.select("k", exp.alias_(number, "g")).from_(keys.subquery("d"))


def pool_query(*, of_rows: bool) -> exp.Select:
    """Return the pairs with the numbers of the keys: u, g; for a unit that is a row g, n."""
    first = exp.column("n" if of_rows else "u", table="p")
    same = exp.EQ(this=exp.column("k", table="p"), expression=exp.column("k", table="q"))
    found = exp.select(first, exp.column("g", table="q")).from_(exp.to_table(PAIRS).as_("p"))
    return found.join(exp.to_table(KEYS).as_("q"), on=same)


def sums_query(*, of_rows: bool) -> exp.Select:
    """Return what the units add to each key that is not in FOUND: g, s."""
    gone = exp.select("g").from_(FOUND)
    left = exp.select("*").from_(POOL).where(exp.Not(this=exp.column("g").isin(query=gone)))
    per_unit = exp.select("u", exp.alias_(exp.Count(this=exp.Star()), "d")).from_("left_")
    if of_rows:
        amount: exp.Expression = exp.Mul(this=exp.column("n"), expression=exp.column("w"))
        joined = exp.select("*").from_("left_").join(WEIGHTS, join_type="cross")
    else:
        amount = exp.column("w")
        joined = exp.select("g", "w").from_("left_")
        joined = joined.join(per_unit.group_by("u").subquery("n"), using=["u"])
        joined = joined.join(WEIGHTS, using=["d"])
    total = called("LEAST", exp.Sum(this=amount), whole(_MOST))
    found = exp.select("g", exp.alias_(exp.cast(total, "BIGINT"), "s"))
    return found.from_(joined.subquery("j")).group_by("g").with_("left_", left)
