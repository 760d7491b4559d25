"""A release as a folder or a zip: written whole or not at all, and read with suspicion.

Rules of this module:
- release.json is `document.text()` and a line feed; the rest is made of it again at any time;
- everything is written beside the target and moved there in one step: a full disk or a Ctrl-C
  leaves nothing under the target's name, and what a kill leaves the next save there removes;
- files are 0600 and folders 0700: the numbers are public once their owner says so, and not before.
  Many releases have an embargo, and the machine they are made on is often shared;
- what is read is bounded in size, never unpacked to the disk, and taken from one name only.
"""

import errno
import os
import struct
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from textwrap import fill

from ..document.accessors import kinds_of, stated_told
from ..document.check import checked_document
from ..document.document import Document
from ..document.headings import NAME as LABELLED
from ..document.headings import check_about, is_labelled, labelled
from ..document.mapfile import places_of
from ..document.regular import RefusedFile, csv_blocks, opened, regular, scratch
from ..document.tidy import tidy
from ..engine.parquet import write_parquet
from ..errors import DiscreetError, InputError, shown
from ..paths import taken
from ..plans.size import MOST_BYTES
from ..schema import NO_FACTS, About, cells_said, sizes_said, table_of
from .about_file import NAME as ABOUT
from .about_file import Said, put, said_before
from .metadata import CARD
from .page import page
from .words import groups_said

NAME = "release.json"
MAP_PICTURE = "map.png"
DERIVED, DERIVED_TABLE = "derived.json", "derived.csv"  # beside it, where something was derived
_MOST_MEMBERS = 64
_MOST_RATIO = 1_032  # deflate, in which we pack, cannot do more
_FEW_LISTS, _PER_LIST = 1_000, 8  # a row takes more characters: empty lists cost 24 times theirs
_FREE_BYTES = 2**20  # up to here the ratio does not matter
_END = struct.Struct("<4s4H2LH")  # of the list of members in a zip
_TAIL = 2**16 + _END.size  # where that may begin, for the comment behind it
_MOMENT = (1980, 1, 1, 0, 0, 0)  # a zip without the time it was packed: same release, same bytes
_THERE = {errno.EEXIST, errno.ENOTEMPTY}
_SHEET_ROWS = 2**20  # of a spreadsheet, the names of the columns among them
_README = (
    "A differentially private release; open report.html first. The numbers are in table.csv and "
    "table.parquet,\neverything about them in release.json, which `discreet verify` checks "
    "without data.\n`discreet table` lays them out wide, crossed, as a workbook and as SDMX-CSV.\n"
)
_TIMES = (
    "In the tables and in release.json a value of a column of days is a number of days from "
    "1970-01-01,\nand one of moments a number of seconds from then, in UTC.\n"
)
_LONG = "table.csv has more rows than a spreadsheet shows: it would leave the rest out.\n"


def save(
    document: Document,
    path: str | PathLike[str],
    *,
    also: Mapping[str, Iterable[str]] | None = None,
    about: About | None = None,
) -> Path:
    """Write a release as a folder, or as a zip where the path ends in .zip, and return the path.

    `also` is the files of what was derived of it, `about` what the publisher says.

    Raises:
        InputError: the path is there already or cannot be written, or words do not fit the release.
    """
    record = Said(check_about(about, document))
    target, more = Path(path), {**(also or {})}
    more |= {ABOUT: (record.text(),)} if about is not None else {}
    if os.path.lexists(target):
        raise _taken(target)
    try:
        with _beside(target) as folder:
            made = _zipped(folder) if target.suffix.lower() == ".zip" else folder
            _fill(document, folder, more, record)
            if made is not folder:
                _pack(folder, made)
            _put(made, target)
    except OSError as error:
        if error.errno in _THERE:
            raise _taken(target) from None
        raise InputError(
            f"{shown(target)} cannot be written: {error.strerror or error}.",
            kind="cannot-write",
            why="the folder is missing, not writable, or the disk is full; nothing was left there",
            fix="name a path in a folder that you can write to",
        ) from None
    return target


