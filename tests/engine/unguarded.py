"""Every check of the second look left out, so that a fault planted before it can be seen.

And each barrier that limits rows by lists of each unit's rows, broken by itself.
"""

from sqlglot import exp

from discreet.engine import memory
from discreet.engine.sql import columns, grid, guard, query
from discreet.engine.sql.faster import unit_lists


def unguarded(monkeypatch):
    """Trust whatever was kept, clamped and moved before, in both engines."""
    for place in (columns, grid):
        monkeypatch.setattr(place, "clamped", lambda value, _low, _high: value)
    monkeypatch.setattr(query, "within", lambda _unfit: exp.true())
    monkeypatch.setattr(query, "looked_along", lambda rows, _most: rows)
    monkeypatch.setattr(memory, "fit", lambda counts, _limits: set(counts))
    monkeypatch.setattr(memory, "_clamped", lambda _bounds, steps: steps)
    monkeypatch.setattr(memory, "_is_inside", lambda _ball, _point: True)
    monkeypatch.setattr(grid, "is_inside", lambda _squares, _radius: exp.true())
    looks_away(monkeypatch)
    clears_closely(monkeypatch)


def looks_away(patch):
    """The look clears everybody who is in a list."""
    made = unit_lists.uncleared_by
    patch.setattr(
        unit_lists, "uncleared_by", lambda *given: None if made(*given) is None else exp.false()
    )


def clears_closely(patch):
    """Nobody who is named is found to be beyond a limit."""
    made = unit_lists.unfit_query
    patch.setattr(unit_lists, "unfit_query", lambda *given: made(*given).where("FALSE"))


def keeps_all(patch):
    """Ranks leave every group, and say of no row that it is one too many."""
    patch.setattr(
        unit_lists, "at_once", lambda _grouping, rows, **_how: rows.select("0 AS m", "0 AS n")
    )


def chooses_none(patch):
    """Of whoever is named, all rows stay."""
    patch.setattr(unit_lists, "first_of", lambda _names, rows, *_rest: rows)


def chooses_all(patch):
    """Rows are chosen of everybody, and all of them."""

    def chosen(_names, rows, *_rest):
        columns = [exp.column(one.alias_or_name) for one in rows.selects[1:]]
        return guard.unlisted("discreet_listed_0", columns)

    patch.setattr(unit_lists, "first_of", chosen)
