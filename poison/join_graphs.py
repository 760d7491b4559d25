"""Random graphs of joined tables, and one unit more, with any rows in any of its tables.

A graph is made by one choice of each production; all combinations are tried, so that each pair
occurs. What a unit brings follows from the graph: its rows in every table that names it, and, of
facts that name no unit, those that only its own rows refer to.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

import discreet as dp

from .cases import Share
from .harness import Found, compared, outcome
from .sources import Made

Row = dict[str, object]
PRODUCTIONS = {  # each: what it may be
    "facts": ("name no unit", "name the unit", "name the unit pid"),
    "owner": (
        "a table of its own",
        "the facts",
        "the facts renamed",
        "a slice of the facts",
        "none",
    ),
    "second": ("none", "a table of its own", "the facts", "the owners"),
    "gives": ("the unit", "the unit and a column of the facts"),
    "limits": ("rows", "rows and groups", "one row"),
    "read": ("all", "where", "derived"),
    "source": ("memory", "arrow", "pandas", "csv", "parquet", "duckdb"),
}
PEOPLE = [f"p{n}" for n in range(8)]
HOMES = [f"h{n}" for n in range(3)]
NEW = "ann"


@dataclass(frozen=True)
class Graph:
    """One choice of each production, and the seed of its rows."""

    facts: str
    owner: str
    second: str
    gives: str
    limits: str
    read: str
    source: str
    seed: int = 0

    @property
    def is_owned(self) -> bool:
        return self.owner != "none"

    @property
    def unit(self) -> str:
        """What the facts call the unit, where they name one."""
        renamed = self.facts == "name the unit pid" or "renamed" in self.owner
        return "pid" if renamed else "u"

    def facts_name_units(self) -> bool:
        return self.facts != "name no unit" or not self.is_owned or self.is_one_source()

    def is_one_source(self) -> bool:
        """Tell whether a row of a unit in another table is a row of the facts, too.

        Of files and lists, facts with other names are a copy: another source, as the plan says.
        """
        is_copy = "renamed" in self.owner and self.source in ("memory", "csv", "parquet")
        return ("facts" in self.owner and not is_copy) or self.second == "the facts"

    def world(self) -> dict[str, list[Row]]:
        chance = Random(self.seed)
        facts = [self._fact(chance, chance.choice(PEOPLE)) for _ in range(40)]
        owners = [{"u": who, "home": chance.choice(HOMES), "c": "x"} for who in PEOPLE]
        second = [{"u": who, "w": chance.randrange(10)} for who in PEOPLE for _ in range(2)]
        return {"facts": facts, "owners": owners, "second": second}

    def more(self, world: dict[str, list[Row]]) -> dict[str, list[Row]]:
        """Return the world with one unit more."""
        chance = Random(self.seed + 1)
        owners = [{"u": NEW, "home": chance.choice([*HOMES, "hx"]), "c": "x"} for _ in range(3)]
        second = [{"u": NEW, "w": 9} for _ in range(3)]
        facts = [{**self._fact(chance, NEW), "v": 9} for _ in range(3)]
        if self.is_owned and not self.is_one_source():
            facts = [{**row, "home": "hx"} for row in facts]  # those that only its rows refer to
        more = {"facts": facts, "owners": owners, "second": second}
        return {name: [*rows, *more[name]] for name, rows in world.items()}

    def _fact(self, chance: Random, who: str) -> Row:
        row: Row = {
            "home": chance.choice(HOMES),
            "k": chance.choice("AB"),
            "v": chance.randrange(10),
        }
        return {self.unit: who, **row} if self.facts_name_units() else row


def join_graphs(share: Share) -> Iterator[Found]:
    """Every combination of the productions: with one unit more, nothing moves too far."""
    for number, choice in enumerate(product(*PRODUCTIONS.values())):
        graph = Graph(*choice, seed=number)
        case = ", ".join(choice)
        if (not graph.is_owned and graph.second == "none") or not share.has(case):
            continue
        world = graph.world()
        before = outcome(partial(_made, graph, world), Joined(graph))
        after = outcome(partial(_made, graph, graph.more(world)), Joined(graph))
        yield from compared("a join reaches another unit", f"{number}: {case}", before, after)


@dataclass(frozen=True)
class Joined:
    """The declaration of a graph."""

    graph: Graph

    def table(self, made: Made) -> Any:
        source, how = made
        graph = self.graph
        extra = ["v"] if graph.gives.endswith("facts") else []
        joins = []
        if graph.is_owned:
            key = "home"
            gives = ["u", *extra] if how["owner"] is not None else []
            joins.append(
                dp.owner(how["owner"], name=how["owner name"], on="home", key=key, gives=gives)
            )
        if graph.second != "none":
            given = {"the facts": "w", "the owners": "c"}.get(graph.second, "w")
            key = graph.unit if graph.second == "the facts" else "u"
            joins.append(dp.join(how["second"], name=how["second name"], key=key, gives=[given]))
        found = dp.table(
            source,
            name="facts",
            unit=dp.unit("u", max_rows=1 if graph.limits == "one row" else 2),
            columns={"v": dp.bounds(0, 9, step=1), "w": dp.bounds(0, 9, step=1)},
            keys={"k": ["A", "B"]},
        ).joined(*joins)
        if graph.read == "where":
            return found.where("v > 2")
        return (
            found
            if graph.read == "all"
            else found.derive(x=dp.derived("v * 2", bounds=dp.bounds(0, 18)))
        )

    def asked(self, table: Any) -> tuple[Any, ...]:
        limits = {"max_groups": 1, "max_rows_per_group": 1} if "groups" in self.graph.limits else {}
        some = [
            dp.count("k", **limits),
            dp.sum("v", "k", **limits),
            dp.count_units("k", max_groups=1),
        ]
        some += [dp.sum("x")] if self.graph.read == "derived" else []
        return tuple(a for one in some for a in one.aggregates(table))


def _made(graph: Graph, world: dict[str, list[Row]], folder: Path) -> Made:
    """Return the facts as a source, and the other tables beside it."""
    facts, owners, second = (world[name] for name in ("facts", "owners", "second"))
    if graph.is_one_source() and "facts" in graph.owner:
        owners = [{"u": row[graph.unit], **row} for row in facts]
    if graph.source == "memory":
        return _of_lists(graph, facts, owners, second)
    tables = {
        name: _table(rows)
        for name, rows in (("facts", facts), ("owners", owners), ("second", second))
    }
    if graph.source == "duckdb":
        return _of_connection(graph, tables)
    make = MAKERS[graph.source]
    made = {name: make(table, folder / name) for name, table in tables.items()}
    shared = {"the facts": made["facts"], "a slice of the facts": _again(made["facts"], folder)}
    if graph.source in ("arrow", "pandas"):
        shared["the facts renamed"] = _renamed(made["facts"], graph.unit)
    how = {
        "owner": shared.get(graph.owner, made["owners"]),
        "owner name": "owners",
        "second": {"the facts": made["facts"], "the owners": made["owners"]}.get(
            graph.second, made["second"]
        ),
        "second name": "second",
    }
    return made["facts"], how


def _again(facts: Any, folder: Path) -> Any:
    """Return the same source in another way: a slice, a link, another path."""
    if isinstance(facts, str):
        link = folder / f"again{Path(facts).suffix}"
        link.symlink_to(facts)
        return str(link)
    return facts.slice(0) if isinstance(facts, pa.Table) else facts[:]


def _renamed(facts: Any, unit: str) -> Any:
    if isinstance(facts, pa.Table):
        return facts.rename_columns(["u" if name == unit else name for name in facts.column_names])
    return facts.rename(columns={unit: "u"})


def _of_lists(graph: Graph, facts: list[Row], owners: list[Row], second: list[Row]) -> Made:
    same = {"the facts": facts, "a slice of the facts": facts[:]}
    how = {
        "owner": same.get(graph.owner, owners),
        "owner name": "owners",
        "second": {"the facts": facts, "the owners": owners}.get(graph.second, second),
        "second name": "second",
    }
    return facts, how


def _of_connection(graph: Graph, tables: dict[str, pa.Table]) -> Made:
    import duckdb

    connection = duckdb.connect()
    for name, table in tables.items():
        connection.register("made", table)
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM made")
        connection.unregister("made")
    if graph.owner not in ("a table of its own", "none"):
        connection.execute("DROP TABLE owners")
        connection.execute(
            f"CREATE VIEW owners AS SELECT *, {graph.unit} AS u FROM facts"
            if graph.unit != "u"
            else "CREATE VIEW owners AS SELECT * FROM facts"
        )
    names = {"the facts": "facts", "the owners": "owners"}
    how = {
        "owner": connection,
        "owner name": "facts" if graph.owner == "the facts" and graph.unit == "u" else "owners",
        "second": connection,
        "second name": names.get(graph.second, "second"),
    }
    return connection, how


def _table(rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist(rows)


def _written(write: Callable[..., None], end: str, table: pa.Table, path: Path) -> str:
    name = f"{path}{end}"
    write(table, name)
    return name


MAKERS: dict[str, Callable[[pa.Table, Path], Any]] = {
    "arrow": lambda table, _: table,
    "pandas": lambda table, _: table.to_pandas(),
    "csv": partial(_written, csv.write_csv, ".csv"),
    "parquet": partial(_written, parquet.write_table, ".parquet"),
}
