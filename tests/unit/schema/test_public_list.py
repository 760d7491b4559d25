"""Keys that a public file lists: read as text, hashed into the plan, refused where it is the data."""

import hashlib
import json
import os
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.schema import table_of
from engine.sources import opened

LIST = "zip;town\n02134;Allston\n02139;Cambridge\n99999;Nowhere\n"
KEYS = ("02134", "02139", "99999")
ROWS = "zip,x\n" + "".join(f"0213{n % 10},{n % 7}\n" for n in range(10))
PLAN = """[data]
source = {source}
unit = "row"
{more}[spend]
rho = "1/50"
[[ask]]
statistic = "count"
by = "zip"
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("zips.csv").write_text(LIST)
    Path("people.csv").write_text(ROWS)
    return tmp_path


def planned(source='"people.csv"', more='[keys]\nzip = { file = "zips.csv" }\n', name="p.toml"):
    Path(name).write_text(PLAN.format(source=source, more=more))
    return read_plan_file(Path(name)).plan


def listed(source="people.csv", **options):
    keys = dp.keys(file="zips.csv", column="zip", **options)
    table = dp.table(source, unit="row", keys={"zip": keys}, name="t")
    return dp.plan(table, dp.count(by="zip"), spend=dp.zcdp("1/50"))


@pytest.mark.claim("C450")
def test_a_list_in_a_file_is_the_list_that_it_says(here):
    """As text, in its order; in Python, in a plan file, and of a derived column alike."""
    typed = dp.table("people.csv", unit="row", keys={"zip": KEYS}, name="t")
    made = dp.table("people.csv", unit="row").derive(
        z=dp.derived("zip", keys=dp.keys(file="zips.csv", column="zip"))
    )

    assert listed().table == typed
    assert planned().table.keys == {"zip": KEYS}
    assert made.keys == {"z": KEYS}
    assert made.lists["z"].file == "zips.csv"
    in_file = planned(
        more='[derive.z]\nexpression = "zip"\nkeys = { file = "zips.csv", column = "zip" }\n'
        '[keys]\nzip = ["a"]\n'
    )
    assert in_file.table.keys["z"] == KEYS


@pytest.mark.claim("C450")
def test_the_values_are_in_the_digest_and_the_file_is_said(here):
    """Another name of the file, or another separator, is the same plan; another value is not."""
    plan = listed()
    told = {"zip": {"file": "zips.csv", "column": "zip"}}
    told["zip"]["sha256"] = hashlib.sha256(LIST.encode()).hexdigest()

    assert plan.plain()["table"]["lists"] == told
    assert all(text in " ".join(str(plan).split()) for text in told["zip"].values())
    assert table_of(json.loads(json.dumps(plan.table.plain()))).plain() == plan.table.plain()

    by_hand = dp.plan(
        dp.table("people.csv", unit="row", keys={"zip": KEYS}, name="t"),
        dp.count(by="zip"),
        spend=dp.zcdp("1/50"),
    )
    Path("zips.csv").write_text(LIST.replace(";", ","))
    again = listed()
    Path("zips.csv").write_text(LIST.replace("99999", "99998"))

    assert by_hand.digest == plan.digest == again.digest != listed().digest


@pytest.mark.claim("C450")
def test_a_release_says_which_file_listed_its_keys(here):
    """And is known again, and verified, without the file."""
    book = dp.ledger("l.ledger", budget=dp.zcdp(1))
    release = dp.run(planned(), ledger=book)
    release.save("r.release")
    Path("zips.csv").unlink()

    digest = hashlib.sha256(LIST.encode()).hexdigest()
    assert digest in Path("r.release/report.html").read_text()
    assert digest in Path("r.release/release.json").read_text()
    assert "ok: " in str(dp.verify("r.release", ledger="l.ledger"))


def names_of_the_data():
    """Ways to name one file: itself, links, other spellings, globs, lists."""
    Path("sub").mkdir()
    os.symlink("zips.csv", "soft.csv")
    os.link("zips.csv", "hard.csv")
    os.symlink(Path.cwd(), "sub/loop")
    whole = str(Path.cwd() / "zips.csv")
    return [
        *("zips.csv", "./zips.csv", "sub/../zips.csv", whole, "soft.csv", "hard.csv"),
        *("sub/loop/zips.csv", "z*.csv", "[yz]ips.csv", "**/zips.csv", "*rd.csv"),
    ]


@pytest.mark.claim("C451")
def test_a_list_in_the_data_is_refused_however_the_file_is_named(here):
    """Before a plan is shown: by path, link, glob, list, in a join, for a hierarchy, in a lookup."""
    wide = LIST.replace(";", ",")
    Path("zips.csv").write_text(wide)
    Path("other.csv").write_text(wide)
    hierarchy = '[levels.zip]\ncolumns = ["town", "zip"]\nfile = "zips.csv"\n[keys]\nzip = ["1"]\n'
    lookup = '[derive.t]\nlookup = "zip"\n' + hierarchy
    derived = '[derive.z]\nexpression = "zip"\nkeys = { file = "zips.csv", column = "zip" }\n'
    in_file = '[keys]\nzip = { file = "zips.csv" }\n'
    joined = in_file + '[join.j]\nsource = "NAME"\ngives = ["town"]\nkey = "zip"\n'
    refused = []
    for name in names_of_the_data():
        for source, more in [
            *((json.dumps(name), part) for part in (in_file, hierarchy, lookup, derived)),
            (json.dumps(["other.csv", name]), in_file),
            ('"other.csv"', joined.replace("NAME", name)),
        ]:
            with pytest.raises(InputError) as error:
                planned(source, more)
            refused.append(str(error.value))
        for source in (name, [name], ["other.csv", name], Path(name)):
            with pytest.raises(InputError, match="which is the data"):
                listed(source)

    assert len(refused) == 66
    assert all("zips.csv, which is the data" in words for words in refused)
    assert not any(key in words for words in refused for key in (*KEYS, "Allston"))


@pytest.mark.claim("C451")
@pytest.mark.parametrize(
    "source",
    [
        lambda: duckdb.connect().sql("FROM 'people.csv'"),
        lambda: duckdb.connect().sql("SELECT * FROM read_csv('pe*.csv', all_varchar = true)"),
        lambda: ds.dataset("people.csv", format="csv"),
    ],
    ids=["relation", "relation of a glob", "data set"],
)
def test_what_reads_the_list_is_refused_before_the_charge(here, source):
    """A relation or a data set that names the file is that file."""
    Path("people.csv").write_text("zip,x\na,1\nb,2\n")
    keys = dp.keys(file="people.csv", column="zip")
    table = dp.table(source(), unit="row", keys={"zip": keys}, name="t", vouched="of one row each")
    asked = dp.count(by="zip")

    with pytest.raises(InputError, match="which is the data"):
        engine_for(table.source).prepare(table, asked.aggregates(table))


def test_a_copy_is_another_file_and_is_counted(here):
    """What discreet cannot see is told in docs/limits.md; most copies say a value twice."""
    Path("people.csv").write_text("zip,x\n" + "02134,1\n" * 3)
    Path("copy.csv").write_text(Path("people.csv").read_text())

    with pytest.raises(InputError, match="contains a value twice"):
        dp.keys(file="copy.csv", column="zip")
    table = dp.table(
        pa.table({"zip": ["02134"] * 3}),
        unit="row",
        keys={"zip": dp.keys(file="zips.csv", column="zip")},
        name="t",
    )
    (exact,) = (
        engine_for(table.source).prepare(table, dp.count(by="zip").aggregates(table)).count(1)
    )
    assert [*opened([exact])[0]] == [3, 0, 0]


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        (None, "zip", "cannot be read"),
        (b"\xff\xfe\n1", "zip", "cannot be read"),
        (b"zip\n", "zip", "lists no key"),
        (b"", "zip", "not have exactly one column"),
        (b"zip,zip\n1,2\n", "zip", "not have exactly one column"),
        (b"town\nA\n", "zip", "not have exactly one column"),
        (b"zip,town\nA1,B\n,C\n", "zip", "without a value"),
        (b"town,zip\nB\n", "zip", "without a value"),
        (b"zip\nA1\nA1\n", "zip", "contains a value twice"),
        (b'zip\n"A1"x\n', "zip", "not have exactly one column"),
        (b"zip\nA1\n", 3, "no list"),
    ],
)
def test_what_is_no_list_is_refused_and_not_quoted(tmp_path, text, column, words):
    """In three lines, none of which says a cell of it."""
    path = tmp_path / "zips.csv"
    if text is not None:
        path.write_bytes(text)

    with pytest.raises(InputError) as error:
        dp.keys(file=path, column=column)

    assert words in str(error.value)
    assert "A1" not in str(error.value)
    assert len(str(error.value).split("\n")) == 3


def test_a_pipe_is_no_list(tmp_path):
    """It may never begin."""
    os.mkfifo(tmp_path / "pipe.csv")

    with pytest.raises(InputError, match="cannot be read"):
        dp.keys(file=tmp_path / "pipe.csv", column="zip")


def test_names_for_rows_of_no_value_stand_beside_a_list(here):
    """`other` and `missing`, in Python and in a plan file."""
    plan = listed(other="other", missing="none")
    more = '[keys]\nzip = { file = "zips.csv" }\n[other]\nzip = "other"\n[missing]\nzip = "none"\n'

    assert plan.table.keys["zip"] == (*KEYS, "none", "other")
    assert planned(more=more).table.keys == plan.table.keys
    assert "the 3 values" in str(plan)


def test_values_and_a_file_are_not_given_together(here):
    """One place says the keys."""
    with pytest.raises(InputError, match="and a file that lists them"):
        dp.keys("A", file="zips.csv", column="zip")


def test_a_slip_in_a_plan_file_is_named(here):
    """`colum` is column, and not a number of a range."""
    with pytest.raises(InputError, match="write column in place of colum"):
        planned(more='[keys]\nzip = { file = "zips.csv", colum = "x" }\n')
