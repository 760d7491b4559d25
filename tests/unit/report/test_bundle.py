"""Folders and zips: whole or not at all, private at first, and read with suspicion."""

import errno
import os
import stat
import subprocess
import sys
import warnings
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from discreet.errors import InputError
from discreet.report import bundle
from discreet.report.bundle import load_document, save
from unit.report_documents import hostile, small

NAMES = ["README.txt", "release.json", "report.html", "table.csv", "table.parquet"]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.release", "a.zip"])
@pytest.mark.parametrize("made", [small, hostile], ids=["small", "hostile"])
def test_a_release_goes_there_and_back(made, name, tmp_path: Path):
    """What is loaded is what was saved, from the folder, the zip and the JSON alone."""
    document = made()

    path = save(document, tmp_path / name)
    assert path == tmp_path / name
    assert load_document(path) == document
    if path.is_dir():
        assert (path / "release.json").read_text() == document.text() + "\n"
        assert load_document(path / "release.json") == document
        assert sorted(file.name for file in path.iterdir()) == NAMES
    else:
        with zipfile.ZipFile(path) as archive:
            assert archive.namelist() == NAMES
    assert names_in(tmp_path) == [name]


@pytest.mark.slow
def test_the_same_release_gives_the_same_bytes(tmp_path: Path):
    """All five files, and the zip of them."""
    folders = [save(small(), tmp_path / name) for name in ("a", "b")]
    zips = [save(small(), tmp_path / name) for name in ("a.zip", "b.zip")]

    for name in NAMES:
        assert len({(folder / name).read_bytes() for folder in folders}) == 1
    assert len({path.read_bytes() for path in zips}) == 1