def load_document(path: str | PathLike[str]) -> Document:
    """Return the document of a release that was saved as a folder, a zip or a release.json.

    Raises:
        InputError: there is no release, or it is not whole.
    """
    source = Path(path)
    try:
        return checked_document(_text(source))
    except (OSError, UnicodeDecodeError, ValueError, zipfile.BadZipFile) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"no release can be read at {shown(source)}.",
            kind="not-a-release",
            why="there is no such file or folder, it may not be read, or it is broken",
            fix="give the folder, the zip or the release.json that `discreet release` wrote",
        ) from None


def annotate(document: Document, path: Path, about: About) -> Said:
    """Put what the publisher says in the place of what was said, and write the page again.

    Returns: the words, with the day (in UTC) and the hash of those before them on record.

    Raises:
        InputError: the release is no folder, or cannot be written, or words do not fit it, or the
            record of those before is gone.
    """
    words = check_about(about, document)
    if not path.is_dir():
        raise InputError(
            f"{shown(path)} is no folder.",
            kind="no-such-file",
            why="words are changed in a folder; a zip is made of it again",
            fix="unpack it first, and give the folder",
        )
    record = said_before(path).corrected(words, f"{datetime.now(UTC):%Y-%m-%d}")
    picture = regular(path / MAP_PICTURE, MOST_BYTES) if has_map(document, path) else b""
    texts = {ABOUT: record.text(), "report.html": page(document, record, picture)}
    if is_labelled(words):
        texts[LABELLED] = "".join(csv_blocks(labelled(document, words)))
    for name, text in texts.items():
        put(path, name, text)
    if LABELLED not in texts:
        (path / LABELLED).unlink(missing_ok=True)
    if card := _card(document, words):
        put(path, CARD, card)
    else:
        (path / CARD).unlink(missing_ok=True)
    return record


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Give an empty folder on the target's disk; what is still there at the end is removed."""
    with scratch(target.parent) as outer:
        folder = outer / "release"
        folder.mkdir(mode=0o700)
        yield folder


def _put(made: Path, target: Path) -> None:
    """Move a release to its place in one step; raises OSError where something has come there.

    A folder is never moved over one that holds anything, but a file is over any other: a second
    name is not. On a drive that knows no second names the last of two at one moment stays.
    """
    if made.is_file():
        try:
            target.hardlink_to(made)
        except OSError as error:
            if error.errno in _THERE:
                raise
        else:
            return
    made.rename(target)


def _taken(target: Path) -> DiscreetError:
    why = "a release is never written over"
    return taken(target, why=why, fix="name another path, or move that one away first")


def _zipped(folder: Path) -> Path:
    return folder.with_suffix(".zip")


def readme(document: Document) -> str:
    """Return what README.txt says beside the table of a release."""
    rows = sum(len(released.answer.rows) for released in document.statistics)
    kinds = {kind for released in document.statistics for kind in kinds_of(document, released)}
    table = table_of(document.plan["table"])
    sizes = [sizes_said(table)] if table.facts != NO_FACTS else []
    lines = (*stated_told(document), *sizes, *cells_said(table), *groups_said(document))
    missing = "".join(f"{fill(line, 100)}\n" for line in lines)
    more = _LONG * (rows >= _SHEET_ROWS) + _TIMES * (kinds != {"number"})
    return _README + missing + more


def has_map(document: Document, path: Path) -> bool:
    """Tell whether a heat map's picture lies in its folder."""
    return (path / MAP_PICTURE).is_file() and places_of(document) is not None


def _card(document: Document, about: About) -> bytes:
    """Return the picture for those who link to a release; none where it has no address."""
    if not about.url:
        return b""
    from .card import card_of

    return card_of(document, about)


