"""The files beside release.json: whether they say what it says.

Rules of this module:
- a file that is not there is not at fault: release.json alone is a release;
- all are made again and compared byte for byte: a Parquet file has room for more than its cells;
- where another version of DuckDB wrote table.parquet, its cells are compared, and that is said;
- a report by another version is left out: its words may have been others.
"""

import zipfile
import zlib
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from ..document.csvfile import csv_blocks
from ..document.document import Document
from ..document.labelled import NAME as LABELLED
from ..document.labelled import labelled
from ..document.tidy import Tidy, tidy
from ..engine.parquet import same_parquet, write_parquet, writer_of
from ..errors import shown
from ..plans.size import MOST_BYTES
from .page import page
from .said import NOTHING, said_beside


def beside(document: Document, path: Path) -> tuple[dict[str, bool], list[str]]:
    """Return whether each file beside a release.json says the same, and what was not looked at.

    Args:
        document: what release.json holds.
        path: the folder or the zip; beside a release.json that stands alone nothing is looked at.
    """
    table, said = tidy(document), said_beside(path) or NOTHING
    unchecked: list[str] = []
    same: dict[str, Callable[[IO[bytes]], bool]] = {
        "table.csv": lambda file: _holds(file, csv_blocks(table)),
        LABELLED: lambda file: _holds(file, csv_blocks(labelled(document, said.about))),
        "table.parquet": lambda file: _same_table(file.read(MOST_BYTES), table, unchecked),
    }
    if document.software.version == version("discreet"):
        same["report.html"] = lambda file: _holds(file, [page(document, said)])
    found = {name: _checked(path, name, same[name]) for name in same}
    return {name: answer for name, answer in found.items() if answer is not None}, unchecked


def _same_table(content: bytes, table: Tidy, unchecked: list[str]) -> bool:
    """Tell whether a Parquet file is the one that this version writes, or has its cells."""
    cells = [table.column(name) for name in table.columns]
    with TemporaryDirectory(prefix="discreet-") as folder:
        place = Path(folder, "table.parquet")
        write_parquet(place, columns=table.columns, kinds=table.kinds, cells=cells)
        again = place.read_bytes()
    if content == again or (by := writer_of(content)) == writer_of(again):
        return content == again
    wrote = "another program" if by is None else shown(by, 40)
    unchecked.append(f"what table.parquet holds beside its cells (written by {wrote})")
    return same_parquet(content, columns=table.columns, cells=cells)


def _holds(file: IO[bytes], texts: Iterable[str]) -> bool:
    """Tell whether a file holds these texts, one after the other, and nothing else."""
    wanted = (text.encode("utf-8") for text in texts)
    return all(file.read(len(part)) == part for part in wanted) and not file.read(1)


def _checked(path: Path, name: str, same: Callable[[IO[bytes]], bool]) -> bool | None:
    """Return whether a file is as it should be; none if it is not there."""
    try:
        if path.is_dir():
            return _opened(path / name, same) if (path / name).exists() else None
        return _member(path, name, same) if zipfile.is_zipfile(path) else None
    except (OSError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error):
        return False


def _opened(path: Path, same: Callable[[IO[bytes]], bool]) -> bool:
    with path.open("rb") as file:
        return same(file)


def _member(path: Path, name: str, same: Callable[[IO[bytes]], bool]) -> bool | None:
    with zipfile.ZipFile(path) as archive:
        found = [one for one in archive.infolist() if one.filename.split("/")[-1] == name]
        if len(found) != 1:
            return False if found else None
        with archive.open(found[0]) as file:
            return same(file)
