"""A plan file: TOML that a person can read aloud becomes a priced plan; the data is not opened.

Rules of this module:
- a number counts as it is written: 0.1 is 1/10;
- paths are meant from the folder of the plan file; nothing but a path of this machine is a source;
- every error is an InputError that names the place, and none is found out after this module.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from glob import escape, has_magic
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..errors import InputError, shown
from ..plan.plan import Plan, checked_alpha, plan
from ..schema import MAX_KEYS, ROW, Bounds, Table, Unit, bounds, csv_options, table, unit
from ..statistic.catalog import STATISTICS, statistic_of
from ..statistic.statistic import Statistic
from .faces import Face, file_face
from .fixes import BLANK, WRITE, unit_of
from .place import Place, from_pydantic, nearest
from .shape import AskPart, DataPart, FilePart, KeysPart, RangePart
from .terms import terms_of
from .toml import key_of, text_of
from .written import parsed, read_text


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan file that was read and checked: its path, its title, its plan, and who pays.

    `face` says how it can be changed.
    """

    path: Path
    title: str
    plan: Plan
    ledger: Path | None
    face: Face


def read_plan_file(path: Path) -> PlanFile:
    """Read a plan file and price it; its data is not opened.

    Raises:
        InputError: the file cannot be read, is not TOML, or says something that cannot be kept.
    """
    file = path.name or str(path)
    written = parsed(read_text(path), file)
    place = Place(file, (), written)
    _refuse_blanks(written.said, place)
    try:
        parts = FilePart.model_validate(written.said)
    except ValidationError as error:
        faults: Any = error.errors(include_url=False, include_context=False)
        raise from_pydantic(place, faults) from None
    declared = _table(parts, path, place)
    asked = _questions(parts.ask, declared, place)
    terms = terms_of(parts.spend, place)
    with place.at("alpha").named():
        alpha = checked_alpha(parts.alpha)
    with place.at("spend").named():
        found = plan(declared, *asked, **terms, alpha=alpha)
    ledger = parts.spend.ledger
    if ledger is not None and (not ledger or "\0" in ledger):
        raise place.at("spend", "ledger").error("this is not a path.", why="it names a file")
    return PlanFile(
        path=path,
        title=parts.title or declared.name,
        plan=found,
        ledger=None if ledger is None else path.parent / ledger,
        face=file_face(parts.spend.model_fields_set, named=parts.data.name is not None),
    )


def _refuse_blanks(said: Mapping[Any, Any], place: Place) -> None:
    for name, value in said.items():
        here = place.at(name)
        if isinstance(value, dict):
            _refuse_blanks(value, here)
        elif value in (BLANK, [BLANK]):
            raise here.still_blank()
        elif isinstance(value, list):
            parts = {number: part for number, part in enumerate(value) if isinstance(part, dict)}
            _refuse_blanks(parts, here)


def _table(parts: FilePart, path: Path, place: Place) -> Table:
    data = parts.data
    columns = {name: _bounds(name, parts, place) for name in parts.columns}
    keys = {name: _keys(part, place.at("keys", name)) for name, part in parts.keys.items()}
    for name, values in keys.items():  # one by one, so that an error names its place
        with place.at("keys", name).named():
            table("", unit="row", keys={name: values})
    source = _source(data, path, place.at("data", "source"))
    whose, csv = _unit(data, place), _csv(data, place)
    with place.at("data").named():
        return table(
            source,
            unit=whose,
            columns=columns,
            keys=keys,
            neighbors=data.neighbors,
            name=data.name,
            csv=csv,
        )


def _csv(data: DataPart, place: Place) -> dict[str, Any] | None:
    if data.csv is None:
        return None
    with place.at("data", "csv").named():
        found = data.csv.model_dump(exclude_unset=True)
        csv_options(found)
        return found


def _unit(data: DataPart, place: Place) -> Unit:
    if data.unit == "row":
        return ROW
    with place.at("data", "unit").named():
        return unit(data.unit.column, max_rows=data.unit.max_rows)


def _bounds(name: str, parts: FilePart, place: Place) -> Bounds:
    part = parts.columns[name]
    with place.at("columns", name).named():
        found = bounds(part.lower, part.upper, step=part.step)
        table("", unit="row", columns={name: found})
        return found


def _keys(part: KeysPart, place: Place) -> Sequence[object]:
    if isinstance(part, RangePart):
        if not 0 <= part.end - part.start < MAX_KEYS:
            raise place.error(
                f"from {part.start} to {part.end} is not a range of 1 to {MAX_KEYS:,} keys.",
                why="both ends belong to the range, and every key is released",
            )
        return range(part.start, part.end + 1)
    found: Sequence[object] = part
    for value in found:
        if isinstance(value, Decimal):
            raise place.error(
                f"{value} is not a key.",
                why="keys are text, whole numbers, true or false, or dates; decimals match "
                "differently in different engines",
            )
    return found


