"""`discreet init`: open the data for its names and types, and draft a plan file.

Rules of this module:
- the engine is asked for the schema and for nothing else;
- a name that may be somebody's cell is neither shown nor written unless the caller vouches for it;
- a draft is never written over a file.
"""

from os.path import relpath
from pathlib import Path

from ..errors import InputError, shown
from ..paths import taken
from ..plan_file.draft import drafted, stem_of
from ..plan_file.examples import ASKED
from ..plan_file.in_file import typed
from .header import refuse_cells
from .json_replies import DraftReply
from .output import Screen
from .paths import free_name, there


def init(screen: Screen, data: str, *, out: Path | None = None, header: bool = False) -> DraftReply:
    """Draft a plan file for a source of data."""
    from ..engine.csv.header import told_options
    from ..engine.files import TYPED
    from ..engine.select_engine import engine_for
    from ..schema import table

    if not data.strip() or "\0" in data or "://" in data:
        raise InputError(
            f"{shown(data)} is not a path of this machine.",
            why="data is read from local files only",
            fix="give the path of a CSV or Parquet file, as in: discreet init DATA",
        )
    place = Path(f"{stem_of(data)}.toml") if out is None else out
    if there(place):
        raise taken(
            place,
            why="a plan file that someone has filled in must not be lost",
            fix=f"add --out {typed(free_name(place))}",
        )
    csv = told_options(data) if Path(data).is_file() and not data.endswith(TYPED) else {}
    how = {name: value for name, value in csv.items() if value}
    schema = engine_for(data).prepare(table(data, unit="row", csv=how), ()).schema()
    if not header:
        refuse_cells(data, schema)
    source = data if Path(data).is_absolute() else Path(relpath(data, place.parent)).as_posix()
    text = drafted(source, schema, plan=place.name, csv=csv)
    _write(place, text)
    screen.say(f"Drafted {shown(place)} from the names and types of {len(schema)} columns.")
    blanks = [line for line, said in enumerate(text.split("\n"), start=1) if _is_blank(said)]
    lines = f"lines {', '.join(map(str, blanks[:-1]))} and {blanks[-1]}"
    screen.say(f"Answer the question marks in its {lines}, and take away the # of the lines that")
    screen.say(f"you want; then: discreet plan {typed(place)}")
    return DraftReply(saved=str(place), columns=schema, draft=text)


def _is_blank(line: str) -> bool:
    return f'"{ASKED}"' in line and not line.startswith("#")


def _write(out: Path, text: str) -> None:
    try:
        with out.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise InputError(
            f"{shown(out)} cannot be written.",
            why=f"the operating system says: {error.strerror}",
            fix="add --out with a place that can be written",
        ) from None
