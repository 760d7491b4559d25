"""A plan file: TOML that a person can read aloud becomes a priced plan; the data is not opened.

Which rows of a plan file's data count, and what is made of each.

The other tables of a plan file: those of the same units, and the one of who owns each row.

What a plan file's [spend] says: a loss, or the errors wanted.

Rules of this module:
- a number counts as it is written: 0.1 is 1/10;
- paths are meant from the folder of the plan file; a source is a path of this machine, or the
  address of a Postgres database, which is not opened here;
- every error is an InputError that names the place, and none is found out after this module.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..engine.remote import Address, has_password, is_address
from ..errors import shown
from ..paths import at_home
from ..plans.checked import check_questions, checked_alpha
from ..plans.plan import Plan, plan
from ..plans.unknown import bounded
from ..plans.within import check_wanted, given_within
from ..privacy.loss import Loss, approx, gdp, pure, zcdp
from ..schema import (
    ROW,
    About,
    Bounds,
    Derived,
    Join,
    Levels,
    Table,
    Unit,
    Unknown,
    WithOther,
    bounds,
    derived,
    join,
    levels,
    owner,
    table,
    unit,
)
from ..statistic.ask import Publish
from ..statistic.catalog import statistic_of, takes
from ..statistic.publish import check_rule, publish_of, with_rule
from ..statistic.statistic import Statistic
from .derive_part import Also, also_of, asked_and_said, said_of
from .examples import ASKED
from .in_file import Face, file_face
from .keys_part import keys_of, listed, local, named, refuse_data_lists
from .location import Place, from_pydantic
from .schema import (
    DataPart,
    DerivePart,
    FilePart,
    JoinPart,
    KeysPart,
    OwnerPart,
    SpendPart,
    key_of,
)
from .written import parsed, read_text


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan file that was read and checked: its path, its title, its plan, and who pays.

    `about` is what the publisher says of the release, `face` says how the file can be changed;
    `also` is what is derived of the release, for nothing; `publish` is the rule of all questions
    that have none, which whoever asks others in their place goes on with.
    """

    path: Path
    title: str
    plan: Plan
    ledger: Path | None
    face: Face
    about: About | None = None
    also: tuple[Also, ...] = ()
    publish: Publish | None = None


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
    source = _source(parts.data, path, place.at("data", "source"))
    refuse_data_lists(parts, path.parent, source, place)
    grouped = _levels(parts, path, place)
    declared = with_rows(
        _table(parts, path, source, place), parts, place, (partial(listed, path.parent), grouped)
    )
    rule = None
    if parts.publish is not None:
        with place.at("publish").named():
            rule = publish_of(parts.publish.model_dump(exclude_unset=True))
    asked = _questions(parts, declared, place, grouped, rule)
    all_wanted = all((question.ask.within or question.ask.spend) for question in asked)
    terms = terms_of(parts.spend, place, all_wanted=all_wanted)
    with place.named():
        alpha = checked_alpha(parts.alpha)
    with place.at("spend").named():
        terms |= {"share": parts.share, "together": parts.together}
        priced = plan(declared, *asked, **terms, alpha=alpha)
    if (ledger := parts.spend.ledger) is not None and (not ledger or "\0" in ledger):
        raise place.at("spend", "ledger").error("this is not a path.", why="it names a file")
    words = said_of(parts, place, declared, asked, path.parent)
    return PlanFile(
        path=path,
        title=words.title or declared.name,
        about=words if words.plain() else None,
        plan=priced,
        ledger=None if ledger is None else path.parent / at_home(ledger),
        face=file_face(written),
        also=also_of([entry.model_dump(exclude_unset=True) for entry in parts.also], place),
        publish=rule,
    )


def _refuse_blanks(values: Mapping[Any, Any], place: Place) -> None:
    for name, value in values.items():
        here = place.at(name)
        if isinstance(value, dict):
            _refuse_blanks(value, here)
        elif value == ASKED or _is_blank(value, here):
            raise here.still_blank()
        elif isinstance(value, list):
            parts = {number: part for number, part in enumerate(value) if isinstance(part, dict)}
            _refuse_blanks(parts, here)


def _is_blank(value: object, here: Place) -> bool:
    """Tell whether a list asks for something; a key may be a question mark beside others."""
    if not isinstance(value, list) or ASKED not in value:
        return False
    return here.path[0] != "keys" or all(key == ASKED for key in value)


