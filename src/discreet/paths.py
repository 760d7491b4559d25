"""What a caller gives where a path belongs.

Rules of this module:
- nothing is opened or looked up here: whether a path leads anywhere is for those who use it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from .errors import DiscreetError, InputError, as_given, shown
from .fix import Call, Do, Fix

_APART: ContextVar[str] = ContextVar("_APART", default="")  # of this thread, in place of the user's
_PLACES: dict[tuple[str, ...], Path] = {}  # that were asked for: a run asks for one five times
_OF_FILES = {  # endings that name one file of another kind
    *(".html", ".htm", ".json", ".csv", ".tsv", ".parquet", ".txt", ".md", ".pdf", ".png", ".svg"),
    *(".xlsx", ".xls", ".ods", ".toml", ".xml", ".docx", ".ledger"),
}


def at_home(path: str) -> str:
    """Return a path of which `~` at the start is the caller's own folder, as in a shell."""
    return os.path.expanduser(path)  # noqa: PTH111 - it may be no path at all


def no_folder(place: Path, ways: Fix, *, beside: str = "") -> InputError | None:
    """Return the refusal to make a release where a file of another kind is named; None if it fits.

    Args:
        place: where the folder, or the zip, would lie.
        ways: what to write in its place.
        beside: what else to say of it.
    """
    if place.suffix.lower() not in _OF_FILES:
        return None
    return InputError(
        f"{shown(place.name)} is the name of a file, and a release is a folder.",
        kind="place-taken",
        why=f"the folder holds report.html, table.csv, table.parquet and release.json{beside}",
        fix=ways,
    )


def taken(
    place: object, *, why: str, fix: Fix, error: type[DiscreetError] = InputError
) -> DiscreetError:
    """Return the refusal to write where something is; nothing is ever written over."""
    return error(f"{shown(place)} is there already.", kind="place-taken", why=why, fix=fix)


def path_of(value: object, what: str, example: Call) -> Path:
    """Return a path, or raise InputError for what cannot be one.

    Args:
        value: text, or a path.
        what: what it leads to, for the message.
        example: what could be called in its place.
    """
    if not isinstance(value, (str, os.PathLike)) or not isinstance(os.fspath(value), str):
        raise InputError(
            f"{as_given(value)} is not a path to {what}.",
            kind="wrong-type",
            why=f"it is of type {type(value).__name__}; a path is text",
            fix=Do(example),
        )
    text = os.fspath(value)
    path = Path(at_home(text) if text.startswith("~") else text)
    try:
        sound = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        sound = False
    if not sound:
        raise InputError(
            f"{shown(path)} is not a path to {what}.",
            kind="wrong-type",
            why="no file can have this name: it holds NUL, or half of a character",
            fix=Do(example),
        )
    return path


def remembered(*names: str) -> Path | None:
    """Return a place of what discreet remembers for its user; None for a user without a home."""
    text = _APART.get() or os.environ.get("XDG_STATE_HOME", "")
    asked = (text, os.environ.get("HOME", ""), *names)
    if asked not in _PLACES:
        state = Path(text)
        try:
            base = (state,) if state.is_absolute() else (Path.home(), ".local", "state")
        except RuntimeError:
            return None
        _PLACES[asked] = Path(*base, "discreet", *names)
    return _PLACES[asked]


@contextmanager
def remembered_in(folder: str) -> Iterator[None]:
    """Let this thread remember in another folder; what other threads remember stays the user's."""
    token = _APART.set(folder)
    try:
        yield
    finally:
        _APART.reset(token)
