"""The pairs of unit and key of a source, and what they add up to in a round, as syntax trees.

Rules of this module:
- pairs are distinct, and which keys of a unit stay is decided once, by a keyed hash of the unit and
  the key: no other unit's rows matter to it;
- a key is text, compared byte by byte;
- a unit of which more keys are left than may be adds nothing, whatever made the pairs;
- DuckDB reads pairs from a table that was made once; where pairs are made anew in each round, all
  rounds must read one state of the data;
- all keys of a unit stay where they are not too many: then none is hashed, and none is ranked.

Decisions 137, 158.
"""

from collections.abc import Sequence

from sqlglot import exp

from ...finding.pairs import Pairs
from ...schema import Unknown
from .columns import PREFIX, Names
from .dialect import Dialect
from .row_cells import steps_of
from .tree import ascending, called, is_there, to_type, whole

PAIRS, KEYS, POOL = f"{PREFIX}_pairs", f"{PREFIX}_pool_keys", f"{PREFIX}_pool"
FOUND, WEIGHTS = f"{PREFIX}_pool_found", f"{PREFIX}_pool_weights"
_EVERY, _CROWDED = f"{PREFIX}_every_pair", f"{PREFIX}_crowded"  # pairs; units with too many keys
MOST = 2**60  # a sum is cut there, far beyond what all people of the world can add


def pairs_query(names: Names, source: exp.Expression, pairs: Pairs) -> exp.Select:
    """Return the distinct pairs of unit and key that stay: u, k; for a unit that is a row k, n.

    Rows are read as those that are counted are, with the condition of the table.
    """
    table = names.table
    *read, (name, ready) = steps_of(names, source)
    key = names.matches[pairs.column].compared(exp.column("k0"))
    keys = exp.select(exp.alias_(key, "k")).from_(name)
    if table.unit.column is not None:
        keys.select("u", copy=False)
    kept = exp.alias_(_candidate(table.unknown[pairs.column]), "k")
    rows = exp.select(kept).from_(keys.subquery("r"))
    if table.unit.column is None:
        counted = exp.select("k", exp.alias_(exp.Count(this=exp.Star()), "n"))
        there = is_there(exp.column("k"))
        return _with(
            counted.from_(rows.subquery("c")).where(there).group_by("k"), read, name, ready
        )
    rows.select("u", copy=False)
    both = exp.and_(is_there(exp.column("u")), is_there(exp.column("k")))
    distinct = exp.select("u", "k").distinct().from_(rows.subquery("c")).where(both)
    most = len(pairs.weights)
    if not names.reader.dialect.speed.ranks_few:
        return _with(_first_keys(names, distinct, most), read, name, ready)
    chosen = _with(_of_crowded(names, most), read, name, ready)
    chosen.with_(_EVERY, distinct, materialized=True, copy=False)
    many = exp.GT(this=exp.Count(this=exp.Star()), expression=whole(most))
    crowded = exp.select("u").from_(_EVERY).group_by("u").having(many)
    return chosen.with_(_CROWDED, crowded, materialized=True, copy=False)


def _of_crowded(names: Names, most: int) -> exp.Select:
    """Return all pairs of a unit that has no more keys than may stay, and the first of another."""
    few, more = (exp.select("u", "k").from_(_EVERY) for _ in range(2))
    is_crowded = exp.column("u").isin(query=exp.select("u").from_(_CROWDED))
    few.where(exp.not_(is_crowded), copy=False)
    more.where(is_crowded.copy(), copy=False)
    every = exp.Union(this=few, expression=_first_keys(names, more, most), distinct=False)
    return exp.select("u", "k").from_(every.subquery("b"))


def _first_keys(names: Names, distinct: exp.Select, most: int) -> exp.Select:
    """Return so many pairs of each unit, the first by the hash of unit and key."""
    hashed = names.reader.dialect.hash_of([exp.column("u"), exp.column("k")])
    order = [ascending(hashed), ascending(exp.column("k"))]
    place = exp.Window(
        this=exp.RowNumber(),
        partition_by=[exp.column("u")],
        order=exp.Order(expressions=order),
    )
    placed = exp.select("u", "k", exp.alias_(place, "r")).from_(distinct.subquery("d"))
    within = exp.LTE(this=exp.column("r"), expression=whole(most))
    return exp.select("u", "k").from_(placed.subquery("p")).where(within)