def _table(parts: FilePart, path: Path, source: str | list[str] | Address, place: Place) -> Table:
    data = parts.data
    columns = {name: _bounds(name, parts, place) for name in parts.columns}
    keys = {
        name: keys_of(name, part, place.at("keys", name), path.parent)
        for name, part in parts.keys.items()
    }
    typed = {name: listing for name, listing in keys.items() if not isinstance(listing, Unknown)}
    others = {name: named(name, typed, parts, place) for name in {**parts.other, **parts.missing}}
    whose, csv = _unit(data, place), _csv(data)
    here = (source, whose)
    joins = joins_in(parts, place, here, lambda name, at: local(name, path.parent, at))
    with place.at("data").named():
        return table(
            source,
            unit=whose,
            columns=columns,
            keys={**keys, **others},
            neighbors=data.neighbors,
            name=data.name,
            table=data.table,
            csv=csv,
            rows=data.rows,
            units=data.units,
        ).joined(*joins)


def _csv(data: DataPart) -> dict[str, Any] | None:
    return None if data.csv is None else data.csv.model_dump(exclude_unset=True)


def _unit(data: DataPart, place: Place) -> Unit:
    if data.unit == "row":
        return ROW
    with place.at("data", "unit").named():
        of = data.unit
        return unit(of.column, max_rows=of.max_rows, sampling=of.sampling)


def _bounds(name: str, parts: FilePart, place: Place) -> Bounds:
    part = parts.columns[name]
    with place.at("columns", name).named():
        column_bounds = bounds(part.lower, part.upper, step=part.step, missing=part.missing)
        table("", unit="row", columns={name: column_bounds})
        return column_bounds


def _source(data: DataPart, path: Path, place: Place) -> str | list[str] | Address:
    if isinstance(data.source, str) and is_address(data.source):
        return _address(data.source, data, place)
    sources = [data.source] if isinstance(data.source, str) else data.source
    if not sources:
        raise place.error("the list is empty.", why="a plan needs data")
    paths = [local(source, path.parent, place) for source in sources]
    return paths[0] if isinstance(data.source, str) else paths


def _address(source: str, data: DataPart, place: Place) -> Address:
    if has_password(source):
        raise place.error(
            "this address holds a password.",
            why="plan files are shown to others",
            fix="take it out, and put it where psql finds it: PGPASSWORD, or the file ~/.pgpass",
        )
    if data.name is None:
        name = place.root().at("data", "name")
        raise name.missing("it is the table to be read in that database")
    return Address(source)


def _levels(parts: FilePart, path: Path, place: Place) -> dict[str, Levels]:
    """Return the hierarchies by the column that they group."""
    by_column = {}
    for name, part in parts.levels.items():
        with place.at("levels", name).named():
            file = None if part.file is None else path.parent / at_home(part.file)
            by_column[name] = levels(part.columns, rows=part.rows, file=file)
    return by_column


def _asked(plain: dict[str, Any], grouped: dict[str, Levels]) -> dict[str, Any]:
    """Return a question with the hierarchies of its attributes, where it takes any."""
    if not takes(plain["statistic"], "levels"):
        return plain
    by = {*_names_in(plain.get("by"))}
    mine = {
        n: hierarchy for n, hierarchy in grouped.items() if n in by or by & {*hierarchy.columns}
    }
    return {**plain, "levels": mine} if mine else plain


def _names_in(value: object) -> Iterator[str]:
    """Yield the names in a list, or in lists of it; what is no name is refused by its statistic."""
    if isinstance(value, str):
        yield value
    for part in value if isinstance(value, list) else ():
        yield from _names_in(part)


def _questions(
    parts: FilePart,
    declared: Table,
    place: Place,
    grouped: dict[str, Levels],
    rule: Publish | None,
) -> list[Statistic]:
    asked = []
    for number, ask in enumerate(parts.ask):
        with place.at("ask", number).named():
            asked.append(statistic_of(_asked(asked_and_said(ask)[0], grouped)))
    if rule is not None:
        with place.at("publish").named():
            asked = with_rule(asked, rule, declared)
    for number, question in enumerate(asked):
        with place.at("ask", number).named():
            bounded(declared, [question])[0].aggregates(declared)
            check_rule(question, declared)
    with place.named():
        check_questions(declared, asked)
    with place.at("spend").named():
        wanted = given_within(asked, parts.spend.within)
    for number, question in enumerate(wanted):
        with place.at("ask", number).named():
            check_wanted(declared, question)
    return wanted


