"""`discreet check`: how cells that somebody types would be read; the data is never opened.

`discreet init` opens the data for its names and types, and drafts a plan file; here stands, too,
whether the first row of a CSV file names its columns or is somebody's row.

Rules of this module:
- nothing of the plan's source is looked at, not even whether it is there;
- the engine is asked for the schema and for nothing else;
- a name that may be somebody's cell is neither shown nor written unless the caller vouches for it;
- a draft is never written over a file;
- the row itself is never quoted: not by an error, and not in a draft that nobody has allowed;
- what looks like a value is enough to ask: a wrong question costs one word, a wrong answer shows a
  person;
- only what is asked for by the names is looked at; no second row is read.
"""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from os.path import relpath
from pathlib import Path, PurePath

from ..errors import InputError, shown, visible
from ..fix import Set
from ..paths import taken
from ..plan_file.draft import answered, drafted, stem_of
from ..plan_file.examples import ASKED
from ..plan_file.in_file import typed
from ..plan_file.plan_file import read_plan_file
from ..text import Sheet
from .charge import free_name, there
from .init_talk import Talk, talk
from .json_replies import CheckReply, DraftReply, MeaningLine
from .output import Screen
from .output_path import write_new

_MOST = 10_000


def check(screen: Screen, path: Path, cells: Sequence[str]) -> CheckReply:
    """Show what each cell means in each column that a plan file declares or reads."""
    from ..engine.explain_expression import meanings, reads

    plan = read_plan_file(path).plan
    table, asked = plan.table, plan.conditions
    if not (table.columns or table.keys or table.unit.column or reads(table, asked)):
        raise InputError(
            f"{shown(path)} declares no column.",
            kind="asks-nothing",
            why="a cell means something in a column with bounds or keys, or as a unit",
            fix="declare a column in it, or look at the table of docs/cells.md",
        )
    lines = [
        MeaningLine(cell=cell, column=part.column, role=part.role, value=part.value, said=part.said)
        for cell in cells or _typed(screen)
        for part in meanings(table, cell, asked)
    ]
    rows = [(shown(repr(line.cell)), line.column, line.role, line.said) for line in lines]
    screen.show(
        Sheet(
            title=f"How cells of a CSV file are read by {path.name}. No data was opened.",
            columns=("cell", "column", "declared as", "is"),
            rows=tuple(rows),
        )
    )
    return CheckReply(cells=lines)


def _typed(screen: Screen) -> list[str]:
    """Return the lines of standard input."""
    if sys.stdin.isatty():
        screen.note("Type cells, one a line; Ctrl-D ends.")
    cells = [line.rstrip("\r\n") for _, line in zip(range(_MOST), sys.stdin, strict=False)]
    if not cells:
        raise InputError(
            "there is no cell to check.",
            kind="asks-nothing",
            why="cells are typed behind the plan file, or one a line on standard input",
            fix="discreet check people.toml '1,50' 'n/a'",
        )
    return cells


def init(
    screen: Screen,
    data: str,
    *,
    out: Path | None = None,
    header: bool = False,
    table: str | None = None,
) -> DraftReply:
    """Draft a plan file for a source of data; of a file with several tables, for one of them."""
    from ..engine.csv.header import told_options, twice_named
    from ..engine.files import NOT_CSV
    from ..schema import csv_options

    if not data.strip() or "\0" in data or "://" in data:
        raise _no_path(data)
    place = Path(f"{stem_of(data)}.toml") if out is None else out
    if there(place):
        raise taken(
            place,
            why="a plan file that someone has filled in must not be lost",
            fix=f"add --out {typed(free_name(place))}",
        )
    is_csv = Path(data).is_file() and not data.lower().endswith(NOT_CSV)
    csv = told_options(data) if is_csv else {}
    how = {name: value for name, value in csv.items() if value}
    schema = _schema(data, how, table)
    talks = not screen.as_json and sys.stdin.isatty() and sys.stdout.isatty()
    if not header:
        _check_names(data, schema, talks=talks)
    twice = twice_named(data, csv_options(how)) if is_csv else []
    source = data if Path(data).is_absolute() else Path(relpath(data, place.parent)).as_posix()
    if talks:
        usable = {name: kind for name, kind in schema.items() if name not in twice}
        here = Talk(screen, usable, place.parent, data)
        return _talked(here, place, (source, table), csv)
    text = drafted(source, schema, plan=place.name, csv=csv, twice=twice, table=table)
    write_new(place, text)
    screen.say(f"Drafted {shown(place)} from the names and types of {len(schema)} columns.")
    blanks = [
        line for line, line_text in enumerate(text.split("\n"), start=1) if _is_blank(line_text)
    ]
    lines = f"lines {', '.join(map(str, blanks[:-1]))} and {blanks[-1]}"
    screen.say(f"Answer the question marks in its {lines}, and take away the # of the lines that")
    screen.say(f"you want; then: discreet plan {typed(place)}")
    return DraftReply(saved=str(place), columns=schema, draft=text)


