"""The files beside release.json: whether they say what it says.

All that lies in a saved release: what is checked, what cannot be, and what does not belong.

Rules of this module:
- a file that is not there is not at fault: release.json alone is a release;
- all are made again and compared byte for byte: a Parquet file has room for more than its cells;
- where another version of DuckDB wrote table.parquet, its cells are compared, and that is said;
- a report by another version is left out: its words may have been others;
- each name is accounted for: a file that no release holds may hold data, and is never passed over;
- only regular files are read, up to the length that they can have; nothing is unpacked to the disk.
"""

import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from ..document.document import Document
from ..document.headings import NAME as LABELLED
from ..document.headings import labelled
from ..document.mapfile import NAME as MAP
from ..document.mapfile import places_of, same_map
from ..document.regular import at_most, csv_blocks, regular
from ..document.tidy import Tidy, tidy
from ..engine.parquet import same_parquet, write_parquet, writer_of
from ..errors import shown, visible
from ..plans.size import MOST_BYTES
from .about_file import MOST, NOTHING, Said, said_beside, said_in
from .about_file import NAME as ABOUT
from .bundle import DERIVED, DERIVED_TABLE, NAME, readme
from .metadata import CARD
from .page import page


def beside(document: Document, path: Path) -> tuple[dict[str, bool], list[str]]:
    """Return whether each file beside a release.json says the same, and what was not looked at.

    Args:
        document: what release.json holds.
        path: the folder or the zip; beside a release.json that stands alone nothing is looked at.
    """
    table, record = tidy(document), said_beside(path) or NOTHING
    unchecked: list[str] = []
    same: dict[str, Callable[[IO[bytes]], bool]] = {
        "table.csv": lambda file: _holds(file, csv_blocks(table)),
        LABELLED: lambda file: _holds(file, csv_blocks(labelled(document, record.about))),
        "table.parquet": lambda file: _same_table(at_most(file, MOST_BYTES), table, unchecked),
    }
    if document.software.version == version("discreet"):
        same["report.html"] = lambda file: _is_page(
            at_most(file, MOST_BYTES), document, record, path
        )
    answers = {name: _checked(path, name, same[name]) for name in same}
    return {name: answer for name, answer in answers.items() if answer is not None}, unchecked


def _is_page(content: bytes, document: Document, record: Said, path: Path) -> bool:
    """Tell whether a page is made of the release; of a map also with the picture beside it."""
    if content == page(document, record).encode("utf-8"):
        return True
    if places_of(document) is None:
        return False
    try:
        picture = _content(path, PICTURE, MOST_BYTES)
    except (OSError, KeyError):
        return False
    return content == page(document, record, picture).encode("utf-8")


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
        members = [
            member for member in archive.infolist() if member.filename.split("/")[-1] == name
        ]
        if len(members) != 1:
            return False if members else None
        with archive.open(members[0]) as file:
            return same(file)


TABLES = ("table.csv", LABELLED, "table.parquet")
_DERIVED_BYTES = 2**24
REPORT, TEXT, PICTURE = "report.html", "README.txt", "map.png"
_NAMED = 5  # strangers that are named; more are only told to be there
_PLACE_BYTES, _MAP_BYTES = 600, 65_536  # of map.geojson: for each place, and for the rest
Again = Callable[[Document, bytes], str | None]


@dataclass(frozen=True, slots=True)
class Others:
    """What was found beside release.json and its tables.

    Attributes:
        same: the files that say what release.json says.
        changed: those that do not.
        unchecked: what cannot be checked, each a clause with its reason.
        strange: names of files and folders that belong to no release.
    """

    same: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()


def others(document: Document, path: Path, again: Again) -> Others:
    """Return what lies beside a release.json, but for what is compared cell by cell (`beside`).

    Args:
        document: what release.json holds.
        path: the folder, the zip, or a release.json alone.
        again: makes the derived.csv that belongs to a derived.json; None unless that follows.
    """
    is_map, words = places_of(document) is not None, said_beside(path)
    known = {
        NAME,
        *TABLES,
        REPORT,
        TEXT,
        DERIVED,
        DERIVED_TABLE,
        ABOUT,
        *((MAP, PICTURE) if is_map else ()),
        *([CARD] if words is not None and words.about.url else []),
    }
    if path.is_file() and not zipfile.is_zipfile(path):
        near = [name for name in sorted(known - {path.name}) if (path.parent / name).exists()]
        return Others(unchecked=(f"{', '.join(near)} (for that give the folder)",) if near else ())
    names = list(islice(_names(path), len(known) + _NAMED))
    checks = {name: same for name, same in _checks(document, path, again).items() if name in names}
    answers = {name: _agrees(same) for name, same in checks.items()}
    return Others(
        same=tuple(name for name, same in answers.items() if same and name not in (REPORT, ABOUT)),
        changed=tuple(name for name, same in answers.items() if not same),
        unchecked=tuple(_unchecked(document, names)),
        strange=tuple(sorted({n for n in names if n not in known or names.count(n) > 1})),
    )


