"""Faults that are planted in the queries of the engines that count in SQL, for an audit to find.

Rules of this module:
- each changes what the server is asked, as a careless line would; no result is changed behind it.
"""

from sqlglot import exp

import discreet as dp
from adversarial.planted import Planted, usual
from discreet.engine.sql import bounding, columns, grid, guard, query, ranked
from discreet.engine.sql.tree import ascending, whole


def no_clamp(patch):
    """Values beyond their bounds are added up as they are."""
    honest = grid._within

    def within(value, bounds, steps, compared, ends, first=()):
        far = 10**6
        ends = ends[0].copy(), ends[1].copy()
        wide = bounds.__class__(bounds.lower - far, bounds.upper + far, bounds.step)
        inside = exp.Floor(this=exp.Add(this=steps.copy(), expression=exp.Literal.number("0.5")))
        near = exp.and_(
            exp.GT(this=compared.copy(), expression=whole(wide.lower_step)),
            exp.LT(this=compared.copy(), expression=whole(wide.upper_step)),
        )
        cast = exp.cast(inside, "BIGINT")
        return (
            exp.Case().when(near, cast).else_(honest(value, bounds, steps, compared, ends, first))
        )

    patch.setattr(grid, "_within", within)
    patch.setattr(columns, "clamped", lambda value, _low, _high: value)


def _ranked(names, rows, part, order, limit):
    """Rows of each part up to a limit, in an order."""
    kept = [exp.column(column.alias_or_name) for column in rows.selects]
    place = exp.Window(
        this=exp.RowNumber(),
        partition_by=[exp.column(name) for name in part],
        order=exp.Order(expressions=[ascending(cell) for cell in order]),
    )
    inner = exp.select(*kept, exp.alias_(place, "r"), copy=False)
    inner.from_(rows.subquery("a", copy=False), copy=False)
    within = exp.LTE(this=exp.column("r"), expression=whole(limit))
    return ranked.within_limits(inner, kept, [within])


def by_position(patch):
    """Rows of a unit are kept by where they stand in the table."""

    def first(names, rows, part, content, limit):
        as_they_lie = exp.Order(expressions=[ascending(whole(1))])  # Spark wants an order
        number = exp.Window(
            this=exp.RowNumber(), partition_by=[exp.column(n) for n in part], order=as_they_lie
        )
        kept = [exp.column(column.alias_or_name) for column in rows.selects]
        numbered = exp.select(*kept, exp.alias_(number, "n"), copy=False)
        numbered.from_(rows.subquery("p", copy=False), copy=False)
        first = _ranked(names, numbered, part, [exp.column("n")], limit)
        return exp.select(*kept, copy=False).from_(first.subquery("f", copy=False), copy=False)

    patch.setattr(bounding, "first_by_content", first)


def unfair_rows(patch):
    """N0: equal rows of a unit share one hash, so that they stand or fall together."""

    def first(names, rows, part, content, limit):
        cells = [exp.column(name) for name in [*part, *ranked.hashed_beside(content, part)]]
        hashed = names.reader.dialect.hash_of(cells)
        return _ranked(names, rows, part, [hashed], limit)

    patch.setattr(bounding, "first_by_content", first)


def no_second_look(patch):
    """Twice as many rows of a unit are kept, and nobody looks again."""
    honest, look = bounding.first_by_content, guard.unfit_query

    def twice(names, rows, part, content, limit):
        return honest(names, rows, part, content, 2 * limit)

    patch.setattr(bounding, "first_by_content", twice)
    patch.setattr(query, "unfit_query", lambda *asked: look(*asked).where(exp.false()))


def float_sums(patch):
    """Sums are added up as doubles: seen only where the engine adds rows up in another order."""
    honest = query.summed

    def summed(names, need):
        total = honest(names, need)
        for each in [*total.find_all(exp.Sum)]:
            each.set("this", exp.cast(each.this, "DOUBLE"))
        return total

    patch.setattr(query, "summed", summed)
    patch.setattr(query, "_whole_number", lambda cell: 0 if cell is None else int(cell))


def _wide():
    return usual(dp.sum("cost"), wide=True)


IN_SQL = {
    "clamp missing": Planted(no_clamp, "replay"),
    "rows kept by position": Planted(by_position, "replay"),
    "rows kept unevenly": Planted(unfair_rows, "claims"),
    "twice as many rows kept": Planted(no_second_look, "claims"),
    "float sums": Planted(float_sums, "replay", _wide),
}
