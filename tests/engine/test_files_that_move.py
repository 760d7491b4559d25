"""A file that is exchanged or written into while it is counted: a person with two names counts once.

The attack is a nightly job with new pseudonyms: where it falls between two passes, a person is in one
of them by the old name and in another one by the new name. So the count is dropped before the door.
"""

import os
from functools import partial

import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.engine import files
from discreet.engine.duckdb import engine
from discreet.engine.duckdb.engine import DuckPrepared
from discreet.engine.duckdb.faster import passes
from discreet.engine.duckdb.pool import DuckPooling
from discreet.engine.select_engine import engine_for
from discreet.errors import EngineError
from discreet.finding.pairs import Pairs
from engine.sources import opened

pytestmark = pytest.mark.claim("C206")

OLD, NEW = ({"who": [name], "k": ["A"]} for name in ("ann", "7f3a"))


def written(path, columns):
    """Write one person's row where it is, or where its name says."""
    if path.suffix == ".csv":
        path.write_text(
            "who,k\n" + "".join(f"{','.join(row)}\n" for row in zip(*columns.values(), strict=True))
        )
    elif path.suffix == ".arrow":
        pa.feather.write_feather(pa.table(columns), path, compression="uncompressed")
    else:
        pq.write_table(pa.table(columns), path)


def in_place(path):
    written(path, NEW)


def renamed(path):
    other = path.with_name(f"new{path.suffix}")
    written(other, NEW)
    os.replace(other, path)


def as_old_as_before(path):
    """Renamed, with the same times of the last change: what `cp -p` and many backups do."""
    times = path.stat()
    renamed(path)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def folder_flipped(path):
    """The folder is a link, which leads to another one: how many deploy."""
    other = path.parent.with_name("other")
    other.mkdir()
    written(other / path.name, NEW)
    link = path.parent.with_name("link")
    link.symlink_to(other)
    os.replace(link, path.parent)


WAYS = [in_place, renamed, as_old_as_before, folder_flipped]
SOURCES = {
    "csv": lambda path: path,
    "parquet": lambda path: path,
    "arrow": lambda path: path,
    "data set": lambda path: pa.dataset.dataset(path, format="parquet"),
}


def placed(folder, source):
    """One person's row in a file, in a folder that is a link; and what is handed over of it."""
    (folder / "here").mkdir()
    (folder / "data").symlink_to(folder / "here")
    path = folder / "data" / f"t.{'parquet' if source == 'data set' else source}"
    written(path, OLD)
    return path, SOURCES[source](path)


def declared(source, **how):
    return dp.table(source, **{"name": "t", "unit": dp.unit("who", max_rows=1), **how})


def prepared(source):
    table = declared(source)
    return engine_for(source).prepare(table, dp.count().aggregates(table))


def moving(monkeypatch, move, after=0):
    """Have something happen to the file after so many passes, of two."""
    honest = DuckPrepared._rows

    def rows(self, salt, number, of_all):
        if number == after:
            move()
        return honest(self, salt, number, of_all)

    monkeypatch.setattr(engine, "counted", lambda read, _, state: passes.counted(read, 2, state))
    monkeypatch.setattr(DuckPrepared, "_rows", rows)


def counts(folder, source, move_of, salts):
    """How often one person counts for each salt, where the file moves; None where that is refused."""
    for salt in salts:
        place = folder / str(salt)
        place.mkdir()
        path, given = placed(place, source)
        with pytest.MonkeyPatch.context() as patch:
            asked = prepared(given)
            moving(patch, partial(move_of, path), after=1)
            try:
                yield opened(asked.count(salt))[0][0]
            except EngineError as error:
                assert "was changed or taken away while" in str(error)  # noqa: PT017 - some are not refused
                yield None


@pytest.mark.exhaustive
@pytest.mark.of_speed
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("source", SOURCES)
def test_a_person_with_a_new_name_does_not_count_in_two_passes(source, way, tmp_path):
    """Whatever is done to the file, no count of it leaves the engine."""
    assert [*counts(tmp_path, source, way, range(2))] == [None, None]


@pytest.mark.exhaustive
@pytest.mark.parametrize("source", SOURCES)
def test_a_file_that_stands_still_is_counted(source, tmp_path):
    """Also where others read it meanwhile."""
    assert [*counts(tmp_path, source, lambda path: path.read_bytes(), range(3))] == [1, 1, 1]


@pytest.mark.of_speed
@pytest.mark.parametrize("source", ["csv", "parquet"])
def test_without_the_look_the_person_counts_twice(source, tmp_path, monkeypatch):
    """The check has power: of 12 salts some put the two names into different passes."""
    monkeypatch.setattr(files, "stats_of", lambda _: ())

    assert max(counts(tmp_path, source, renamed, range(12))) == 2


@pytest.mark.parametrize("source", SOURCES)
def test_a_file_that_moved_before_its_first_row_is_not_read(source, tmp_path, monkeypatch):
    """Its types were looked at in the old one; of the new one they could fail on a cell."""
    path, given = placed(tmp_path, source)
    asked = prepared(given)
    monkeypatch.setattr(DuckPrepared, "_rows", None)
    renamed(path)

    with pytest.raises(EngineError, match="was changed or taken away while"):
        asked.count(3)


def test_the_second_table_of_a_join_must_stand_still_too(tmp_path):
    """The first one does, and is a frame, of which no file is known."""
    cards = tmp_path / "cards.parquet"
    written(cards, {"who": ["ann"], "n": [1]})
    visits = declared(pa.table(OLD)).joined(dp.join(cards, name="cards", gives=["n"]))
    asked = engine_for(visits.source).prepare(visits, dp.count().aggregates(visits))
    renamed(cards)

    with pytest.raises(EngineError, match="was changed or taken away while"):
        asked.count(3)


def test_keys_are_not_looked_for_in_a_file_that_moves(tmp_path, monkeypatch):
    """Neither are the pairs of unit and key of two states."""
    path, given = placed(tmp_path, "parquet")
    table = declared(given, unit=dp.unit("who"), keys={"k": dp.unknown(max_groups=1)})
    pooling, honest = engine_for(given).pooling(table, Pairs("k", (1,))), DuckPooling._read

    def read(self, salt):
        found = honest(self, salt)
        renamed(path)
        return found

    monkeypatch.setattr(DuckPooling, "_read", read)
    with pytest.raises(EngineError, match="was changed or taken away while"):
        pooling.read(3)


@pytest.mark.of_speed
def test_the_charge_stands_and_nothing_is_stored(tmp_path, monkeypatch):
    """The message says it in three lines, and the ledger goes on with the file as it is now."""
    path, given = placed(tmp_path, "csv")
    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.zcdp(1), subject="t")
    table = declared(given)
    plan = dp.plan(table, dp.count(), spend=dp.zcdp("1/10"))

    with monkeypatch.context() as patch, pytest.raises(EngineError) as caught:
        moving(patch, partial(renamed, path), after=1)
        dp.run(plan, ledger=ledger)

    assert "a file of the data was changed or taken away while it was counted" in str(caught.value)
    assert "charge 1 stays spent" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 3
    assert "ann" not in str(caught.value)
    assert [row.state for row in ledger.book().rows()] == ["open"]
    assert not dp.run(plan, ledger=ledger).repeated
    assert ledger.left() == dp.zcdp("8/10")