def _source(data: DataPart, path: Path, place: Place) -> str | list[str]:
    given = [data.source] if isinstance(data.source, str) else data.source
    if not given:
        raise place.error("the list is empty.", why="a plan needs data")
    found = [_local(source, path.parent, place) for source in given]
    return found[0] if isinstance(data.source, str) else found


def _local(source: str, folder: Path, place: Place) -> str:
    if not source.strip() or "\0" in source or "://" in source:
        raise place.error(
            f"{shown(source)} is not a path of this machine.",
            why="data is read from local files only, so that a plan file cannot fetch or send any",
        )
    base = escape(str(folder)) if has_magic(source) and str(folder) != "." else str(folder)
    return str(Path(base) / source)


def _questions(asks: Sequence[AskPart], declared: Table, place: Place) -> list[Statistic]:
    asked: list[Statistic] = []
    seen: list[str] = []
    for number, ask in enumerate(asks):
        here = place.at("ask", number)
        question = _question(ask, declared, here)
        with here.named():
            question.aggregates(declared)
        text = str(question.plain())
        if text in seen:
            raise here.error(
                f"this asks the same as ask {seen.index(text) + 1}.",
                why="each question costs its share; the same one twice would only be noisier",
                fix="remove one of them, and give the other a weight if it matters more",
            )
        asked, seen = [*asked, question], [*seen, text]
    if not asked:
        raise place.at("ask").error("nothing is asked.", why="a plan asks at least one question")
    return asked


def _question(ask: AskPart, declared: Table, place: Place) -> Statistic:
    if ask.statistic not in STATISTICS:
        near = nearest(ask.statistic, STATISTICS)
        raise place.at("statistic").error(
            f"{shown(ask.statistic)} is not known.",
            why=f"discreet can be asked for {', '.join(STATISTICS)}",
            fix=f'write statistic = "{near or BLANK}"',
        )
    options = ask.model_dump(exclude={"statistic"}, exclude_unset=True)
    taken = signature(STATISTICS[ask.statistic]).parameters
    for name in options:
        if name not in taken:
            raise place.unknown(name, ["statistic", *taken])
    for name, parameter in taken.items():
        if parameter.default is Parameter.empty and name not in options:
            raise place.at(name).missing(f"the statistic {ask.statistic} needs it")
    _check_declared(ask, declared, place)
    _check_limits(options, declared, place)
    for name in options:  # one by one, so that an error names its place
        with place.at(name).named():
            needed = {"column": ask.column} if "column" in taken else {}
            statistic_of({"statistic": ask.statistic, **needed, name: options[name]})
    return statistic_of({"statistic": ask.statistic, **options})


def _check_declared(ask: AskPart, declared: Table, place: Place) -> None:
    for name in [ask.column] if isinstance(ask.column, str) else ask.column:
        if name and name not in declared.columns:
            known = list(declared.columns)
            raise _undeclared(place.at("column"), name, ("bounds", "columns"), known)
    for name in [ask.by] if isinstance(ask.by, str) else ask.by:
        if name not in declared.keys:
            raise _undeclared(place.at("by"), name, ("keys", "keys"), list(declared.keys))


def _check_limits(options: Mapping[str, Any], declared: Table, place: Place) -> None:
    limits = [name for name in ("max_groups", "max_rows_per_group") if name in options]
    if declared.unit.column is None and limits:
        raise place.at(limits[0]).error(
            "the unit is a row.",
            why="one row is in one group already; such a limit is for units with many rows",
            fix=f'remove {limits[0]}, or under [data] write unit = {{ column = "?", '
            'max_rows = "?" }',
        )
    if declared.unit.column and not declared.unit.max_rows and "max_rows_per_group" not in limits:
        raise place.error(
            f"nothing limits how many rows one {shown(declared.unit.column)} adds to a group.",
            why="without a limit one unit could move the answer without end",
            fix='under that [[ask]], write max_rows_per_group = "?", or under [data] '
            f"write {unit_of({'column': declared.unit.column}, '')}",
        )


def _undeclared(place: Place, name: str, part: tuple[str, str], known: list[str]) -> InputError:
    near = nearest(name, known)
    why = {
        "columns": "without public bounds one row could move the answer without end",
        "keys": "groups come from a public list; taken from the data they would tell who is in it",
    }[part[1]]
    hint = f" Did you mean {shown(near)}?" if near else ""
    declare = place.root().at(part[1], name)
    return place.error(
        f"{shown(name)} has no {part[0]}.{hint}",
        why=why,
        fix=f"write {text_of(near)} in place of {text_of(name)}"
        if near
        else declare.under(f"{key_of(name)} = {WRITE[f'{part[1]}.*']}"),
    )
