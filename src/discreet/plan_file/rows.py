"""Which rows of a plan file's data count, and what is made of each."""

from collections.abc import Callable, Mapping, Sequence

from ..errors import shown
from ..schema import Bounds, Derived, Levels, Table, bounds, derived
from .location import Place
from .schema import DerivePart, FilePart, KeysPart
from .toml import key_of

Listed = Callable[[str, KeysPart, Place], Sequence[object]]
Public = tuple[Listed, Mapping[str, Levels]]


def with_rows(declared: Table, parts: FilePart, place: Place, public: Public) -> Table:
    """Return a table with the derived columns and the condition of a plan file.

    Args:
        declared: the table of the data as it is.
        parts: the plan file.
        place: where it stands, for messages.
        public: what reads public values, and the hierarchies by the column that they group.

    Raises:
        InputError: an expression, or what is public of a column, cannot be kept.
    """
    found = declared
    for name, part in parts.derive.items():
        here = place.at("derive", name)
        made = _made(name, part, here, public)
        with here.named():
            found = found.derive({name: made})
    if parts.data.where is None:
        return found
    with place.at("data", "where").named():
        return found.where(parts.data.where)


def _made(name: str, part: DerivePart, here: Place, public: Public) -> Derived:
    """Return what makes a column, with what is public of it."""
    listed, grouped = public
    if part.lookup is not None:
        return _looked_up(name, part, here, grouped.get(part.lookup))
    if part.expression is None:
        raise here.at("expression").missing("it is made of each row, by an expression or a lookup")
    ends = _bounds(part, here)
    keys = None if part.keys is None else listed("keys", part.keys, here.at("keys"))
    with here.named():
        return derived(part.expression, bounds=ends, keys=keys)


def _looked_up(name: str, part: DerivePart, here: Place, public: Levels | None) -> Derived:
    """Return the group of each key, from the public table of [levels]."""
    said = part.model_dump(exclude={"lookup"}, exclude_none=True)
    if said:
        raise here.at(next(iter(said))).error(
            "a lookup says this itself.",
            why="the groups that are looked up are its keys, and it makes no number",
            fix=f"remove {next(iter(said))}",
        )
    if public is None:
        raise here.at("lookup").error(
            f"there is no public table of {shown(part.lookup)}.",
            why="what is looked up stands in a part [levels], by the column that it groups",
            fix=f'write [levels.{key_of(str(part.lookup))}] with columns = ["{name}", '
            f'"{part.lookup}"] and file = "?"',
        )
    with here.named():
        return public.lookup(name)


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
