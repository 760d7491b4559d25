"""Keys in a plan file: a list, a range, a public file, names with spellings, or unknown ones.

Paths are meant from the folder of the plan file; `~` is the caller's folder.

Decision 98.
"""

from collections.abc import Mapping, Sequence
from glob import escape, has_magic
from pathlib import Path

from ..errors import shown
from ..paths import at_home
from ..schema import Key, Unknown, WithOther, keys, table, unknown, with_names, with_spellings
from ..schema.public_list import list_at, refuse_data
from .location import Place
from .schema import FilePart, KeysPart, ListPart, RangePart, UnknownPart, key_of


def refuse_data_lists(parts: FilePart, folder: Path, source: object, place: Place) -> None:
    """Refuse public lists in files of the data, before one of them is read."""
    lists = {
        ("keys", name): part.file for name, part in parts.keys.items() if isinstance(part, ListPart)
    }
    for name, made in parts.derive.items():
        if isinstance(made.keys, ListPart):
            lists["derive", name] = made.keys.file
    for name, above in parts.levels.items():
        if above.file is not None:
            lists["levels", name] = above.file
    joined = {name: owner.source for name, owner in parts.owner.items()}
    joined |= {name: other.source for name, other in parts.join.items()}
    for (part, name), file in lists.items():
        with place.at(part, name).named():
            whole = {name: list_at(folder / at_home(file))}
            refuse_data(whole, source, parts.data.name or "itself")
            for other, paths in joined.items():
                named = [paths] if isinstance(paths, str) else paths or []
                refuse_data(whole, [str(folder / at_home(each)) for each in named], other)


def keys_of(
    name: str, part: KeysPart, place: Place, folder: Path
) -> tuple[Key, ...] | WithOther | Unknown:
    """Return the keys of a column as they are written."""
    if isinstance(part, ListPart):
        return _in_file(name, part, place, folder)
    if isinstance(part, UnknownPart):
        with place.named():
            return unknown(**part.model_dump(exclude_unset=True, exclude={"unknown"}))
    if isinstance(part, dict):
        with place.named():
            return with_spellings(name, part)
    values = listed(folder, name, part, place)
    with place.named():
        return table("", unit="row", keys={name: values}).keys[name]


def _in_file(name: str, part: ListPart, place: Place, folder: Path) -> WithOther:
    """Return the keys that a public file lists, in the column of their name unless it is named."""
    local(part.file, folder, place.at("file"))
    with place.named():
        return keys(file=folder / at_home(part.file), column=part.column or name)


def listed(folder: Path, name: str, part: KeysPart, place: Place) -> Sequence[object] | WithOther:
    """Return public values as they are listed, or as a range or a file says them."""
    if isinstance(part, ListPart):
        return _in_file(name, part, place, folder)
    if isinstance(part, UnknownPart):
        raise place.error(
            "the keys of a derived column cannot be found.",
            why="finding looks at a column of the data as it stands there",
            fix=f'write {key_of(name)} = ["?"]',
        )
    if isinstance(part, dict):
        raise place.error(
            "the keys of a derived column are a part with names.",
            why="in which ways cells say a key is part of its expression",
            fix=f"write {key_of(name)} = {[*part]}".replace("'", '"'),
        )
    if isinstance(part, RangePart):
        if part.start > part.end:
            raise place.error(
                f"from = {part.start} is above to = {part.end}.",
                why="both ends belong to the range",
                fix=f"write {key_of(name)} = {{ from = {part.end}, to = {part.start} }}",
            )
        return range(part.start, part.end + 1)
    return part


def named(
    name: str, keys: Mapping[str, tuple[Key, ...] | WithOther], parts: FilePart, place: Place
) -> tuple[Key, ...] | WithOther:
    """Return the keys of a column with those of a missing cell and of every other row."""
    of = "other" if name in parts.other else "missing"
    if name not in keys:
        raise place.at(of, name).error(
            f"there are no keys of {shown(name)}.",
            why="rows of no value are told apart from those whose cell is on a list of keys",
            fix=f'under [keys], write {key_of(name)} = ["?"]',
        )
    names = {"other": parts.other.get(name), "missing": parts.missing.get(name)}
    with place.at(of, name).named():
        return with_names(name, keys[name], **names)


def local(source: str, folder: Path, place: Place) -> str:
    """Return the path of a source from here, or raise InputError for what is none."""
    if not source.strip() or "\0" in source or "://" in source:
        raise place.error(
            f"{shown(source)} is not a path of this machine.",
            why="data is read from local files only, so that a plan file cannot fetch or send any",
        )
    base = escape(str(folder)) if has_magic(source) and str(folder) != "." else str(folder)
    return str(Path(base) / at_home(source))
