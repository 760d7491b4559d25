"""about.json: what the publisher says, beside release.json and no part of it.

Rules of this module:
- it is read as if somebody hostile had written it: another text than ours is none.
"""

import json
import zipfile
from pathlib import Path

from ..document.document import canonical
from ..document.regular import RefusedFile, regular
from ..errors import DiscreetError, InputError, shown
from ..schema import About, about

NAME = "about.json"
MOST = 2**22  # bytes


def text_of(said: About) -> str:
    """Return what is said as the text of about.json."""
    return canonical({"about": said.plain()}) + "\n"


def said_in(content: bytes) -> About | None:
    """Return what an about.json says; None if it is none of ours."""
    try:
        found = about(**json.loads(content.decode("utf-8"))["about"])
    except (DiscreetError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return found if text_of(found).encode("utf-8") == content else None


def said_beside(path: Path) -> About | None:
    """Return what is said beside a release.json, in its folder or zip; None where nothing is."""
    try:
        if path.is_dir():
            return said_in(regular(path / NAME, MOST)) if (path / NAME).exists() else None
        if not zipfile.is_zipfile(path):
            return None
        with zipfile.ZipFile(path) as archive:
            found = [one for one in archive.namelist() if one.split("/")[-1] == NAME]
            if len(found) != 1:
                return None
            with archive.open(found[0]) as file:
                return said_in(file.read(MOST + 1))
    except (OSError, RefusedFile, RuntimeError, zipfile.BadZipFile):
        return None


def put(path: Path, name: str, text: str) -> None:
    """Write a file of a release's folder anew, whole or not at all."""
    fresh = path / f".{name}.new"
    try:
        fresh.touch(mode=0o600, exist_ok=True)
        fresh.write_text(text, "utf-8", newline="")
        fresh.replace(path / name)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise InputError(
            f"{shown(path / name)} cannot be written: {error.strerror or error}.",
            why="the folder is not writable, or the disk is full; nothing was changed",
            fix="free some room, or name a release in a folder that you can write to",
        ) from None
