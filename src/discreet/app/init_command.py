"""`discreet init`: open the data for its names and types, and draft a plan file.

Rules of this module:
- the engine is asked for the schema and for nothing else;
- a draft is never written over a file.
"""

from os.path import relpath
from pathlib import Path

from ..errors import InputError, shown
from .draft import drafted, stem_of
from .output import Screen
from .paths import there
from .reply import DraftReply


def init(screen: Screen, data: str, *, out: Path | None = None) -> DraftReply:
    """Draft a plan file for a source of data."""
    from ..engine.choose import engine_for
    from ..schema import table

    if not data.strip() or "\0" in data or "://" in data:
        raise InputError(
            f"{shown(data)} is not a path of this machine.",
            why="data is read from local files only",
            fix="give the path of a CSV or Parquet file, for example: discreet init people.csv",
        )
    if out is not None and there(out):
        raise InputError(
            f"{shown(out)} is there already.",
            why="a plan file that someone has filled in must not be lost",
            fix="give --out another name",
        )
    schema = engine_for(data).prepare(table(data, unit="row"), ()).schema()
    folder = out.parent if out is not None else Path()
    source = data if Path(data).is_absolute() else Path(relpath(data, folder)).as_posix()
    name = out.name if out is not None else f"{stem_of(data)}.toml"
    text = drafted(source, schema, plan=name)
    if out is None:
        screen.say(text.rstrip("\n"))
    else:
        _write(out, text)
        screen.say(f"Drafted {shown(out)} from the names and types of {len(schema)} columns.")
        screen.say(f"Answer its question marks, then: discreet plan {shown(out)}")
    return DraftReply(saved=None if out is None else str(out), columns=schema, draft=text)


def _write(out: Path, text: str) -> None:
    try:
        with out.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise InputError(
            f"{shown(out)} cannot be written.",
            why=f"the operating system says: {error.strerror}",
            fix="give --out a place that can be written",
        ) from None
