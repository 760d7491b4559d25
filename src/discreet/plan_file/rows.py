"""Which rows of a plan file's data count, and what is made of each."""

from collections.abc import Callable, Sequence

from ..schema import Bounds, Table, bounds, derived
from .location import Place
from .schema import DerivePart, FilePart, KeysPart

Listed = Callable[[str, KeysPart, Place], Sequence[object]]


def with_rows(declared: Table, parts: FilePart, place: Place, listed: Listed) -> Table:
    """Return a table with the derived columns and the condition of a plan file.

    Args:
        declared: the table of the data as it is.
        parts: the plan file.
        place: where it stands, for messages.
        listed: reads public values.

    Raises:
        InputError: an expression, or what is public of a column, cannot be kept.
    """
    found = declared
    for name, part in parts.derive.items():
        here = place.at("derive", name)
        public = _bounds(part, here)
        keys = None if part.keys is None else listed("keys", part.keys, here.at("keys"))
        with here.named():
            made = derived(part.expression, bounds=public, keys=keys)
            found = found.derive({name: made})
    if parts.data.where is None:
        return found
    with place.at("data", "where").named():
        return found.where(parts.data.where)


def _bounds(part: DerivePart, place: Place) -> Bounds | None:
    said = (part.lower, part.upper, part.step, part.missing)
    if said == (None,) * len(said):
        return None
    if part.lower is None or part.upper is None:
        missing = "lower" if part.lower is None else "upper"
        raise place.error(
            f"{missing} is missing.",
            why="a range has two ends",
            fix=f'write {missing} = "?" with the end that is publicly known',
        )
    with place.named():
        return bounds(part.lower, part.upper, step=part.step, missing=part.missing)
