"""CSV files that are packed: the integers of the file itself, and archives of one file alone."""

import bz2
import gzip
import lzma
from zipfile import ZIP_DEFLATED, ZipFile

import pandas as pd
import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.errors import EngineError, InputError

pytestmark = pytest.mark.claim("C408")
ROWS = "k,v\n" + "".join(f"{'ab'[n % 2]},{n % 7}\n" for n in range(20_000))


def zipped(raw, path, name="people.csv", **members):
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr(name, raw)
        for other, text in members.items():
            archive.writestr(other, text)


WAYS = {
    "a.csv.gz": lambda raw, path: path.write_bytes(gzip.compress(raw)),
    "a.csv.bz2": lambda raw, path: path.write_bytes(bz2.compress(raw)),
    "a.csv.xz": lambda raw, path: path.write_bytes(lzma.compress(raw)),
    "a.TSV.XZ": lambda raw, path: path.write_bytes(lzma.compress(raw)),
    "a.csv.zip": zipped,
    "a.zip": zipped,
    "b.zip": lambda raw, path: zipped(raw, path, "in/people.txt", **{"__MACOSX/people": "x"}),
    "by pandas.csv.xz": lambda raw, path: of_pandas(path, "xz"),
    "by pandas.zip": lambda raw, path: of_pandas(path, {"method": "zip", "archive_name": "a.csv"}),
}


def of_pandas(path, how):
    rows = [line.split(",") for line in ROWS.splitlines()]
    pd.DataFrame(rows[1:], columns=rows[0]).to_csv(path, index=False, compression=how)


def declared(path):
    return dp.table(path, name="t", unit="row", keys={"k": ["a", "b"]}, columns={"v": dp.bounds(0, 9, step=1)})  # fmt: skip


def opened(path):
    table = declared(path)
    aggregates = tuple(a for q in (dp.count("k"), dp.sum("v", by="k")) for a in q.aggregates(table))
    prepared = engine_for(path).prepare(table, aggregates)
    return [vector.opened_by_the_door() for vector in prepared.count(7)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", WAYS)
def test_a_packed_file_counts_as_the_file_does(name, tmp_path):
    """By Python's packers and by pandas; whatever macOS adds to an archive; the plan calls it CSV."""
    plain, packed = tmp_path / "plain.csv", tmp_path / name
    plain.write_text(ROWS)
    WAYS[name](ROWS.encode(), packed)

    assert opened(packed) == opened(plain)
    plan = dp.plan(declared(packed), dp.count("k"), spend=dp.zcdp(1))
    assert "A line of a CSV file ends as its first line does" in str(plan)


def with_password(path):
    zipped(b"k,v\na,1\n", path)
    raw = bytearray(path.read_bytes())
    for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(sign) + at] |= 1
    path.write_bytes(raw)


ARCHIVES = {
    "several": lambda path: zipped(b"k,v\n", path, other="k,v\n"),
    "none": lambda path: ZipFile(path, "w").close(),
    "another kind": lambda path: zipped(b"PAR1", path, "secret.parquet"),
    "password": with_password,
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_an_archive_that_is_not_of_one_csv_file_is_refused(kind, tmp_path):
    """Before the charge, and no name of what it holds is told."""
    ARCHIVES[kind](tmp_path / "a.zip")

    with pytest.raises(
        InputError, match=r"an archive of one CSV file|an archive with a password"
    ) as caught:
        opened(tmp_path / "a.zip")
    assert "unpack it" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["a.csv.bz2", "a.csv.xz", "a.csv.zip"])
def test_a_file_that_is_not_packed_so_is_refused(name, tmp_path):
    """Its ending says how it is packed."""
    (tmp_path / name).write_text(ROWS)

    with pytest.raises(EngineError, match="cannot be opened"):
        opened(tmp_path / name)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["a.csv.bz2", "a.csv.xz"])
def test_a_file_that_ends_too_early_is_told_after_the_charge(name, tmp_path):
    """Nothing of it is answered; it begins well."""
    path = tmp_path / name
    WAYS[name](ROWS.encode() * 200, path)
    path.write_bytes(path.read_bytes()[:-40])

    with pytest.raises(EngineError, match=r"could not be read|cannot be opened"):
        opened(path)
