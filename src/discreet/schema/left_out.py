"""Which rows do not count by the declaration alone, whatever the data holds; no data is looked at.

Rules of this module:
- each sentence says what would be left out, and never what was;
- one sentence for each way: a missing unit, a link without a partner, letters of another form.
"""

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING
from unicodedata import normalize

from ..errors import shown
from ..text import listed

if TYPE_CHECKING:
    from .joins import Join
    from .table import Table

_SHOWN = 8


def left_out(table: "Table") -> Iterator[str]:
    """Return which rows of a table do not count, in sentences; none where a row is the unit.

    Args:
        table: what is declared.
    """
    if table.unit.column is not None:
        yield f"A row whose {shown(table.unit.column)} is missing does not count."
    for one in table.joins:
        yield _without_partner(one)
    if table.joins:
        yield "What rows are joined by is compared as it is written: 7 is not 0007."
    apart = [text for text in _declared(table) if normalize("NFC", text) != text]
    if apart:
        yield (
            f"In {listed([*dict.fromkeys(apart)], _SHOWN)} a letter and its accent are two signs, "
            "as declared: a cell that has both as one sign is another text."
        )


def _without_partner(one: "Join") -> str:
    name = shown(one.name)
    if one.kind == "own":
        return (
            f"A row whose unit has no row in {name} does not count; where it has several there, it "
            "counts as often."
        )
    return f"A row without an owner in {name} does not count; with several, it counts for each."


def _declared(table: "Table") -> list[str]:
    """Return the keys of the data that are text, with the other ways to write them."""
    made, texts = {*table.derived, *table.unknown}, list[str]()
    for name in [one for one in table.keys if one not in made]:
        texts += [key for key in table.listed(name) if isinstance(key, str)]
        texts += chain.from_iterable(table.spelled.get(name, ()))
    return texts