def _with(
    query: exp.Select, read: Sequence[tuple[str, exp.Select]], name: str, ready: exp.Select
) -> exp.Select:
    """Return a query with the steps that it reads."""
    for step, step_query in (*read, (name, ready)):
        query.with_(step, step_query, copy=False)
    return query


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
    pairs = exp.select(first, exp.column("g", table="q")).from_(exp.to_table(PAIRS).as_("p"))
    return pairs.join(exp.to_table(KEYS).as_("q"), on=same)


def numbered_query() -> exp.Select:
    """Return the pairs with the numbers of the keys in the order of their bytes: as POOL, and k.

    The numbers are the same in each round that reads one state, without a table to hold them; and
    they say, in place of texts, which keys a round leaves out: so no key is sent back to a server.
    """
    ordered = exp.Order(expressions=[ascending(exp.column("k"))])
    place = exp.Window(this=exp.RowNumber(), order=ordered)
    number = exp.Sub(this=place, expression=whole(1))
    keys = exp.select("k").distinct().from_(PAIRS).subquery("d")
    numbers = exp.select("k", exp.alias_(number, "g")).from_(keys).subquery("q")
    same = exp.EQ(this=exp.column("k", table="p"), expression=exp.column("k", table="q"))
    pairs = exp.select("p.*", exp.column("g", table="q")).from_(exp.to_table(PAIRS).as_("p"))
    return pairs.join(numbers, on=same)


def sums_query(dialect: Dialect, pairs: Pairs, *, of_rows: bool, anew: bool = False) -> exp.Select:
    """Return what the units add to each key whose number is not in FOUND.

    Args:
        dialect: what the engine says in its own way.
        pairs: what was pooled.
        of_rows: whether each row is a unit.
        anew: whether pairs are numbered in each round, and not read from POOL.

    Returns: a query of g and s; of g, k and s where pairs are numbered anew.
    """
    keys = ["g", "k"] if anew else ["g"]
    same = exp.EQ(this=exp.column("g", table="p"), expression=exp.column("g", table="f"))
    gone = exp.to_table(FOUND).as_("f")
    pool = numbered_query().subquery("p") if anew else exp.to_table(POOL).as_("p")
    left = exp.select("p.*").from_(pool)
    left = left.join(gone, on=same, join_type="left")
    left = left.where(exp.Is(this=exp.column("g", table="f"), expression=exp.Null()))
    if of_rows:
        many = to_type(exp.column("n"), "INT128")
        total: exp.Expression = exp.Sum(this=exp.Mul(this=many, expression=exp.column("w")))
        alone = exp.EQ(this=exp.column("d"), expression=whole(1))
        joined = exp.select("*").from_("left_").join(WEIGHTS, on=alone)
    else:
        total = dialect.total(exp.column("w"), pairs.weights[0])
        per_unit = exp.select("u", exp.alias_(exp.Count(this=exp.Star()), "d")).from_("left_")
        joined = exp.select(*keys, "w").from_("left_")
        joined = joined.join(per_unit.group_by("u").subquery("n"), using=["u"])
        joined = joined.join(WEIGHTS, using=["d"])
    within = to_type(called("LEAST", total, whole(MOST)), "BIGINT")
    sums = exp.select(*keys, exp.alias_(within, "s")).from_(joined.subquery("j"))
    return sums.group_by(*keys).with_("left_", left)


def with_pairs(query: exp.Query, pairs: exp.Query) -> exp.Query:
    """Return a query that reads PAIRS as one that makes them first."""
    merged, made = query.copy(), pairs.copy()
    own = merged.args.get("with_")
    before, after = made.args["with_"].expressions, own.expressions if own else []
    made.set("with_", None)
    merged.set("with_", None)
    for step in before:
        merged.with_(step.alias, step.this, copy=False)
    merged.with_(PAIRS, made, materialized=True, copy=False)
    for step in after:
        merged.with_(step.alias, step.this, copy=False)
    return merged
