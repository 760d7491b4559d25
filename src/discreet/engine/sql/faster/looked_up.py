"""A table of a join that says of a unit no more than that it is there: looked up, and not joined.

Rules of this module:
- why no integer changes: nothing but distinct units is counted, so that equal rows are one;
- it hangs on the declaration, the questions and the types of the links, never on rows.

Proof. Let no cell of a table be used but its link. A row of the other table finds any number of
partners in it, one at least, or none. All rows that it makes with them are equal in what is used,
because what the partners bring is the link, which is the row's own. So the rows of the join are the
rows of the other table that have a partner, each at least once. Rows that are equal count as one:
what is counted is which units are in which groups, the groups of a unit are chosen by their hash,
and nothing is chosen among rows (`parts.OneTable.tells_units`). A link that stands for a cell of
the other table is a whole number of the same type there.

Decision 157.
"""

from collections.abc import Sequence

from sqlglot import exp

from ....schema import Join
from ...protocol import roles_of
from ..cells import Reader
from ..joined import Scanned, Together, are_plain, link


def looked_up(join: Join, scanned: Sequence[Scanned], reader: Reader) -> Together | None:
    """Return the rows of one table that have a partner; None where both say more than that.

    Args:
        join: the only one.
        scanned: both tables, opened, the first one first.
        reader: reads their cells.

    Raises:
        InputError: rows cannot find each other by a column of such a type.
    """
    names = join.on, join.key
    kinds = [side.kinds[name] for side, name in zip(scanned, names, strict=True)]
    plain, is_one_type = are_plain(kinds), len({*kinds}) == 1
    read = [_read(side) for side in scanned]
    if not read[1]:
        bare = 1
    elif plain and is_one_type and _is_link(scanned[0], join.on, read[0]):
        bare = 0
    else:
        return None
    links = [link(*pair, reader, plain=plain) for pair in zip(scanned, names, strict=True)]
    as_bytes, kept = reader.dialect.as_bytes, scanned[1 - bare]
    here, there = (cell if plain else as_bytes(cell) for cell in (links[1 - bare], links[bare]))
    cells = {pair: kept.cell(*pair) for pair in read[1 - bare]}
    cells |= {pair: links[1].copy() for pair in read[bare]}
    called = {pair: f"c{number}" for number, pair in enumerate(cells)}
    listed = [exp.alias_(cell, called[pair], copy=False) for pair, cell in cells.items()]
    rows = exp.select(*listed, copy=False).from_(exp.alias_(kept.address, "s"), copy=False)
    partners = exp.select(exp.alias_(there, "l", copy=False), copy=False)
    partners.from_(exp.alias_(scanned[bare].address, "s"), copy=False)
    is_known = exp.In(this=here, query=partners.subquery(copy=False))
    rows.where(is_known, copy=False)
    brought = {column: kind for column, kind in scanned[1].kinds.items() if column in join.gives}

    def cell(role: str, name: str) -> exp.Expression:
        return exp.column(called[role, name], table="s")

    return Together(rows.subquery("d", copy=False), {**scanned[0].kinds, **brought}, cell)


def _read(side: Scanned) -> list[tuple[str, str]]:
    """Return what is read of a table beside its link: roles and names."""
    roles = roles_of(side.part.table, side.part.aggregates)
    return [(role, name) for role, names in roles.items() if role != "link" for name in names]


def _is_link(side: Scanned, name: str, read: Sequence[tuple[str, str]]) -> bool:
    """Say whether each cell that is read of a table is its link."""
    cell = side.cell("link", name)
    return all(side.cell(role, other) == cell for role, other in read)