def _fill(
    document: Document, folder: Path, more: Mapping[str, Iterable[str]], record: Said
) -> None:
    table = tidy(document)
    if is_labelled(record.about):
        more = {**more, LABELLED: csv_blocks(labelled(document, record.about))}
    parts: dict[str, Iterable[str]] = {
        **more,
        NAME: (document.text(), "\n"),
        "table.csv": csv_blocks(table),
        "report.html": (page(document, record),),
        "README.txt": (readme(document),),
    }
    for name, texts in parts.items():
        write_new(folder / name, (text.encode("utf-8") for text in texts))
    if card := _card(document, record.about):
        write_new(folder / CARD, (card,))
    write_parquet(
        folder / "table.parquet",
        columns=table.columns,
        kinds=table.kinds,
        cells=[table.column(name) for name in table.columns],
    )


def write_new(path: Path, content: Iterable[bytes]) -> None:
    """Write a file of our own that is not there yet, as far as the disk."""
    path.touch(mode=0o600, exist_ok=False)
    with path.open("wb") as file:
        file.writelines(content)
        file.flush()
        os.fsync(file.fileno())


def _pack(folder: Path, target: Path) -> None:
    target.touch(mode=0o600, exist_ok=False)
    target.chmod(0o600)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            member = zipfile.ZipInfo(file.name, _MOMENT)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            archive.writestr(member, file.read_bytes())


def _text(path: Path) -> str:
    if path.is_dir():
        path = path / NAME
    try:
        with opened(path) as file:
            is_zip = file.read(4) == b"PK\x03\x04"
        content = _unpacked(path) if is_zip else regular(path, MOST_BYTES)
    except RefusedFile as error:
        raise _suspicious(str(error.strerror)) from None
    if len(content) > MOST_BYTES:
        raise _suspicious("it is larger than any release")
    if content.count(b"[") + content.count(b"{") > _FEW_LISTS + len(content) // _PER_LIST:
        raise _suspicious("it holds more lists than a release has numbers for")
    return content.decode("utf-8")


def _unpacked(path: Path) -> bytes:
    _check_directory(path)
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > _MOST_MEMBERS:
            raise _suspicious("the zip holds more files than a release has")
        if any(_leaves(member.filename) for member in members):
            raise _suspicious("the zip names files outside itself")
        documents = [member for member in members if member.filename.split("/")[-1] == NAME]
        if len(documents) != 1 or documents[0].filename.count("/") > 1:
            raise _suspicious(f"the zip does not hold one {NAME}")
        if documents[0].flag_bits & 1:
            raise _suspicious("the zip is encrypted")
        if documents[0].file_size > max(_FREE_BYTES, _MOST_RATIO * documents[0].compress_size):
            raise _suspicious("the zip is packed far more tightly than a release can be")
        try:
            with archive.open(documents[0]) as file:
                return file.read(MOST_BYTES + 1)
        except (RuntimeError, NotImplementedError, EOFError, zipfile.zlib.error):  # type: ignore[attr-defined]
            raise _suspicious("the zip is broken") from None


def _check_directory(path: Path) -> None:
    """Refuse a list of members beyond every release, before it is read whole.

    The list's end is found as `zipfile` finds it: 22 bytes before the end, or above a comment.
    """
    with opened(path) as file:
        file.seek(max(0, path.stat().st_size - _TAIL))
        tail = file.read(_TAIL)
    at = len(tail) - _END.size
    if tail[at : at + 4] != b"PK\x05\x06" or tail[-2:] != b"\0\0":
        at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + _END.size:
        return  # no zip: told when it is opened
    *_, members, length, _, _ = _END.unpack_from(tail, at)
    is_long = tail[max(0, at - 20) : at].startswith(b"PK\x06\x07")  # of 64 bits
    if is_long or members > _MOST_MEMBERS or length > _FREE_BYTES:
        raise _suspicious("the zip holds more files than a release has")


def _leaves(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or "\0" in name


def _suspicious(why: str) -> InputError:
    return InputError(
        "this file is not a release of discreet.",
        kind="not-a-release",
        why=why,
        fix="give the folder, the zip or the release.json that `discreet release` wrote",
    )
