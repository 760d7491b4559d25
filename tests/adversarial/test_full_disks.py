"""A disk that is full where DuckDB spills, or where a release is saved: three lines, and nothing is lost."""

import tempfile
from pathlib import Path

import duckdb
import pytest

import discreet as dp
from adversarial.faults import Said, ran, small_disk, typed
from discreet.engine.duckdb import pool
from discreet.errors import InputError

pytestmark = [pytest.mark.slow, pytest.mark.claim("C36")]
ROWS = 600_000


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Rows of units of which each has more than may stay; under 40 MB they are put on the disk."""
    found = tmp_path_factory.mktemp("rows") / "t.parquet"
    made = duckdb.connect()
    made.execute(
        f"COPY (SELECT 'CANARY-7f3a' || (i % 150000) AS who, 'AB'[1 + i % 2] AS k, i AS v "
        f"FROM range({ROWS}) s(i)) TO '{found}'"
    )
    return found


def planned(path, name="t"):
    table = dp.table(
        path,
        unit=dp.unit("who", max_rows=2),
        name=name,
        keys={"k": ["A", "B"]},
        columns={"v": dp.bounds(0, 9, step=1)},
    )
    return dp.plan(table, dp.mean("v", "k"), dp.count("k"), spend=dp.zcdp("1/10"))


def sought(path):
    """Keys that nobody knows: their pairs with units have no passes, but may lie on the disk."""
    table = dp.table(path, unit=dp.unit("who"), name="t", keys={"who k": KEY})
    return dp.plan(table, dp.group_sizes("who k"), spend=dp.zcdp("1/10"))


KEY = dp.unknown(max_groups=2, of=["who", "k"])
CASES = [  # what is asked, in which memory, with how many kilobytes beside, and whether it ends well
    (planned, "40MB", 64, True),
    (planned, "40MB", 4_096, True),
    (sought, "20MB", 64, False),
    (sought, "20MB", 64, True),
    (sought, "30MB", 64, False),
    (sought, "30MB", 400_000, True),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("asked", "memory", "kilobytes", "ends"), CASES)
def test_a_full_disk_under_what_is_spilled(
    asked, memory, kilobytes, ends, path, tmp_path, monkeypatch
):
    """A release, in more passes where there is less room, or in the memory of the machine; where
    that has no more either, the charge is named, and no cell is.
    """
    if not ends:
        monkeypatch.setattr(pool, "in_room", lambda read, *_: read())
    monkeypatch.setenv("DISCREET_MEMORY", memory)
    monkeypatch.setenv("DISCREET_THREADS", "1")
    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.zcdp(1), subject="t")
    with small_disk(tmp_path / "disk", kilobytes) as place:
        monkeypatch.setattr(tempfile, "tempdir", str(place))

        said = Said(**ran(asked(path), ledger))

    assert bool(said.release) == ends
    assert [row.state for row in ledger.book().rows()] == ["answered" if said.release else "open"]
    if not said.release:
        assert "charge 1 stays spent and its answer was not stored" in said.text
        assert "the memory and the disk of the machine" in said.text
    assert "CANARY" not in said.text


PLAN_FILE = """\
[data]
source = "t.csv"
name = "t"
unit = "row"
[keys]
k = { from = 1, to = 2000 }
[spend]
rho = "1/10"
ledger = "t.ledger"
[[ask]]
statistic = "count"
by = "k"
"""


def test_a_disk_too_small_for_a_release_loses_nothing(tmp_path, monkeypatch):
    """By Python: three lines, and no half of a folder; later it is saved where there is room."""
    table = dp.table([{"k": 1}], unit="row", name="t", keys={"k": range(2_000)})
    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.zcdp(1), subject="t")
    plan = dp.plan(table, dp.count("k"), spend=dp.zcdp("1/10"))
    release = dp.run(plan, ledger=ledger)

    with small_disk(tmp_path / "disk", 64) as place:
        with pytest.raises(InputError, match="No space left on device") as caught:
            release.save(place / "t.release")
        assert [*place.iterdir()] == []

    assert len(str(caught.value).splitlines()) == 3
    assert dp.verify(release.save(tmp_path / "t.release"), ledger=ledger).checks
    assert dp.run(plan, ledger=ledger).repeated


def test_a_command_whose_release_finds_no_room_says_that_it_is_paid_and_stored(
    tmp_path, monkeypatch
):
    """And the same command, with room, writes it for nothing."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("k\n1\n")
    Path("plan.toml").write_text(PLAN_FILE)
    ledger = dp.ledger("t.ledger", budget=dp.zcdp(1), subject="t")
    with small_disk(tmp_path / "disk", 64) as place:
        said = Said(**typed("release", "plan.toml", "--out", str(place / "t.release")))
        assert [*place.iterdir()] == []

    assert said.error == "2"
    assert len(said.text.splitlines()) == 3
    assert "the release is paid and stored in the ledger" in said.text
    again = Said(**typed("release", "plan.toml", "--out", "t.release"))
    assert again.error == ""
    assert "Nothing was charged" in again.text
    assert ledger.left() == dp.zcdp("9/10")
