"""Files as people's programs export them: every row counts, or the plan says which kind would not.

53 ways of eight programs, ten tables each. What R, Excel and LibreOffice write is made by the form
that they document: none of them is needed here.
"""

import csv
import io
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc

import discreet as dp
from discreet.engine.select_engine import engine_for

from .cases import Share
from .harness import Found

Row = dict[str, Any]
Write = Callable[[Sequence[Row], Path], None]

TABLES, STEP = 10, "0.25"
NAMES = ("u", "k", "v", "c")
KEYS = [
    'say "hi"',
    "a,b",
    "a;b",
    " x ",
    "Zürich",
    '2,5" pipe',
    "'s",
    "tab\there",
    "NA",
    "a|b",
    '"',
    "ключ",
]
NOTES = [
    *KEYS,
    "",
    "plain",
    '""',
    '",',
    "a, b",
    "x" * 60,
    "\\",
    "it's 5\"",
    "1,5",
    "=1+1",
    "\u00a0",
    "日本",
]
BROKEN = ["two\nlines", "two\r\nlines", 'a "b"\n, c', "\n", "x\n\ny", "end\n", "cr\ralone"]
VALUES = [0.0, 0.25, 1.5, 12.75, 1234.5, 9999.0]


@dataclass(frozen=True)
class Export:
    """A way to write a table.

    Attributes:
        write: writes the rows to a path.
        says: the options that a person would declare of it.
        end: what ends its lines.
        bare: the separator, where no cell stands between quotation marks.
        encoding: what its letters must be in.
        headless: whether its lines have a cell that the header does not name.
        group: the sign between thousands that nobody declared.
    """

    write: Write
    says: Mapping[str, Any] = field(default_factory=dict)
    end: str = "\n"
    bare: str = ""
    encoding: str = "utf-8"
    headless: bool = False
    group: str = ""

    def reads(self, key: str) -> bool:
        """Say whether a key is read: its letters are ASCII, or their encoding is declared."""
        is_told = self.encoding.startswith("utf-8") or "encoding" in self.says
        return is_told or key.isascii()

    def counts(self, value: float) -> bool:
        """Say whether a number is read: it has no sign that nobody declared."""
        return not self.group or value < 1000


def rows_of(number: int, export: Export) -> list[Row]:
    """The rows of a table, of the letters that an export can write; every second has line breaks."""
    rnd = random.Random(number)
    notes = [*NOTES, *(BROKEN if number % 2 else [])]
    if export.bare:  # a line's first part would be a row, and a separator at its end no cell
        notes = [one for one in NOTES if one and not one.endswith(export.bare)]
    rows = []
    for place in range(rnd.randint(1, 40)):
        k, c = rnd.choice(KEYS), rnd.choice(notes)
        row = {"u": f"p{place}", "k": k, "v": rnd.choice(VALUES), "c": c}
        rows.append({name: _in(cell, export.encoding) for name, cell in row.items()})
    return rows


def _in(cell: Any, encoding: str) -> Any:
    return cell.encode(encoding, "replace").decode(encoding) if isinstance(cell, str) else cell


def is_whole(row: Row, export: Export) -> bool:
    """Say whether a row is one line with as many cells as the header: what the plan says is read."""
    texts = [cell for cell in row.values() if isinstance(cell, str)]
    is_line = export.says.get("multiline") or not any(export.end in one for one in texts)
    is_cut = export.bare and any(export.bare in one for one in texts)
    return bool(is_line and not is_cut and not export.headless)


def _number(value: float, point: str = ".", group: str = "") -> str:
    plain = f"{value:,g}" if group else f"{value:g}"
    return plain.replace(",", "G").replace(".", point).replace("G", group)


def by_csv(rows: Sequence[Row], path: Path, **how: Any) -> None:
    """Python's writer: as itself, and in the forms of Excel, LibreOffice and R."""
    how = {"lineterminator": "\n", "point": ".", "group": "", "before": "", "more": "", **how}
    point, group, before, more = (how.pop(name) for name in ("point", "group", "before", "more"))
    encoding, header = how.pop("encoding", "utf-8"), how.pop("header", True)
    text = io.StringIO(newline="")
    writer = csv.writer(text, **how)
    writer.writerow([*NAMES, *(more if header else "")])
    for row in rows:
        writer.writerow([row["u"], row["k"], _number(row["v"], point, group), row["c"], *more])
    path.write_bytes((before + text.getvalue()).encode(encoding))


