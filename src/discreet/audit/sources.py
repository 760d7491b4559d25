"""Made-up rows where an engine reads them: lists, private CSV files, tables of a server.

Rules of this module:
- one made-up table of a plan is one source, also where two tables of the plan are it;
- what a database is asked to make is temporary, and of made-up rows.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from ..schema import Table
from ..schema.csv_options import DEFAULT, CsvOptions
from .cells import Cell
from .worlds import Layout, MadeRow, World

ENGINES = ("memory", "duckdb", "postgres", "spark")
Place = Callable[[Layout, World, Callable[[Sequence[MadeRow]], Sequence[MadeRow]]], Table]
_NOTHING = "nothing"  # the column of a table of which no column is read


def as_they_are(rows: Sequence[MadeRow]) -> Sequence[MadeRow]:
    """Return rows in their order."""
    return rows


def turned(rows: Sequence[MadeRow]) -> Sequence[MadeRow]:
    """Return rows in another order."""
    half = len(rows) // 2
    return [*rows[half:][::-1], *rows[:half]]


@contextmanager
def placed(engine: str, address: str = "") -> Iterator[Place]:
    """Yield what puts made-up rows where an engine reads them, and returns the table over them."""
    if engine == "memory":
        yield _lists
    elif engine == "duckdb":
        with TemporaryDirectory(prefix="discreet-audit-") as folder:
            yield _Files(Path(folder)).place
    else:
        from .servers import on_server

        with on_server(engine, address) as place:
            yield place


def table_over(layout: Layout, sources: Sequence[object], how: CsvOptions = DEFAULT) -> Table:
    """Return the declaration over made-up sources, one for each spot."""
    table = layout.table
    first, *others = (sources[place] for place in layout.places)
    joins = tuple(
        replace(join, source=source, csv=None, part=None)
        for join, source in zip(table.joins, others, strict=True)
    )
    return replace(
        table,
        source=first,
        joins=joins,
        csv=how,
        part=None,
        lists=MappingProxyType({}),
        named=True,
        vouched=None,
    )


def _lists(
    layout: Layout, world: World, order: Callable[[Sequence[MadeRow]], Sequence[MadeRow]]
) -> Table:
    return table_over(layout, [[dict(row.cells) for row in order(rows)] for rows in world])


def names_of(layout: Layout, spot: int) -> list[str]:
    """Return the columns of a made-up table, each once."""
    of = layout.spots[spot]
    return list(dict.fromkeys([*of.units, *of.links, *of.columns])) or [_NOTHING]


class _Files:
    """CSV files of made-up rows, written as the plan says that its own are."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = 0

    def place(
        self, layout: Layout, world: World, order: Callable[[Sequence[MadeRow]], Sequence[MadeRow]]
    ) -> Table:
        """Write each table to a file, and return the declaration over them."""
        how = replace(layout.table.csv, fixed=(), separator=layout.table.csv.separator)
        self._number += 1
        folder, sources = self._folder / str(self._number % 8), []
        folder.mkdir(exist_ok=True)
        for spot, rows in enumerate(world):
            path = folder / f"table{spot}.csv"
            path.unlink(missing_ok=True)
            _write(path, names_of(layout, spot), order(rows), how)
            sources.append(str(path))
        return table_over(layout, sources, how)


def _write(path: Path, names: Sequence[str], rows: Sequence[MadeRow], how: CsvOptions) -> None:
    sign = how.separator or ","
    with path.open("w", newline="", encoding=how.encoding, errors="replace") as file:
        writer = csv.writer(
            file,
            delimiter=sign,
            quotechar=how.quote or None,
            quoting=csv.QUOTE_MINIMAL if how.quote else csv.QUOTE_NONE,
            lineterminator="\n",
            escapechar=None,
        )
        writer.writerow(names)
        for row in rows:
            cells = [row.cells.get(name, "x" if name == _NOTHING else None) for name in names]
            writer.writerow(
                [_cell(cell, how.of(n), sign) for n, cell in zip(names, cells, strict=True)]
            )


def _cell(cell: Cell, how: CsvOptions, sign: str) -> str:
    """Return a cell as the plan says that its files write it."""
    if cell is None:
        return how.missing[0] if how.missing else ""
    text = cell
    if how.point != "." and _is_number(text):
        text = text.replace(".", how.point)
    if how.days and (moment := _moment(text, "%Y-%m-%d")):
        text = moment.strftime(how.days)
    elif how.times and (moment := _moment(text, "%Y-%m-%d %H:%M:%S")):
        text = moment.strftime(how.times)
    return text if how.quote else text.replace(sign, " ")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _moment(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None
