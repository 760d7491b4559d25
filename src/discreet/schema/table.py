"""A declared table: where the data is, who is protected, and what is publicly known of it.

Rules of this module:
- once declared, nothing changes: a plan's noise was made for these bounds, keys and limits;
- these numbers are typed and never read from the data, which plans, releases and reports say;
- they say which wanted error is meant by a share of the whole, at which size intervals are shown,
  and under `replace` what no count exceeds;
- what is counted depends on them for means under `replace` which all rows enter: they are sums
  over the public number of rows (`statistic/mean.py`). A wrong number makes a wrong mean, and no
  less private: what is added to the sums does not depend on it;
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..calls import checked_methods
from ..errors import InputError
from ..exact.number import whole
from ..expressions import Formula, Typed
from ..fix import BLANK, call, leave_out, write
from ..text import Sheet, listed, prompt
from .bounds import Bounds, bounds_of_plain, by_column, checked_columns
from .csv_options import DEFAULT, CsvOptions, csv_options
from .dataset_name import checked_name, checked_part, checked_words, name_of
from .derived import Derived, both, condition_of, derived, formula_of, plain_of, split
from .inferred import check_csv, how_read, read_as_of
from .joins import (
    Join,
    checked_joins,
    joins_of,
    protected_together,
    refuse_one_name,
    refuse_one_source,
)
from .keys import Key, Spellings, WithOther, checked_keys, with_spellings
from .unit import ROW, Neighbors, Unit, checked_neighbors, checked_unit, unit_of
from .unknown import Unknown, keys_of, unknown_in, unknown_of

if TYPE_CHECKING:
    from .public_list import PublicList


@dataclass(frozen=True, slots=True)
class PublicSizes:
    """The public number of rows and of units; None where it is not public."""

    rows: int | None = None
    units: int | None = None

    def plain(self) -> dict[str, int]:
        """Return what is public as plain data."""
        sizes = {"rows": self.rows, "units": self.units}
        return {name: size for name, size in sizes.items() if size is not None}

    def of_joined(self) -> "PublicSizes":
        """Return the same for joined tables, of which nobody knows how many rows they make.

        Raises:
            InputError: the number of rows is public.
        """
        if self.rows is None:
            return self
        raise InputError(
            f"rows = {self.rows} is public, and tables are joined.", kind="public-numbers",
            why="joined there are more rows, or fewer; how many is not public by that",
            fix=leave_out("rows", of="table"),
        )  # fmt: skip


NO_FACTS = PublicSizes()


def facts_of(rows: object, units: object, unit: Unit) -> PublicSizes:
    """Return the public sizes of a table, or raise InputError.

    Where a row is the unit there are as many units as rows.
    """
    if unit.column is None and units is not None:
        raise InputError(
            "units is given, but the unit is a row.", kind="unit-is-a-row",
            why="there are as many units as rows",
            fix=(write(rows=BLANK), leave_out("units")),
        )  # fmt: skip
    known = None if rows is None else whole(rows, "rows", least=1)
    if unit.column is None:
        return PublicSizes(known, known)
    sizes = PublicSizes(known, None if units is None else whole(units, "units", least=1))
    if sizes.rows is not None and sizes.units is not None and sizes.rows < sizes.units:
        raise InputError(
            f"rows = {sizes.rows} and units = {sizes.units}.", kind="public-numbers",
            why="each unit that is there has a row, so that there are as many rows at least",
            fix=(write(rows=BLANK), write(units=BLANK)),
        )  # fmt: skip
    return sizes


def facts_of_plain(plain: Mapping[str, int], unit: Unit) -> PublicSizes:
    """Return what `PublicSizes.plain()` wrote."""
    units = None if unit.column is None else plain.get("units")
    return facts_of(plain.get("rows"), units, unit)


_KEYS_SHOWN = 8
_UNENDING = 2**40  # groups of a column whose keys are not known: more than any limit on one unit
_DERIVED = call("discreet.derived", "age / 10", keys=["?", "?"])


@checked_methods("table")
@dataclass(frozen=True, slots=True)
class Table:
    """A declared table: data, unit and public facts; `discreet.table` makes it.

    `spelled` has, for each listed key, the other texts of cells. A column of `unknown` has no keys
    before the search; then it has the found keys, and last the key of all others.
    """

    source: object = field(repr=False, compare=False)
    name: str
    unit: Unit
    columns: Mapping[str, Bounds]
    keys: Mapping[str, tuple[Key, ...]]
    neighbors: Neighbors = "add_remove"
    csv: CsvOptions = DEFAULT
    read_as: Mapping[str, Sequence[str]] = field(default_factory=dict, compare=False)
    vouched: str | None = None
    part: str | None = None  # of a file with several tables, which of them
    named: bool = field(default=True, compare=False)  # by the caller, or by its file
    unknown: Mapping[str, Unknown] = field(default_factory=lambda: MappingProxyType({}))
    others: frozenset[str] = frozenset()  # whose last key is that of every other row
    missing: frozenset[str] = frozenset()  # whose last key but that is of a missing cell
    spelled: Mapping[str, Spellings] = field(default_factory=lambda: MappingProxyType({}))
    lists: Mapping[str, "PublicList"] = field(default_factory=dict, compare=False)  # in files
    derived: Mapping[str, Formula] = field(default_factory=dict)
    condition: Formula | None = None
    facts: PublicSizes = NO_FACTS
    joins: tuple[Join, ...] = ()
    links: tuple[str, ...] = ()  # of one table of several: by which its rows find each other
    taken: tuple[tuple[str, str], ...] = ()  # names that others give, with who gives them
    notes: tuple[str, ...] = field(default=(), compare=False)  # what a plan says of a SELECT
    declared_by: str = "table"  # the call whose settings these are; of a join "join" or "owner"

    def joined(self, *joins: Join) -> "Table":
        """Return the same table, with each row joined to the rows of other private tables.

        Args:
            joins: a second table of the same units (`discreet.join`), or a table of the rows'
                owners (`discreet.owner`). discreet limits the rows of a unit after the join.

        Returns: a new table; this one stays as it is.

        Raises:
            InputError: one unit could move the rows of others.

        Example:
            >>> visits = dp.table("visits.csv", unit=dp.unit("person", max_rows=9))
            >>> joined = visits.joined(dp.join("people.csv", gives=["sex"]))
        """
        all_joins = checked_joins((*self.joins, *joins), self.unit, self.unknown, self.csv)
        refuse_one_source(self.name, (self.source, self.part), all_joins)
        if self.source is not None and self.named:
            refuse_one_name(self.name, all_joins)
        joined = replace(
            self, joins=all_joins, facts=self.facts.of_joined() if all_joins else self.facts
        )
        return _apart(joined) if self.lists else joined

    def where(self, condition: str) -> "Table":
        """Return the same table with a condition: a row counts if the condition is true.

        discreet looks at each row by itself, before it limits the rows of a unit. If the condition
        is unknown, because a cell is missing, the row does not count. AND joins a second condition.

        Args:
            condition: a text in the language of docs/rows.md, such as "age >= 18 AND state = 'MA'".

        Returns: a new table; this one stays as it is.

        Raises:
            InputError: the condition is not of the language; the message marks the place.

        Example: of the table in `help(discreet.Release)`.

            >>> women = people.where("sex = 'f'")
        """
        return replace(self, condition=condition_of(self, both(self, condition)))

    def derive(self, columns: Mapping[str, Derived] | None = None, /, **named: Derived) -> "Table":
        """Return the same table with columns that expressions make of each row.

        Args:
            columns: the new columns by name, in a dict; a name in this dict may be any text.
            named: columns as options: `decade=dp.derived("floor(age / 10)", keys=range(2, 10))`.
                Each column sees the columns before it.

        Returns: a new table; this one stays as it is.

        Raises:
            InputError: the table has this column already, or discreet refuses an expression.

        Example: of the table in `help(discreet.Release)`.

            >>> named = people.derive(female=dp.derived("sex = 'f'"))
        """
        extended = self
        for name, column in {**by_column("derive", columns, _DERIVED), **named}.items():
            formula = formula_of(extended, name, column)
            ranges, keys = split({name: column})
            extended = replace(
                extended,
                columns=MappingProxyType({**extended.columns, **ranges}),
                keys=MappingProxyType({**extended.keys, **keys}),
                derived=MappingProxyType({**extended.derived, name: formula}),
            )
            if column.listed is not None:
                lists = MappingProxyType({**extended.lists, name: column.listed})
                extended = _apart(replace(extended, lists=lists))
        return extended

    def made(self, column: str) -> Typed | None:
        """Return what is made of each row under this name; None for a column of the data."""
        declared: Formula | Unknown | None = self.derived.get(column) or self.unknown.get(column)
        return None if declared is None else declared.tree

    @property
    def trees(self) -> dict[str, Typed]:
        """All that is made of each row, by name."""
        return {n: tree for n in (*self.derived, *self.unknown) if (tree := self.made(n))}

    def csv_of(self, column: str) -> CsvOptions:
        """How CSV cells of a column are written: as in its table, or in its own way."""
        own = next((join.csv for join in self.joins if column in join.gives), None)
        return (own or self.csv).of(column)

    def groups(self, by: Sequence[str]) -> int:
        """Return how many groups the public keys of these columns make."""
        return prod([len(self.keys[column]) for column in by])

    def most_groups(self, by: Sequence[str]) -> int:
        """Return the same, but without end where keys are unknown: what a unit can do is counted
        before they are found, and never depends on how many are."""
        return prod([_UNENDING if c in self.unknown else len(self.keys[c]) for c in by])

    def with_keys(self, column: str, keys: Sequence[Key]) -> "Table":
        """Return the declaration with the keys that were found of an unknown column."""
        listed = (*keys, self.unknown[column].other)
        return replace(self, keys=MappingProxyType({**self.keys, column: listed}))

    def without_found(self) -> "Table":
        """Return the declaration as it was before keys were found."""
        none = dict.fromkeys(self.unknown, ())
        return replace(self, keys=MappingProxyType({**self.keys, **none}))

    def listed(self, column: str) -> tuple[Key, ...]:
        """Return the keys that cells are compared with: without those of rows of no value."""
        named = (column in self.others) + (column in self.missing)
        return self.keys[column][: len(self.keys[column]) - named]

    def texts(self, column: str) -> list[tuple[str, int]]:
        """Return how cells say the keys of a column that is spelled: each text, and its place."""
        pairs = zip(self.listed(column), self.spelled[column], strict=True)
        return [
            (str(text), place)
            for place, (name, others) in enumerate(pairs)
            for text in (name, *others)
        ]

    def spelled_words(self) -> Iterator[str]:
        """Return in one sentence a column how cells say its keys; nothing where in one way."""
        for name, spellings in self.spelled.items():
            pairs = zip(self.listed(name), spellings, strict=True)
            words = [f"{key} ({', '.join(ways)})" for key, ways in pairs if ways]
            if words:
                also = listed(words, _KEYS_SHOWN)
                yield f"Keys of {name} that are also written otherwise: {also}."

    def lists_words(self) -> Iterator[str]:
        """Return in one sentence a column which file lists its keys."""
        for name, of in self.lists.items():
            yield of.words(name, len(self.listed(name)))

    def plain(self, asked: Iterable[Typed] = ()) -> dict[str, object]:
        """Return the declaration as plain data, without the source.

        Args:
            asked: the conditions of questions, of which is said as what they read a column.
        """
        plain: dict[str, object] = {
            "name": self.name,
            "unit": self.unit.plain(),
            "neighbors": self.neighbors,
            "columns": {
                name: bounds.plain()
                for name, bounds in self.columns.items()
                if name not in self.derived
            },
            "keys": {
                name: list(values) for name, values in self.keys.items() if name not in self.derived
            },
        }
        more: dict[str, object] = {
            "unknown": {name: declared.plain() for name, declared in self.unknown.items()},
            "others": sorted(self.others),
            "missing": sorted(self.missing),
            "spelled": {n: [list(spellings) for spellings in of] for n, of in self.spelled.items()},
            "joins": [join.plain() for join in self.joins],
            "derive": plain_of(self) if self.derived else [],
            "where": self.condition and self.condition.expression.text,
            "csv": {} if self.csv is DEFAULT else self.csv.plain(),
            "read": how_read(self, asked),
            "lists": {name: of.plain() for name, of in self.lists.items()} if self.lists else {},
            "table": self.part,
            "vouched": self.vouched,
            "facts": {} if self.facts == NO_FACTS else self.facts.plain(),
        }
        return {**plain, **{name: part for name, part in more.items() if part}}

    def sheet(self) -> Sheet:
        """Return the declaration as a table for people."""
        from .table_sheet import sheet_of

        return sheet_of(self)

    def __str__(self) -> str:
        return self.sheet().text()

    def __repr__(self) -> str:
        from .table_call import table_call

        used = listed((*self.columns, *self.keys), _KEYS_SHOWN) or "no columns"
        return table_call(self, prompt("Table", f"{self.name}: {used}; unit {self.unit}"))

    def _repr_html_(self) -> str:
        return self.sheet().html()


def table(  # noqa: PLR0913 - one keyword for each thing that is declared
    source: object,
    *,
    unit: Unit | str,
    columns: Mapping[str, Bounds] | None = None,
    keys: Mapping[str, Iterable[object] | Mapping[str, Iterable[object]] | Unknown | WithOther]
    | None = None,
    neighbors: str = "add_remove",
    name: str | None = None,
    table: str | None = None,
    csv: Mapping[str, object] | None = None,
    vouched: str | None = None,
    rows: int | None = None,
    units: int | None = None,
) -> Table:
    """Declare a table: the source of the data, the protected unit, and public facts.

    `table` reads nothing. A missing cell, which is not a number, text, day or truth value, enters
    no sum or mean (docs/cells.md). A row without a unit does not count.

    Args:
        source: a path of files, a glob, a folder, or a list of paths: CSV, Parquet, Arrow, ORC,
            Avro, JSON lines, Excel, SPSS, Stata, SAS, SQLite, DuckDB; a DuckDB or Postgres
            connection (then `name` is the table in it); a DuckDB relation; a frame of pandas,
            Polars, PyArrow, Spark, or with the Arrow stream interface; a list of dicts.
        unit: "row", or `discreet.unit(column, max_rows=...)`.
        columns: the public bounds of each column of numbers, days or moments used.
        keys: the public values of each column that you group by: groups never come from the data.
            Keys match by value: 1 matches 1.0, True and the text "01", and a day matches its
            moments in UTC. List all spellings of a key in a dict: {"yes": ["Yes", "YES", "1"],
            "no": ["No"]}. `discreet.keys(..., other="other", missing="none")` adds groups for other
            rows and for missing cells. `discreet.unknown(max_groups=...)` finds keys, at a price.
        neighbors: "add_remove" (one unit more or less) or "replace" (one unit exchanged).
        name: the data's name in releases; by default the file's. Other sources need a name.
        table: the sheet or table to read, if the file is a workbook or database with several.
        csv: options for cells of text in an unusual form, for example
            {"decimal": ",", "encoding": "latin-1", "columns": {"age": {"missing": [-9, 99]}}}.
        vouched: your sentence on a view, a relation or a lazy frame whose query does not show how
            it makes rows: why each row is made of one row of one unit. Releases repeat it.
        rows, units: the number of rows or of units, if it is public; discreet never looks it up.

    Returns: the declaration. `print` shows the public facts of each column.

    Raises:
        InputError: a part of the declaration is wrong, or discreet cannot keep it.

    Example:
        >>> print(dp.table("people.csv", unit="row", keys={"ward": ["A", "B"]}))
        Table people.csv, as declared. Nothing has been read.
        Unit: one row. Neighbors: add_remove.
        ...
    """
    relation = checked_neighbors(neighbors)
    declared = checked_columns(columns)
    public = {
        n: with_spellings(n, one) if isinstance(one, Mapping) else one
        for n, one in by_column("keys", keys, ["?", "?"]).items()
    }
    own = name_of(source, table)
    named = {n: one for n, one in public.items() if isinstance(one, WithOther)}
    has_unknown = any(isinstance(one, Unknown) for one in public.values())
    declaration = Table(
        source=source,
        name=(own or "table") if name is None else checked_name(name),
        named=bool(name or own),
        unit=checked_unit(unit),
        columns=MappingProxyType(declared),
        keys=MappingProxyType(
            {
                name: keys_of(name, argument)
                if isinstance(argument, Unknown)
                else checked_keys(name, argument)
                for name, argument in public.items()
            }
        ),
        others=frozenset(n for n, one in named.items() if one.has_other),
        missing=frozenset(n for n, one in named.items() if one.has_missing),
        spelled=MappingProxyType({n: one.spellings for n, one in named.items() if one.spellings}),
        unknown=unknown_in(public) if has_unknown else MappingProxyType({}),
        neighbors=relation,
        part=None if table is None else checked_part(source, table),
        csv=DEFAULT if csv is None else check_csv(source, csv_options(csv)),
        vouched=None if vouched is None else checked_words(vouched),
        facts=facts_of(rows, units, checked_unit(unit)),
    )
    return _listed(declaration, named) if named else declaration


def _listed(declaration: Table, named: Mapping[str, WithOther]) -> Table:
    """Return a declaration with the files that list its keys, none of which is its data."""
    lists = {name: of.listed for name, of in named.items() if of.listed is not None}
    return _apart(replace(declaration, lists=MappingProxyType(lists))) if lists else declaration


def _with_lists(declaration: Table, plain: Mapping[str, Any]) -> Table:
    """Return a declaration with the files that listed its keys, as `Table.plain()` wrote them."""
    from .public_list import list_of_plain

    lists = MappingProxyType({name: list_of_plain(of) for name, of in plain.items()})
    return replace(declaration, lists=lists)


def _apart(declaration: Table) -> Table:
    """Return a declaration of which no list of keys lies in its data, or raise InputError."""
    from .public_list import refuse_lists

    refuse_lists(declaration)
    return declaration


def table_of(plain: Mapping[str, Any], source: object = None) -> Table:
    """Return the declaration that `Table.plain()` wrote."""
    who = plain["unit"]
    unknown = {name: unknown_of(entry) for name, entry in plain.get("unknown", {}).items()}
    missing, others = plain.get("missing", []), plain.get("others", [])
    spelled = {n: tuple(map(tuple, of)) for n, of in plain.get("spelled", {}).items()}
    named = {
        name: WithOther(
            tuple(plain["keys"][name]), name in missing, name in others, spelled.get(name, ())
        )
        for name in {*missing, *others, *spelled}
    }
    declaration = table(
        source,
        unit=ROW if who["column"] is None else unit_of(who),
        columns={name: bounds_of_plain(ends) for name, ends in plain["columns"].items()},
        keys={**plain["keys"], **unknown, **named},
        neighbors=plain["neighbors"],
        name=plain["name"],
        table=plain.get("table"),
        csv=plain.get("csv"),
        vouched=plain.get("vouched"),
    )
    if "joins" in plain:
        declaration = declaration.joined(*joins_of(plain["joins"]))
    names = (declaration.name, *(join.name for join in declaration.joins))
    read = read_as_of(plain.get("read", {}), names)
    declaration = replace(
        declaration, facts=facts_of_plain(plain.get("facts", {}), declaration.unit), read_as=read
    )
    declaration = _with_lists(declaration, plain["lists"]) if "lists" in plain else declaration
    for column in plain.get("derive", ()):
        public = bounds_of_plain(column["bounds"]) if "bounds" in column else None
        made = derived(column["expression"], bounds=public, keys=column.get("keys"))
        declaration = declaration.derive({column["name"]: made})
    declaration = declaration.where(plain["where"]) if "where" in plain else declaration
    for name in unknown:  # last: what an expression makes of a column must not hang on them
        if plain["keys"][name]:
            *keys, _other = checked_keys(name, plain["keys"][name])
            declaration = declaration.with_keys(name, keys)
    return declaration


def protection(table: Table) -> str:
    """Return one sentence: who is protected, against what."""
    relation = f"whether it is in the table{'s' if table.joins else ''} at all"
    if table.neighbors == "replace":
        units, unit = table.facts.units, "unit" if table.unit.column else "row"
        relation = "what it says, among "
        relation += "as many units" if units is None else f"{units:,} {unit}s"
    together = f" {protected_together(table.name, table.joins)}" if table.joins else ""
    return f"Protected: {table.unit}, and {relation} (neighbors: {table.neighbors}).{together}"