def _check_names(data: str, schema: Mapping[str, str], *, talks: bool) -> None:
    """Refuse a first row that may be somebody's, unless on a terminal a person says it is not."""
    try:
        refuse_cells(data, schema)
    except InputError:
        if not talks:
            raise
        question = f"Does the first row of {shown(PurePath(data).name)} name its columns? (yes/no) "
        try:
            answer = input(visible(question)).strip().casefold()
        except EOFError:
            answer = ""
        if answer not in ("y", "yes"):
            raise


def _talked(
    here: Talk, place: Path, data: tuple[str, str | None], csv: Mapping[str, str | None]
) -> DraftReply:
    """Ask for a first plan, write it, and show it with the same Python."""
    screen, schema, (source, table) = here.screen, dict(here.schema), data
    parts = talk(here, csv).parts(source, stem_of(source))
    if table is not None:  # before the unit, as a draft has it
        parts["data"] = {"source": source, "table": table} | parts["data"]
    text = answered(parts, shown_as=source, plan=place.name)
    write_new(place, text)
    screen.say(f"\nWritten to {shown(place)}:\n\n{text}")
    if f'"{ASKED}"' in text:
        screen.say(f"Answer the question marks; then: discreet plan {typed(place)}")
        return DraftReply(saved=str(place), columns=schema, draft=text)
    plan = read_plan_file(place).plan
    questions = "".join(f"\n    {line.asked!r}," for line in plan.lines)
    screen.say("The same in Python:\n\nimport discreet\n")
    screen.say(f"table = {plan.table!r}")
    screen.say(f"plan = discreet.plan(\n    table,{questions}\n    spend={plan.spend!r},\n)\n")
    screen.show(plan.sheet())
    screen.say(f"Next: discreet plan {typed(place)}, and change it as you like.")
    return DraftReply(saved=str(place), columns=schema, draft=text)


def _no_path(data: str) -> InputError:
    return InputError(
        f"{shown(data)} is not a path of this machine.",
        kind="address-not-a-file",
        why="data is read from local files only",
        fix="give the path of a CSV or Parquet file, as in: discreet init DATA",
    )


def _schema(data: str, csv: Mapping[str, str], part: str | None) -> dict[str, str]:
    """Return the names and types of a source; what is refused says which option to add."""
    from ..engine.select_engine import engine_for
    from ..schema import table

    try:
        return engine_for(data).prepare(table(data, unit="row", csv=csv, table=part), ()).schema()
    except InputError as error:
        way = error.ways[0]
        if not isinstance(way, Set) or "table" not in way.settings:
            raise
        fix = f"add --table {typed(way.settings['table'])}"
        raise InputError(error.what, kind=error.kind, why=error.why, fix=fix) from None


def _is_blank(line: str) -> bool:
    return f'"{ASKED}"' in line and not line.startswith("#")


_LONGEST = 40
_MOST_DIGITS = 4  # in all: a year; with more it may be a number of somebody
_UNIT = re.compile(r"[^\W\d][^\W\d_]*(?: [a-z]+)* \([^\W\d][\w /%°.-]*\)")  # Time spent (minutes)
_NAME = re.compile(r"[^\W\d][\w.-]*")  # begins with a letter or _; no blank, no sign, no quote
_DATE = re.compile(
    r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[._-]?\d", re.IGNORECASE
)
_HEX = re.compile(r"(?=.*\d)[0-9a-f]{6,}", re.IGNORECASE)
_CELLS = {  # words that no column is called; female, married or black are names of columns, too
    *("yes", "no", "true", "false", "m", "f"),
    *("na", "nan", "nat", "null", "none", "inf", "infinity"),
}


def refuse_cells(source: str, names: Iterable[str]) -> None:
    """Refuse names of columns of which one looks like a cell, or is missing in the middle.

    Args:
        source: the path or glob that was typed; of Parquet files the names are certain.
        names: the names of the columns, in order.

    Raises:
        InputError: one of them may be a cell; it is not said which, nor what it holds.
    """
    from ..engine.files import SELF_NAMED

    columns = list(names)
    gaps = any(name == f"column{place}" for place, name in enumerate(columns, 1) if place > 1)
    if source.lower().endswith(SELF_NAMED) or (all(map(is_name, columns)) and not gaps):
        return
    raise InputError(
        f"the first row of {shown(PurePath(source).name)} may be a row of the data.",
        kind="no-header",
        why="a cell of it is empty, or holds a blank, a sign, many digits, or a word that is no "
        "name; it is shown nowhere, because it may be somebody's",
        fix="look at the file: if that row names the columns, add --header; else write their names "
        "above it",
    )


def is_name(text: str) -> bool:
    """Tell whether a text can only be meant as the name of a column.

    Example:
        >>> [is_name(text) for text in ("birth_year", "x2", "478-12-9911", "Ann Lee", "yes")]
        [True, True, False, False, False]
        >>> is_name("Time spent (minutes)")
        True
    """
    return (
        len(text) <= _LONGEST
        and (_NAME.fullmatch(text) or _UNIT.fullmatch(text)) is not None
        and sum(character.isdigit() for character in text) <= _MOST_DIGITS
        and text.casefold() not in _CELLS
        and not _DATE.match(text)
        and not _HEX.fullmatch(text)
    )
