"""The other tables of a plan file: those of the same units, and the one of who owns each row."""

from collections.abc import Callable

from ..engine.remote import Address
from ..schema import Join, Unit, join, owner, table
from .location import Place
from .schema import FilePart, JoinPart, OwnerPart

Local = Callable[[str, Place], str]


def joins_in(parts: FilePart, place: Place, data: tuple[object, Unit], local: Local) -> list[Join]:
    """Return the joins that a plan file declares.

    Args:
        parts: the plan file.
        place: where it stands, for messages.
        data: the source of its data, where other tables of a database lie, too; and its unit.
        local: makes a path of this machine of what is written.

    Raises:
        InputError: what is said of a join cannot be kept.
    """
    found, (first, unit) = [], data
    for what, declared, made in (("owner", parts.owner, owner), ("join", parts.join, join)):
        for name, part in declared.items():
            here = place.at(what, name)
            source = _source(part, here, first, local)
            said = part.model_dump(exclude={"source"}, exclude_unset=True)
            with here.named():
                one = made(source, name=name, **said)
                table("", unit=unit).joined(one)
            found.append(one)
    return found


def _source(part: JoinPart | OwnerPart, place: Place, first: object, local: Local) -> object:
    """Return where another table lies: in a file, or where the first one does."""
    if isinstance(first, Address):
        if part.source is not None:
            raise place.at("source").error(
                "this table lies in the same database as the first one.",
                why="tables are joined where they lie, and its name there is that of this part",
                fix="remove source",
            )
        return first
    if part.source is None:
        raise place.at("source").missing("it is joined, so it has to lie somewhere")
    given = [part.source] if isinstance(part.source, str) else part.source
    paths = [local(source, place.at("source")) for source in given]
    return paths[0] if isinstance(part.source, str) else paths
