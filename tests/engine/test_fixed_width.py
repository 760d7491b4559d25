"""Files of fixed width by a declared layout: the integers of the same table as Parquet."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.plans.plan import plan_of
from engine.sources import opened

FIXED = {"id": [1, 5], "age": [6, 8], "sex": 9, "name": [10, 17], "seen": [18, 27]}
CSV = {"fixed": FIXED, "columns": {"age": {"missing": [-9]}, "seen": {"days": "%d.%m.%Y"}}}
ROWS = [
    {"id": n, "age": None if n % 7 == 0 else n % 110, "sex": 1 + n % 2,
     "name": ["Müller", "é", None][n % 3], "seen": f"{1 + n % 28:02}.03.2024"}
    for n in range(400)
]  # fmt: skip


def line(row):
    age = -9 if row["age"] is None else row["age"]
    return f"{row['id']:05d}{age:3d}{row['sex']}{row['name'] or '':>8}{row['seen']}"


def text(rows, end="\n"):
    return "".join(line(row) + end for row in rows)


def declared(source, csv=None):
    return dp.table(
        source,
        unit=dp.unit("id", max_rows=1),
        columns={"age": dp.bounds(0, 110, step=1)},
        keys={"sex": [1, 2], "name": ["Müller", "é"]},
        csv=csv,
        name="people",
    )


def counted(table, *more):
    asked = [dp.count(by=["sex", "name"]), dp.sum("age", by="sex"), dp.count(where="age IS NULL")]
    asked += [dp.count(by="name", where="year(seen) = 2024 AND day(seen) < 9"), *more]
    aggregates = tuple(vector for one in asked for vector in one.aggregates(table))
    return opened(engine_for(table.source).prepare(table, aggregates).count(0))


def as_parquet(folder):
    rows = [{**row, "seen": f"2024-03-{row['seen'][:2]}"} for row in ROWS]
    columns = {name: [row[name] for row in rows] for name in FIXED}
    columns["seen"] = pa.array(columns["seen"]).cast(pa.date32())
    pq.write_table(pa.table(columns), folder / "people.parquet")
    return declared(str(folder / "people.parquet"))


@pytest.mark.claim("C483")
@pytest.mark.parametrize(
    ("name", "encoding", "end"),
    [
        ("people.dat", "utf-8", "\n"),
        ("people.txt", "utf-8", "\r\n"),
        ("people.asc", "latin-1", "\n"),
        ("people.fwf", "utf-16", "\n"),
        ("people.txt.gz", "utf-8", "\n"),
        ("people.prn", "utf-8-sig", "\n"),
    ],
)
def test_it_counts_as_the_same_table_does_as_parquet(name, encoding, end, tmp_path):
    """Whatever its encoding and its line ends; with a missing code and days in their own form."""
    data = text(ROWS, end).encode(encoding)
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    csv = CSV if encoding.startswith("utf-8") else {**CSV, "encoding": encoding}

    found = counted(declared(str(tmp_path / name), csv))

    assert found == counted(as_parquet(tmp_path))
    assert all(map(any, found))


def _planned(path):
    """The plan of a plan file."""
    return read_plan_file(path).plan


@pytest.mark.claim("C483")
def test_init_drafts_nothing_of_a_file_that_names_no_columns(tmp_path, capsys):
    """Its first line is somebody's row: it is not shown, and no plan is written."""
    (tmp_path / "p.dat").write_text(text(ROWS), encoding="utf-8")

    assert main(["init", str(tmp_path / "p.dat")]) == 2
    said = capsys.readouterr()
    assert "names no columns" in said.err
    assert "00000" not in said.err + said.out
    assert [path.name for path in tmp_path.iterdir()] == ["p.dat"]


STRANGE = {
    "empty": b"",
    "blanks": b" " * 40,
    "short": b"00007 12",
    "cut within a letter": "00007 121      M\u00fc".encode()[:-1],
    "a quotation mark": b'00007 121"      "01.03.2024',
    "no UTF-8": b"\xff\xfe\x80\x0000007 121",
    "a carriage return": b"00007\r121 \r 0 1.03.2024\r",
    "NUL": bytes(40),
    "U+FFFD": "\ufffd\ufffd\ufffd\ufffd\ufffd".encode(),
    "long": b"x" * 3_000_000,
    "wide": ("\U0001f44d" * 30).encode(),
}


@pytest.mark.exhaustive
@pytest.mark.claim("C483")
@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize("place", [0, 1, 30])
def test_no_line_decides_how_another_one_is_read(strange, place, tmp_path):
    """One more line, first, among the others or last: all others count as they did."""
    lines = text(ROWS[:30]).encode().split(b"\n")[:-1]
    more = dp.count(by="id_", where="sex = 1 OR sex = 2")

    def found(held):
        (tmp_path / "p.dat").write_bytes(b"".join(one + b"\n" for one in held))
        keys = {"id_": dp.derived("id", keys=[n for n in range(30) if n != 7])}
        return counted(declared(str(tmp_path / "p.dat"), CSV).derive(**keys), more)[-1]

    assert found([*lines[:place], STRANGE[strange], *lines[place:]]) == found(lines)