def by_r(
    rows: Sequence[Row], path: Path, *, sep: str = ",", point: str = ".", first: str | None = '""'
) -> None:
    """R's write.csv, write.csv2 and write.table: texts and names quoted, names of rows before them."""
    lines = [sep.join([*([] if first is None else [first]), *(f'"{name}"' for name in NAMES)])]
    for place, row in enumerate(rows, 1):
        u, k, c = ('"' + row[name].replace('"', '""') + '"' for name in ("u", "k", "c"))
        lines.append(sep.join([f'"{place}"', u, k, _number(row["v"], point), c]))
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())


def by_pandas(rows: Sequence[Row], path: Path, **how: Any) -> None:
    """`DataFrame.to_csv`."""
    pd.DataFrame(list(rows), columns=[*NAMES]).to_csv(path, **{"index": False, **how})


def by_polars(rows: Sequence[Row], path: Path, **how: Any) -> None:
    """`DataFrame.write_csv`."""
    pl.DataFrame(list(rows)).write_csv(path, **how)


def by_arrow(rows: Sequence[Row], path: Path, **how: Any) -> None:
    """`pyarrow.csv.write_csv`."""
    pc.write_csv(pa.Table.from_pylist(list(rows)), path, pc.WriteOptions(**how))


def by_duckdb(rows: Sequence[Row], path: Path, *, how: str = "") -> None:
    """`COPY ... TO`."""
    connection = duckdb.connect()
    connection.register("given", pa.Table.from_pylist(list(rows)))
    connection.execute(f"COPY (SELECT * FROM given) TO '{path}' (HEADER true, FORMAT csv{how})")


_CRLF, _BOM, _ALL = (
    {"lineterminator": "\r\n"},
    {"encoding": "utf-8-sig"},
    {"quoting": csv.QUOTE_ALL},
)
_COMMA, _POINT, _MANY = {"decimal": ","}, {"decimal": "."}, {"multiline": True}
_ANSI = {"encoding": "windows-1252"}
_ENDS = {"LF": {"lineterminator": "\n"}, "CR LF": _CRLF}
_SIGNS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}


def _of_csv(says: Mapping[str, Any] | None = None, **how: Any) -> Export:
    end, encoding = how.get("lineterminator", "\n"), how.get("encoding", "utf-8")
    return Export(partial(by_csv, **how), says or {}, end, encoding=encoding)


def _of(write: Any, says: Mapping[str, Any] | None = None, **how: Any) -> Export:
    end = how.get("lineterminator", how.get("line_terminator", "\n"))
    return Export(partial(write, **how), says or {}, end, encoding=how.get("encoding", "utf-8"))