def _checks(document: Document, path: Path, again: Again) -> dict[str, Callable[[], bool]]:
    """Return how each file is checked; of a report by another version only who wrote it."""
    most = _MAP_BYTES + _PLACE_BYTES * sum(v.cells for v in document.statistics[0].vectors)

    @cache
    def derived() -> str | None:
        return again(document, _content(path, DERIVED, _DERIVED_BYTES))

    same: dict[str, Callable[[], bool]] = {
        MAP: lambda: same_map(document, _content(path, MAP, most)),
        ABOUT: lambda: said_in(_content(path, ABOUT, MOST)) is not None,
        DERIVED: lambda: derived() is not None,
        DERIVED_TABLE: lambda: (
            (table := derived()) is not None
            and _content(path, DERIVED_TABLE, _DERIVED_BYTES) == table.encode("utf-8")
        ),
    }
    if document.software.version == version("discreet"):
        text = readme(document).encode("utf-8")
        same[TEXT] = lambda: _content(path, TEXT, len(text)) == text
    else:
        same[REPORT] = lambda: _wrote(document) in _content(path, REPORT, MOST_BYTES)
    return same


def _wrote(document: Document) -> bytes:
    """Return what a report says of the version that wrote it."""
    software = document.software
    return escape(visible(f"by {software.name} {software.version}")).encode("utf-8")


def _unchecked(document: Document, names: Sequence[str]) -> Iterator[str]:
    pages = [name for name in (REPORT, TEXT) if name in names]
    if pages and document.software.version != version("discreet"):
        wrote = shown(f"{document.software.name} {document.software.version}")
        yield f"{' and '.join(pages)} (written by {wrote}, and this is {version('discreet')})"
    if MAP in names:
        yield f"the cleaned numbers in {MAP} (they follow from the map's roads, too)"
    if ABOUT in names:
        yield f"what {ABOUT} says (the publisher's own words)"
    for picture in (PICTURE, CARD):
        if picture in names:
            yield f"{picture} (a picture)"


def _agrees(same: Callable[[], bool]) -> bool:
    try:
        return same()
    except (OSError, RuntimeError, EOFError, ValueError, zipfile.BadZipFile, zlib.error):
        return False


def _names(path: Path) -> Iterator[str]:
    """Return the name of everything in a folder or a zip; what is no file is told by a sign."""
    if path.is_dir():
        with os.scandir(path) as entries:
            yield from (entry.name if entry.is_file() else _no_file(entry) for entry in entries)
        return
    with zipfile.ZipFile(path) as archive:
        root = _root(archive)
        yield from (name.removeprefix(root) for name in archive.namelist() if name != root)


def _no_file(entry: "os.DirEntry[str]") -> str:
    return f"{entry.name}/" if entry.is_dir() else f"{entry.name} (no file)"


def _root(archive: zipfile.ZipFile) -> str:
    """Return the folder in which a zip holds the release, with its slash, or nothing."""
    name = next(name for name in archive.namelist() if name.split("/")[-1] == NAME)
    return name.removesuffix(NAME)


def derived_text(path: Path) -> bytes | None:
    """Return the derived.json of a saved release; None where there is none to read."""
    try:
        if not path.is_dir() and not zipfile.is_zipfile(path):
            return None
        return _content(path, DERIVED, _DERIVED_BYTES)
    except (OSError, KeyError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error):
        return None


def _content(path: Path, name: str, most: int) -> bytes:
    """Return the content of a file of the release, or more than `most` bytes of it."""
    if path.is_dir():
        return regular(path / name, most)
    with zipfile.ZipFile(path) as archive, archive.open(_root(archive) + name) as file:
        return file.read(most + 1)