@pytest.mark.claim("C483")
def test_a_layout_is_part_of_a_plan_in_python_and_in_a_file(tmp_path):
    """Written and read again it is the same; the plan says how rows and cells are told."""
    (tmp_path / "p.dat").write_text(text(ROWS), encoding="utf-8")
    (tmp_path / "p.toml").write_text(
        '[data]\nsource = "p.dat"\nunit = "row"\n[data.csv.fixed]\nage = [6, 8]\nsex = 9\n'
        "[data.csv.columns]\nage = { missing = [-9] }\n[columns.age]\nlower = 0\nupper = 110\n"
        "step = 1\n[keys]\nsex = [1, 2]\n"
        '[spend]\nrho = "1/50"\n[[ask]]\nstatistic = "mean"\ncolumn = "age"\nby = "sex"\n',
        encoding="utf-8",
    )
    table = dp.table(
        str(tmp_path / "p.dat"), unit="row", columns={"age": dp.bounds(0, 110, step=1)},
        keys={"sex": [1, 2]},
        csv={"fixed": {"age": [6, 8], "sex": 9}, "columns": {"age": {"missing": [-9]}}},
    )  # fmt: skip
    made = dp.plan(table, dp.mean("age", by="sex"), spend=dp.zcdp("1/50"))

    assert _planned(tmp_path / "p.toml").plain() == made.plain()
    assert plan_of(made.plain()).plain() == made.plain()
    assert made.plain()["table"]["csv"]["fixed"] == {"age": [6, 8], "sex": [9, 9]}
    assert "each line is a row" in " ".join(str(made).split())


@pytest.mark.claim("C483")
@pytest.mark.parametrize(
    ("csv", "fix"),
    [
        ({"fixed": {}}, '"fixed"'),
        ({"fixed": {"age": [3, 1]}}, '"fixed"'),
        ({"fixed": {"age": [0, 1]}}, '"fixed"'),
        ({"fixed": {"age": "1-3"}}, '"fixed"'),
        ({"fixed": {"age": [True, 3]}}, '"fixed"'),
        ({"fixed": {"age": [1, 3]}, "separator": ","}, "leave separator out"),
        ({"fixed": {"age": [1, 3]}, "multiline": True}, "leave multiline out"),
        ({"colspecs": {"age": [1, 3]}}, "leave colspecs out"),
    ],
)
def test_a_layout_that_says_no_places_is_refused(csv, fix):
    """Three lines, with what to type."""
    with pytest.raises(InputError) as told:
        dp.table("p.dat", unit="row", csv=csv)

    assert fix in str(told.value).splitlines()[2]


@pytest.mark.claim("C483")
def test_a_file_without_a_layout_is_refused_before_it_is_read(tmp_path):
    """And a column that the layout does not name; another source has names of its own."""
    (tmp_path / "p.dat").write_text(text(ROWS), encoding="utf-8")
    bare = dp.table(str(tmp_path / "p.dat"), unit="row")
    short = declared(str(tmp_path / "p.dat"), {"fixed": {"id": [1, 5], "age": [6, 8]}})

    with pytest.raises(InputError, match="names no columns"):
        engine_for(bare.source).prepare(bare, dp.count().aggregates(bare))
    with pytest.raises(InputError, match="does not say where name stands"):
        counted(short)
    with pytest.raises(InputError, match="no file of text"):
        dp.table([{"age": 1}], unit="row", name="p", csv={"fixed": {"age": 1}})


@pytest.mark.claim("C483")
def test_a_short_line_ends_where_it_ends(tmp_path):
    """Its last cell is what is there of it, and those behind are missing: nothing of the next line."""
    (tmp_path / "people.dat").write_text("12345\n7\n678\n9", encoding="utf-8")
    columns = {name: dp.bounds(0, 999, step=1) for name in ("a", "b")}
    table = dp.table(
        str(tmp_path / "people.dat"),
        unit="row",
        columns=columns,
        csv={"fixed": {"a": [1, 3], "b": [4, 5]}},
        name="people",
    )
    asked = [dp.sum("a"), dp.sum("b"), dp.count(where="b IS NULL")]
    aggregates = tuple(vector for each in asked for vector in each.aggregates(table))

    numbers = opened(engine_for(table.source).prepare(table, aggregates).count(0))

    assert [int(vector[0]) for vector in numbers] == [123 + 7 + 678 + 9, 45, 3]
