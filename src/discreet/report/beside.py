"""The files beside release.json: whether they say what it says.

Rules of this module:
- a file that is not there is not at fault: release.json alone is a release;
- table.csv and report.html are made again and compared byte for byte; table.parquet cell by cell,
  because its bytes belong to the library that wrote it;
- a report by another version is left out: its words may have been others.
"""

import zipfile
import zlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from ..engine.parquet import rows_of_parquet
from .bundle import MOST_BYTES
from .csvfile import csv_text
from .document import Document
from .page import page
from .tidy import Tidy, tidy


def beside(document: Document, path: Path) -> dict[str, bool]:
    """Return, for each file beside a release.json that was looked at, whether it says the same.

    Args:
        document: what release.json holds.
        path: the folder or the zip; beside a release.json that stands alone nothing is looked at.
    """
    table = tidy(document)
    same: dict[str, Callable[[bytes], bool]] = {
        "table.csv": lambda found: found == csv_text(table).encode("utf-8"),
        "table.parquet": lambda found: rows_of_parquet(found) == _cells(table),
    }
    if document.software.version == version("discreet"):
        same["report.html"] = lambda found: found == page(document).encode("utf-8")
    read = {name: _read(path, name) for name in same}
    return {name: same[name](found) for name, found in read.items() if found is not None}


def _cells(table: Tidy) -> list[tuple[object, ...]]:
    columns = [table.column(name) for name in table.columns]
    return [table.columns, *zip(*columns, strict=True)]


def _read(path: Path, name: str) -> bytes | None:
    """Return a file's content; none if it is not there, nothing if it cannot be read."""
    try:
        if path.is_dir():
            return _content(path / name) if (path / name).exists() else None
        return _member(path, name) if zipfile.is_zipfile(path) else None
    except (OSError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error):
        return b""


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MOST_BYTES)


def _member(path: Path, name: str) -> bytes | None:
    with zipfile.ZipFile(path) as archive:
        found = [one for one in archive.infolist() if one.filename.split("/")[-1] == name]
        if len(found) != 1:
            return b"" if found else None
        with archive.open(found[0]) as file:
            return file.read(MOST_BYTES)
