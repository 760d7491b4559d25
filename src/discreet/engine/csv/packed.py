"""A CSV file as its bytes, unpacked: gzip, Zstandard, bzip2, xz, and a ZIP archive of one file.

Rules of this module:
- how a file is packed is told by its ending;
- an archive holds one CSV file: with several, a name would not say which of them is the table.
"""

import bz2
import gzip
import lzma
from collections.abc import Callable
from importlib.util import find_spec
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import ZipFile, ZipInfo

from ...errors import InputError, shown

KINDS = (".csv", ".tsv", ".txt")
_JSON = (".jsonl", ".ndjson")
PACKED = ("", ".gz", ".zst", ".bz2", ".xz", ".zip")
_SECRET = 1  # of the flags of a file in an archive


def needs_package(path: str) -> str | None:
    """Return the package that is missing to read this file, or None."""
    is_missing = path.lower().endswith(".zst") and find_spec("zstandard") is None
    return "zstandard" if is_missing else None


def _of_zstandard(path: str) -> Any:
    import zstandard

    return BufferedReader(zstandard.open(path, "rb"))  # which goes line by line, too


def _of_archive(path: str) -> Any:
    with ZipFile(path) as archive:  # what is open of it stays so
        (member,) = _members(archive)
        return archive.open(member)


UNPACK: dict[str, Callable[[str], Any]] = {
    ".gz": gzip.open,
    ".zst": _of_zstandard,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zip": _of_archive,
}


def _members(archive: ZipFile) -> list[ZipInfo]:
    """Return the files of an archive, without what macOS adds beside them."""
    listed = [member for member in archive.infolist() if not member.is_dir()]
    return [member for member in listed if not member.filename.startswith("__MACOSX/")]


def check_archive(path: str) -> None:
    """Refuse an archive that is not of one CSV file; one that cannot be opened is told elsewhere.

    Where the name of the archive says so, it is one of JSON lines: `visits.jsonl.zip`.

    Raises:
        InputError: it holds none, several or another kind of file, or a password is needed.
    """
    members: list[ZipInfo] | None
    try:
        with ZipFile(path) as archive:
            members = _members(archive)
    except Exception:  # noqa: BLE001 - its words may quote what it holds
        members = None
    if members is None:
        return
    name = shown(Path(path).name)
    kinds = [PurePosixPath(member.filename).suffix.lower() for member in members]
    is_json = path.lower().removesuffix(".zip").endswith(_JSON)
    wanted, words = (_JSON, "file of JSON lines") if is_json else (KINDS, "CSV file")
    if len(members) != 1 or kinds[0] not in wanted:
        raise InputError(
            f"{name} is not an archive of one {words}.",
            kind="file-kind",
            why=f"it holds {len(members)} files, and the one that is read is told by no name"
            if len(members) != 1
            else f"the name of the file in it ends in none of {', '.join(wanted)}",
            fix="unpack it, and name the file that is the table",
        )
    if members[0].flag_bits & _SECRET:
        raise InputError(
            f"{name} is an archive with a password.",
            kind="file-kind",
            why="discreet asks for none, and keeps none",
            fix="unpack it, and name the file that is the table",
        )