@pytest.mark.slow
def test_files_are_their_owners_alone_whatever_the_umask(tmp_path: Path):
    """A release under embargo on a shared machine is nobody else's to read."""
    before = os.umask(0)
    try:
        folder, packed = save(small(), tmp_path / "a"), save(small(), tmp_path / "a.zip")
    finally:
        os.umask(before)

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for file in (*folder.iterdir(), packed):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_nothing_is_written_over(tmp_path: Path):
    """A file, a folder, an empty folder and a dangling link are all in the way."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.zip").symlink_to(tmp_path / "nowhere")

    for name in ("file", "folder", "link.zip"):
        with pytest.raises(InputError, match="is there already"):
            save(small(), tmp_path / name)
    assert (tmp_path / "file").read_text() == "mine"
    assert names_in(tmp_path) == ["file", "folder", "link.zip"]


@pytest.mark.parametrize("name", ["a", "a.zip"])
def test_of_two_releases_with_one_path_the_first_stays(name, tmp_path: Path, monkeypatch):
    """The other came there while this one was written: it is refused, and what is there is whole."""
    fill, came = bundle._fill, []

    def meanwhile(*given):
        fill(*given)
        if not came:
            came.append(1)
            came[0] = read(save(small(), tmp_path / name))

    def read(path):
        return path.stat().st_ino, path.read_bytes() if path.is_file() else names_in(path)

    monkeypatch.setattr(bundle, "_fill", meanwhile)
    with pytest.raises(InputError, match="is there already"):  # a long path is cut
        save(small(), tmp_path / name)
    assert came == [read(tmp_path / name)]
    assert names_in(tmp_path) == [name]
    assert load_document(tmp_path / name) == small()


def test_a_missing_or_closed_folder_is_refused(tmp_path: Path):
    """Three lines, and nothing is left."""
    (tmp_path / "file").write_text("")

    for path in (tmp_path / "no" / "a", tmp_path / "file" / "a.zip"):
        with pytest.raises(InputError, match="cannot be written"):
            save(small(), path)
    assert names_in(tmp_path) == ["file"]


LIMITED = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from unit.report_documents import small
from discreet.errors import InputError
from discreet.report.bundle import save
document, target, most = small(), sys.argv[2], int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
try:
    save(document, target)
except InputError as error:
    print(error)
"""


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the size of files")
@pytest.mark.parametrize("name", ["a", "a.zip"])
@pytest.mark.parametrize("most", [0, 1_000, 12_000])
def test_a_disk_that_takes_no_more_leaves_nothing(most, name, tmp_path: Path):
    """The first file, a later one, or the page does not fit: no half of a release remains."""
    here = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, here, str(tmp_path / name), str(most)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "cannot be written: File too large." in done.stdout
    assert names_in(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a", "a.zip"])
def test_a_disk_that_fills_with_the_last_file_leaves_nothing(name, tmp_path: Path, monkeypatch):
    """Whatever says that there is no room, nothing remains."""

    def full(_path: Path, **_table: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(bundle, "write_parquet", full)
    with pytest.raises(InputError, match="No space left on device"):
        save(small(), tmp_path / name)
    assert names_in(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a", "a.zip"])
def test_an_interruption_leaves_nothing(name, tmp_path: Path, monkeypatch):
    """Ctrl-C in the middle of the last file."""

    def interrupted(_path: Path, **_table: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bundle, "write_parquet", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save(small(), tmp_path / name)
    assert names_in(tmp_path) == []


HANGS = """
import sys, time
sys.path.insert(0, sys.argv[1])
from unit.report_documents import small
from discreet.report import bundle
document = small()

def hang(path, **table):
    print("writing", flush=True)
    time.sleep(600)

bundle.write_parquet = hang
bundle.save(document, sys.argv[2])
"""


def begun(target: Path) -> subprocess.Popen[str]:
    """A process in the middle of writing a release."""
    here = str(Path(__file__).parents[2])
    child = subprocess.Popen(
        [sys.executable, "-c", HANGS, here, str(target)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "writing\n"
    return child


def end(*children: subprocess.Popen[str]) -> None:
    """Kill processes, as the system does where memory runs out."""
    for child in children:
        child.kill()
        child.communicate()


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs locks that end with their process")
@pytest.mark.parametrize("name", ["a", "a.zip", "b" * 250])
def test_what_a_killed_save_leaves_the_next_one_removes(name, tmp_path: Path):
    """And only that: what a living process or a user has there stays."""
    for mine in (".discreet-mine", ".discreet-12345678"):
        (tmp_path / mine).mkdir() if mine.endswith("mine") else (tmp_path / mine).write_text("")
    (tmp_path / ".discreet-abcdefgh").symlink_to(tmp_path / ".discreet-mine")
    users = set(names_in(tmp_path))
    killed = [begun(tmp_path / name) for name in (name, name, "other")]
    end(*killed)
    left = set(names_in(tmp_path)) - users
    alive = begun(tmp_path / name)
    living = set(names_in(tmp_path)) - users - left

    save(small(), tmp_path / name)
    stays = set(names_in(tmp_path)) - users - {name}
    assert (len(left), len(living), stays) == (3, 1, living)
    end(alive)
    save(small(), tmp_path / "other")
    assert set(names_in(tmp_path)) == users | {name, "other"}


@pytest.mark.slow
def test_many_saves_at_once_do_not_remove_each_others_work(tmp_path: Path):
    """One of them wins; the others are told that it exists, and nothing else is left."""
    document, told = small(), []

    def one(_number: int) -> None:
        try:
            save(document, tmp_path / "a.zip")
        except InputError as error:
            told.append(error.what)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(8)))
    assert len(told) <= 7
    assert load_document(tmp_path / "a.zip") == document
    assert names_in(tmp_path) == ["a.zip"]


def test_what_is_no_release_is_refused(tmp_path: Path):
    """Nothing there, an empty folder, another text, a broken zip, a pipe."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.json").write_text("secret 47 Elm St")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04" + b"x" * 100)
    os.mkfifo(tmp_path / "pipe")

    for name in ("nothing", "empty", "text.json", "bytes.json", "broken.zip", "pipe", "a\0b"):
        with pytest.raises(InputError) as caught:
            load_document(tmp_path / name)
        assert "Elm" not in str(caught.value)
        assert len(str(caught.value).split("\n")) == 3


def packed(path: Path, members: dict[str, bytes]) -> Path:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")
        for name, content in members.items():
            archive.writestr(name.removesuffix("#"), content)
    return path


TEXT = small().text().encode()
BAD_ZIPS = {
    "a bomb": {"release.json": b" " * 40_000_000},
    "a way out": {"../release.json": TEXT},
    "another way out": {"release.json": TEXT, "../../etc/passwd": b"x"},
    "a root": {"/release.json": TEXT},
    "a drive": {"C:\\release.json": TEXT},
    "two of them": {"a/release.json": TEXT, "b/release.json": TEXT},
    "twice the same": {"release.json": TEXT, "release.json#": b"{}"},
    "too deep": {"a/b/release.json": TEXT},
    "none": {"table.csv": b""},
    "too many": {"release.json": TEXT, **{f"{i}": b"" for i in range(100)}},
}


@pytest.mark.slow
@pytest.mark.parametrize("members", BAD_ZIPS.values(), ids=list(BAD_ZIPS))
def test_a_suspicious_zip_is_refused(members, tmp_path: Path):
    """Bombs, ways out and ambiguities are refused, and nothing is unpacked."""
    path = packed(tmp_path / "a.zip", members)

    with pytest.raises(InputError) as caught:
        load_document(path)
    assert len(str(caught.value).split("\n")) == 3
    assert names_in(tmp_path) == ["a.zip"]


def test_a_folder_that_somebody_zipped_is_a_release(tmp_path: Path):
    """One folder around the files is what every packer makes."""
    path = packed(tmp_path / "a.zip", {"visits.release/release.json": TEXT})

    assert load_document(path) == small()


def test_a_file_larger_than_any_release_is_refused(tmp_path: Path, monkeypatch):
    """Reading stops one byte beyond the limit."""
    monkeypatch.setattr(bundle, "MOST_BYTES", 1_000)
    (tmp_path / "release.json").write_bytes(TEXT)

    for path in (tmp_path, packed(tmp_path / "a.zip", {"release.json": TEXT})):
        with pytest.raises(InputError, match="not a release"):
            load_document(path)
