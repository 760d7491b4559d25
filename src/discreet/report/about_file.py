"""about.json: what the publisher says, beside release.json and no part of it.

Rules of this module:
- it is read as if somebody hostile had written it: another text than ours is none;
- words that were put right after the release leave the day and the hash of those before, which the
  page tells, too; where that record is gone no others are put in their place.

Decision 58.
"""

import json
import os
import re
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from stat import S_IMODE
from typing import Any

from ..document.document import canonical
from ..document.regular import RefusedFile, regular
from ..errors import DiscreetError, InputError, shown
from ..plans.size import MOST_BYTES
from ..schema import About, about

NAME, PAGE = "about.json", "report.html"
MOST = 2**22  # bytes
_DAY, _HASH = re.compile(r"\d{4}-\d\d-\d\d"), re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Said:
    """What the publisher says, and when it was put right.

    Attributes:
        about: the words.
        changes: the day of each change, and the hash of the words before it.
    """

    about: About
    changes: tuple[tuple[str, str], ...] = ()

    @property
    def hash(self) -> str:
        """The SHA-256 of the words' canonical text."""
        return sha256(canonical(self.about.plain()).encode("ascii")).hexdigest()

    def corrected(self, words: About, day: str) -> "Said":
        """Return other words in the place of these, with these in the record."""
        if words.plain() == self.about.plain():
            return self
        return Said(words, (*self.changes, (day, self.hash)))

    def text(self) -> str:
        """Return what about.json holds."""
        plain: dict[str, Any] = {"about": self.about.plain(), "sha256": self.hash}
        if self.changes:
            plain["changes"] = [{"day": day, "before": before} for day, before in self.changes]
        return canonical(plain) + "\n"


NOTHING = Said(About())


def said_in(content: bytes) -> Said | None:
    """Return what an about.json says; None if it is none of ours."""
    try:
        plain = json.loads(content.decode("utf-8"))
        changes = [(change["day"], change["before"]) for change in plain.get("changes", ())]
        record = Said(about(**plain["about"]), tuple(changes))
        first = canonical({"about": record.about.plain()}) + "\n"  # as it was without a record
    except (DiscreetError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if not all(_is_change(*change) for change in record.changes):
        return None
    return record if content.decode("utf-8") in (record.text(), first) else None


def _is_change(day: object, before: object) -> bool:
    texts = isinstance(day, str) and isinstance(before, str)
    return texts and bool(_DAY.fullmatch(str(day)) and _HASH.fullmatch(str(before)))


def said_beside(path: Path) -> Said | None:
    """Return what is said beside a release.json, in its folder or zip; None where nothing is."""
    try:
        if path.is_dir():
            return said_in(regular(path / NAME, MOST)) if (path / NAME).exists() else None
        if not zipfile.is_zipfile(path):
            return None
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.namelist() if member.split("/")[-1] == NAME]
            if len(members) != 1:
                return None
            with archive.open(members[0]) as file:
                return said_in(file.read(MOST + 1))
    except (OSError, RefusedFile, RuntimeError, zipfile.BadZipFile):
        return None


def said_before(path: Path) -> Said:
    """Return what is said beside a release in a folder, or refuse to go on without the record.

    Raises:
        InputError: about.json is not as it was written, or is gone and the page tells of it.
    """
    record, lost = said_beside(path), ""
    if record is None and os.path.lexists(path / NAME):
        lost = f"{NAME} of {shown(path)} is not as it was written."
    elif record is None and _tells(path / PAGE):
        lost = f"{shown(path)} has lost its {NAME}."
    if lost:
        raise InputError(
            lost,
            kind="publishers-words",
            why="it keeps the hash of all words before, and that record would be lost in silence",
            fix=f"put {NAME} back from a copy of the release; if there is none, remove {NAME} and "
            f"{PAGE}: both are made anew, and the record begins with these words",
        )
    return record or NOTHING


def _tells(page: Path) -> bool:
    """Tell whether a page names the file of a publisher's words; in a text < is escaped."""
    with suppress(OSError, RefusedFile):
        return f"<dd>{NAME}, SHA-256".encode() in regular(page, MOST_BYTES)
    return False


def put(path: Path, name: str, content: str | bytes) -> None:
    """Write a file of a release's folder anew, whole or not at all, for those who could read it.

    Somebody else may have made the folder: what stands where we write first, such as a link that
    leads out of it, is taken away.
    """
    target, fresh = path / name, path / f".{name}.new"
    try:
        fresh.unlink(missing_ok=True)
        fresh.touch(mode=0o600, exist_ok=False)
        fresh.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        if target.is_file() and not target.is_symlink():
            fresh.chmod(S_IMODE(target.lstat().st_mode))
        fresh.replace(target)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink()
        raise InputError(
            f"{shown(target)} cannot be written: {error.strerror or error}.",
            kind="cannot-write",
            why="the folder is not writable, or the disk is full; this file stayed as it was",
            fix="free some room, or name a release in a folder that you can write to",
        ) from None
