"""The key of fingerprints: private, made once, beside the data; without it nobody can tell."""

import os
import stat
from pathlib import Path

import pytest

import discreet as dp
from adversarial.repeats import OTHER, check_refused
from adversarial.river_children import forked
from adversarial.rivers import ROWS, planned, source_of, started
from discreet.entropy import Coins
from discreet.releases import repeat_check


def gone(key: Path) -> None:
    key.unlink()


def another(key: Path) -> None:
    key.write_bytes(bytes(32))


def cut(key: Path) -> None:
    key.write_bytes(key.read_bytes()[:31])


def a_pipe(key: Path) -> None:
    key.unlink()
    os.mkfifo(key)


def a_link(key: Path) -> None:
    key.rename(key.with_name("moved"))
    key.symlink_to("moved")


@pytest.mark.exhaustive
@pytest.mark.claim("C37")
@pytest.mark.parametrize("harm", [gone, another, cut, a_pipe, a_link], ids=lambda x: x.__name__)
def test_without_its_key_nobody_can_tell_and_it_is_said(harm, tmp_path):
    """In its own words, with the same two ways out; nothing hangs on what lies in the key's place."""
    (path,) = source_of("csv", tmp_path)
    ledger = started(tmp_path)
    dp.run(planned([path]), ledger=ledger)
    harm(tmp_path / repeat_check.NAME)

    check_refused(planned([path]), ledger, "it cannot be told whether the data is that of 2")


@pytest.mark.claim("C37")
def test_january_and_february_in_two_folders_have_two_answers(tmp_path):
    """One name, one ledger, two folders, each with a key of its own: found in the first report."""
    ledger = started(tmp_path)
    for month, rows in (("jan", ROWS), ("feb", OTHER)):
        (tmp_path / month).mkdir()
        source_of("csv", tmp_path / month, rows)
    dp.run(planned([tmp_path / "jan" / "visits 0.csv"]), ledger=ledger)

    february = planned([tmp_path / "feb" / "visits 0.csv"])
    new = check_refused(february, ledger, "it cannot be told")

    assert not dp.run(february, ledger=ledger, request=new).repeated


def test_a_key_is_private_made_once_and_beside_the_data(tmp_path):
    """32 bytes, for its owner alone; nothing else is left in the folder."""
    (path,) = source_of("csv", tmp_path)

    one, two = (repeat_check.key_for([str(path)], Coins()) for _ in range(2))

    assert (len(one), one) == (32, two)
    assert stat.S_IMODE((tmp_path / repeat_check.NAME).stat().st_mode) == 0o600
    assert sorted(os.listdir(tmp_path)) == [repeat_check.NAME, path.name]
    assert repeat_check.key_called([str(path)], repeat_check.name_of(one)) == one
    assert repeat_check.key_called([str(path)], "0" * 16) is None


def test_without_a_folder_of_its_own_the_key_is_in_the_users_state(tmp_path, monkeypatch):
    """For rows, frames, connections, and files in a folder that takes no more."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    rows = repeat_check.key_for([], Coins())
    proc = repeat_check.key_for(["/proc/self/stat"], Coins())

    assert rows == proc == (tmp_path / "state" / "discreet" / "key").read_bytes()
    assert stat.S_IMODE((tmp_path / "state" / "discreet").stat().st_mode) == 0o700
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/self")
    assert repeat_check.key_for([], Coins()) is None
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    repeat_check.key_for([], Coins())
    assert (tmp_path / "home" / ".local" / "state" / "discreet" / "key").exists()


@pytest.mark.slow
def test_many_processes_make_one_key(tmp_path):
    """Whoever comes second takes the first one's."""
    hear, told = os.pipe()

    def work() -> int:
        os.write(told, repeat_check.key_for([str(tmp_path / "a.csv")], Coins()).hex().encode())
        return 0

    children = [forked(work) for _ in range(16)]
    for child in children:
        os.waitpid(child, 0)
    os.close(told)
    with os.fdopen(hear) as heard:
        said = heard.read()

    assert len(said) == 16 * 64
    assert {said[at : at + 64] for at in range(0, len(said), 64)} == {
        (tmp_path / repeat_check.NAME).read_bytes().hex()
    }
    assert os.listdir(tmp_path) == [repeat_check.NAME]


def test_who_makes_a_key_too_late_takes_the_one_that_is_there(tmp_path):
    """Between the look for a key and the making of one another process was faster."""
    place = tmp_path / repeat_check.NAME
    first = repeat_check._made(place, Coins())

    assert repeat_check._made(place, Coins()) == first == place.read_bytes()
    assert os.listdir(tmp_path) == [repeat_check.NAME]


def test_a_refused_release_makes_no_key(tmp_path):
    """Nothing is left beside the data where nothing was charged."""
    (path,) = source_of("csv", tmp_path)

    with pytest.raises(dp.errors.BudgetError):
        dp.run(planned([path], "2"), ledger=started(tmp_path))

    assert not (tmp_path / repeat_check.NAME).exists()