Listed = Callable[[str, KeysPart, Place], Sequence[object] | WithOther]
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
    derived_table = declared
    for name, part in parts.derive.items():
        here = place.at("derive", name)
        made = _made(name, part, here, public)
        with here.named():
            derived_table = derived_table.derive({name: made})
    if parts.data.where is None:
        return derived_table
    with place.at("data", "where").named():
        return derived_table.where(parts.data.where)


def _made(name: str, part: DerivePart, here: Place, public: Public) -> Derived:
    """Return what makes a column, with what is public of it."""
    listed, grouped = public
    if part.lookup is not None:
        return _looked_up(name, part, here, grouped.get(part.lookup))
    if part.expression is None:
        raise here.at("expression").missing("it is made of each row, by an expression or a lookup")
    ends = _derived_bounds(part, here)
    keys = None if part.keys is None else listed("keys", part.keys, here.at("keys"))
    with here.named():
        return derived(part.expression, bounds=ends, keys=keys)


def _looked_up(name: str, part: DerivePart, here: Place, public: Levels | None) -> Derived:
    """Return the group of each key, from the public table of [levels]."""
    extra = part.model_dump(exclude={"lookup"}, exclude_none=True)
    if extra:
        raise here.at(next(iter(extra))).error(
            "a lookup says this itself.",
            why="the groups that are looked up are its keys, and it makes no number",
            fix=f"remove {next(iter(extra))}",
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


def _derived_bounds(part: DerivePart, place: Place) -> Bounds | None:
    numbers = (part.lower, part.upper, part.step, part.missing)
    if numbers == (None,) * len(numbers):
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
    joins, (first, unit) = [], data
    for what, declared, made in (("owner", parts.owner, owner), ("join", parts.join, join)):
        for name, part in declared.items():
            here = place.at(what, name)
            source = _join_source(part, here, first, local)
            options = part.model_dump(exclude={"source"}, exclude_unset=True)
            with here.named():
                joined = made(source, name=name, **options)
                table("", unit=unit).joined(joined)
            joins.append(joined)
    return joins


def _join_source(part: JoinPart | OwnerPart, place: Place, first: object, local: Local) -> object:
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
    sources = [part.source] if isinstance(part.source, str) else part.source
    paths = [local(source, place.at("source")) for source in sources]
    return paths[0] if isinstance(part.source, str) else paths


def terms_of(part: SpendPart, place: Place, *, all_wanted: bool) -> dict[str, Any]:
    """Return what the plan costs, or how the errors are priced that it must keep.

    Args:
        part: what is written.
        place: the file.
        all_wanted: whether each question has a wanted error, so that no loss is needed.
    """
    here = place.at("spend")
    names = [n for n in ("rho", "mu2", "epsilon", "delta") if getattr(part, n) is not None]
    if len({*names} - {"delta"}) > 1:
        raise here.error(
            f"{' and '.join(names)} are given.",
            why="a plan spends one of rho, mu2 and epsilon, with or without delta, or what its "
            "errors cost",
            fix=_remedy(names),
        )
    if names in ([], ["delta"]) and not all_wanted:
        raise here.error(
            f"{' and '.join(names) or 'nothing'} is given.",
            why="a plan spends rho, mu2 or epsilon, with or without delta, or says within in each "
            "question",
            fix=here.at("epsilon").under('epsilon = "?"')
            if names
            else here.at("rho").under('rho = "?", or epsilon = "?", or within = "?"'),
        )
    if names in ([], ["delta"]):
        return {"kind": part.kind, "delta": part.delta}
    return {"spend": _spend(part, here), "kind": part.kind}


def _remedy(options: list[str]) -> str:
    """Return which of the names to remove."""
    kept = [name for name in options if name != "delta"]
    ways = [[name for name in kept if name != dropped] for dropped in kept]
    return f"remove {', or remove '.join(' and '.join(names) for names in ways)}"


def _spend(part: SpendPart, here: Place) -> Loss:
    with here.named():
        if part.rho is not None:
            return zcdp(part.rho, delta=part.delta)
        if part.mu2 is not None:
            return gdp(mu2=part.mu2, delta=part.delta)
        epsilon = part.epsilon or 0
        return pure(epsilon) if part.delta is None else approx(epsilon, part.delta)