EXPORTS: dict[str, Export] = {
    **{
        f"csv, {sign}, {end}, {quoting}": _of_csv(
            _COMMA if sign == "semicolon" else None,
            delimiter=_SIGNS[sign], point="," if sign == "semicolon" else ".",
            quoting=getattr(csv, f"QUOTE_{quoting}"), **_ENDS[end],
        )
        for sign in _SIGNS for end in _ENDS for quoting in ("MINIMAL", "ALL")
    },
    "csv, apostrophes": _of_csv({"quote": "'"}, quotechar="'"),
    "csv, apostrophes, CR LF": _of_csv({"quote": "'"}, quotechar="'", **_CRLF),
    "csv, several lines": _of_csv(_MANY),
    "csv, several lines, CR LF": _of_csv(_MANY, **_CRLF, **_ALL),
    "csv, a separator behind the lines": replace(_of_csv(more=[""], header=False), headless=True),
    "csv, two of them": replace(_of_csv(more=["", ""], header=False, **_CRLF), headless=True),
    "csv, one behind the header too": _of_csv(more=[""]),
    "pandas": _of(by_pandas),
    "pandas, CR LF": _of(by_pandas, **_CRLF),
    "pandas, semicolons": _of(by_pandas, _COMMA, sep=";", decimal=","),
    "pandas, all quoted": _of(by_pandas, **_ALL),
    "pandas, texts quoted": _of(by_pandas, quoting=csv.QUOTE_NONNUMERIC),
    "pandas, index": _of(by_pandas, index=True),
    "pandas, a mark of order": _of(by_pandas, **_BOM),
    "pandas, windows-1252": _of(by_pandas, _ANSI, encoding="cp1252"),
    "pandas, windows-1252, unsaid": _of(by_pandas, encoding="cp1252"),
    "csv, thousands, unsaid": replace(_of_csv(group=","), group=","),
    "pandas, several lines": _of(by_pandas, _MANY),
    "polars": _of(by_polars),
    "polars, all quoted": _of(by_polars, quote_style="always"),
    "polars, texts quoted": _of(by_polars, quote_style="non_numeric"),
    "polars, semicolons": _of(by_polars, _COMMA, separator=";", decimal_comma=True),
    "polars, CR LF, a mark of order": _of(by_polars, line_terminator="\r\n", include_bom=True),
    "polars, no quotes": Export(partial(by_polars, quote_style="never"), {"quote": ""}, bare=","),
    "pyarrow": _of(by_arrow),
    "pyarrow, all quoted, tabs": _of(by_arrow, quoting_style="all_valid", delimiter="\t"),
    "pyarrow, semicolons": _of(by_arrow, _POINT, delimiter=";"),
    "duckdb": _of(by_duckdb),
    "duckdb, semicolons": _of(by_duckdb, _POINT, how=", DELIM ';'"),
    "duckdb, all quoted": _of(by_duckdb, how=", FORCE_QUOTE *"),
    "R, write.csv": _of(by_r),
    "R, write.csv2": _of(by_r, _COMMA, sep=";", point=","),
    "R, write.table": Export(partial(by_r, first=None), headless=True),
    "Excel, CSV": _of_csv(_ANSI, encoding="cp1252", **_CRLF),
    "Excel, CSV UTF-8": _of_csv(**_BOM, **_CRLF),
    "Excel, CSV of a German one": _of_csv(
        {**_ANSI, **_COMMA, "thousands": "."}, encoding="cp1252", delimiter=";", point=",", group=".", **_CRLF
    ),
    "Excel, sep=;": _of_csv(_COMMA, before="sep=;\r\n", delimiter=";", point=",", **_CRLF),
    "Excel, Unicode text": _of_csv({"encoding": "utf-16"}, encoding="utf-16", delimiter="\t", **_CRLF),
    "LibreOffice, texts quoted": _of_csv(quoting=csv.QUOTE_NONNUMERIC),
}  # fmt: skip


def exports(share: Share) -> Iterator[Found]:
    """Every file of which a row is not counted, and the plan does not say its kind."""
    for name, export in EXPORTS.items():
        for number in range(TABLES):
            case = f"{name}, table {number}"
            if share.has(case):
                try:
                    yield from _compared(case, rows_of(number, export), export)
                except Exception as error:
                    yield Found("L", case, f"{type(error).__name__}: {error}"[:300])


def _compared(case: str, rows: list[Row], export: Export) -> Iterator[Found]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        export.write(rows, path)
        keys = [*dict.fromkeys(row["k"] for row in rows)]
        table = dp.table(
            path, unit="row", columns={"v": dp.bounds(0, 10_000, step=STEP)}, keys={"k": keys},
            csv=export.says,
        )  # fmt: skip
        asked = (dp.count(), dp.count("k"), dp.sum("v"))
        aggregates = tuple(one for question in asked for one in question.aggregates(table))
        vectors = engine_for(path).prepare(table, aggregates).count(1)
        found = [vector.opened_by_the_door() for vector in vectors]
        said = " ".join(str(dp.plan(table, *asked, spend=dp.zcdp(1))).split())
    whole = [row for row in rows if is_whole(row, export)]
    by_key = Counter(row["k"] for row in whole if export.reads(row["k"]))
    total = sum(int(row["v"] * 4) for row in whole if export.counts(row["v"]))
    wanted = [(len(whole),), tuple(by_key[key] for key in keys), (total,)]
    if found != wanted:
        yield Found("L", case, f"counted {found}, wanted {wanted}")
    by_cells = export.bare or export.headless
    words = "as many cells as the first line" if by_cells else "no line break in a cell unless"
    if len(whole) < len(rows) and words not in said:
        yield Found("L", case, f"{len(rows) - len(whole)} rows are lost, and the plan is silent")
    if not all(map(export.reads, keys)) and "in a file of another encoding" not in said:
        yield Found("L", case, "keys are lost, and the plan is silent")
    if not all(export.counts(row["v"]) for row in whole) and "numbers as 1234.5:" not in said:
        yield Found("L", case, "numbers are lost, and the plan is silent")
