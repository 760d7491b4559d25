"""Anchors that somebody added: a file on another drive, a git repository, a table of Postgres.

Rules of this module:
- a list beside the user's own anchor says where they are; a ledger's own file says nothing of
  them, since a copy that is put back would say what it said then;
- what is out of reach gets its lines later, from an outbox; a required one refuses charges, and
  whatever only shows goes on;
- a git repository gets a commit for each line, of the file `discreet.anchors` alone; where another
  process is at work in it, it is tried again, and a line that another one has committed is there;
- processes of one user write one after the other, so that none takes away what another one has put
  into an outbox.
"""

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import InputError, LedgerError, shown
from ..fix import call
from ..paths import path_of
from . import anchors
from .anchors import AnchorLine
from .entry import canonical
from .sqlite_errors import CommitError

_FILE = "discreet.anchors"
_SECONDS = 30  # within which a repository or a server must answer
_WAIT, _STEP = 60 * 10**9, 50 * 10**6  # nanoseconds for others: in all, and at a time
_SERVERS = ("postgresql://", "postgres://")
_EXAMPLE = call("ledger.add_anchor", "people.anchor")
_MAKE = """CREATE TABLE IF NOT EXISTS discreet_anchor (
  id text NOT NULL, line text NOT NULL, at timestamptz NOT NULL DEFAULT pg_catalog.now())"""
_ADD = "INSERT INTO discreet_anchor (id, line) VALUES (%s, %s)"
_READ = "SELECT line FROM discreet_anchor WHERE id = %s ORDER BY at, ctid"
_OUT = (OSError, subprocess.SubprocessError)


@dataclass(frozen=True, slots=True)
class Target:
    """Where more lines of a ledger go.

    Args:
        to: a file, also that in the folder of a git repository, or the address of a Postgres
            database.
        required: whether charges are refused where it is out of reach.
    """

    to: str
    required: bool = False

    @property
    def is_server(self) -> bool:
        """Whether it is the address of a database."""
        return self.to.startswith(_SERVERS)

    def lines(self, ledger: str) -> list[AnchorLine]:
        """Return what it holds of a ledger; raises OSError where it is out of reach."""
        if self.is_server:
            return [
                line
                for (text,) in _asked(self.to, _READ, (ledger,))
                for line in anchors.lines_in(text.encode(), ledger)
            ]
        return anchors.lines_in(self._file().read_bytes(), ledger)

    def add(self, text: str, *, first: bool = False) -> None:
        """Write lines behind the others; raises OSError where it is out of reach.

        A file is made for the `first` line alone: a folder where a drive was is no anchor.
        """
        if self.is_server:
            for line in filter(None, text.split("\n")):
                _asked(self.to, _ADD, (json.loads(line)["id"], line))
            return
        place = self._file()
        _append(place, text, make=first)
        if place.parent.joinpath(".git").exists():
            _commit(place)

    def _file(self) -> Path:
        """Return its file; raises OSError where something else is, such as a pipe without end."""
        place = Path(self.to)
        if place.exists() and not place.is_file():
            raise FileNotFoundError(place)
        return place


def targets(ledger: str) -> list[Target]:
    """Return the anchors that were added to a ledger.

    Raises:
        LedgerError: the list of them cannot be read.
    """
    place = _list_of(ledger)
    try:
        texts = place.read_text(encoding="utf-8").splitlines() if place.exists() else []
        return [Target(**json.loads(text)) for text in texts if text]
    except (OSError, ValueError, TypeError) as error:
        raise LedgerError(
            f"the list of anchors {shown(place.name)} cannot be read.",
            kind="anchor-out-of-reach",
            why="it says what an older copy of the ledger is found by",
            fix=f"put it right, or remove {shown(place, 4_096)} and add its anchors again",
        ) from error


def add(line: AnchorLine, to: str | Path, *, required: bool) -> None:
    """Add an anchor to a ledger, and write its first line there.

    Args:
        line: what the book has come to.
        to: a file, the folder of a git repository, or the address of a Postgres database.
        required: whether charges are refused where it is out of reach.

    Raises:
        InputError: it is listed already, or out of reach.
    """
    target, ledger = Target(str(to), required), line.id
    if not target.is_server:
        place = path_of(to, "an anchor", _EXAMPLE).absolute()
        target = replace(target, to=str(place.joinpath(_FILE) if place.is_dir() else place))
    if any(known.to == target.to for known in targets(ledger)):
        raise InputError(
            f"{shown(target.to)} is an anchor of this ledger already.",
            kind="named-twice",
            why="each anchor is listed once",
            fix="give another file, repository or server",
        )
    try:
        target.add(line.text(), first=True)
    except _OUT as error:
        raise InputError(
            f"{shown(target.to)} cannot be written.",
            kind="cannot-write",
            why=f"an anchor needs a first line there ({_reason(error)})",
            fix="give a file in a folder that is there, the folder of a git repository, or the "
            "address of a Postgres database",
        ) from None
    place = _list_of(ledger)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _append(place, canonical({"to": target.to, "required": target.required}) + "\n")


def newest_of_targets(ledger: str, *, writes: bool) -> list[AnchorLine]:
    """Return the newest line of each anchor that was added and is within reach.

    Raises:
        LedgerError: a charge follows, and a required one is not.
    """
    lines = []
    for target in targets(ledger):
        try:
            held = target.lines(ledger)
        except _OUT as error:
            if target.required and writes:
                raise _out_of_reach(target, error) from error
            continue
        lines += sorted(held, key=anchors.AGE)[-1:]
    return lines


def uncompared(ledger: str) -> list[str]:
    """Return each anchor that was added and holds no line of a ledger, or is out of reach."""
    words = []
    for target in targets(ledger):
        try:
            if not target.lines(ledger):
                words.append(f"the anchor {shown(target.to)}, which holds no line of it")
        except _OUT as error:
            words.append(f"the anchor {shown(target.to)}, which is out of reach ({_reason(error)})")
    return words


def everywhere(ledger: str) -> list[list[AnchorLine]]:
    """Return all lines of each anchor that was added and is within reach."""
    known = []
    for target in targets(ledger):
        with suppress(*_OUT):
            known.append(target.lines(ledger))
    return known


def note_in_targets(line: AnchorLine, name: str) -> None:
    """Write a line to each anchor that was added, or into its outbox where it is out of reach.

    Args:
        line: what the book has come to.
        name: of the ledger, for the message.

    Raises:
        LedgerError: a required one is out of reach; the entry stands in the book.
    """
    missing = list[LedgerError]()
    with _turn(_list_of(line.id)):
        for number, target in enumerate(targets(line.id)):
            outbox = _list_of(line.id).with_suffix(f".outbox-{number}")
            error = _sent(target, line.text(), outbox)
            if error is not None and target.required:
                missing.append(_unanchored(target, error, name))
    if missing:
        raise missing[0] from CommitError()


def _sent(target: Target, text: str, outbox: Path) -> Exception | None:
    """Write a line, and what waits for its anchor; return why it is out of reach, if it is."""
    waiting = outbox.read_text(encoding="utf-8") if outbox.exists() else ""
    try:
        target.add(waiting + text)
    except _OUT as error:
        with suppress(OSError):
            _append(outbox, text)
        return error
    outbox.unlink(missing_ok=True)
    return None


def _out_of_reach(target: Target, error: Exception) -> LedgerError:
    return LedgerError(
        f"the anchor {shown(target.to)} is out of reach.",
        kind="anchor-out-of-reach",
        why=f"whoever added it requires it for each charge ({_reason(error)})",
        fix="bring it within reach, and run again",
    )


def _unanchored(target: Target, error: Exception, name: str) -> LedgerError:
    return LedgerError(
        f"an entry of {name} could not be written to the anchor {shown(target.to)}.",
        kind="anchor-out-of-reach",
        why=f"whoever added it requires it for each entry ({_reason(error)})",
        fix="bring it within reach, and run again",
    )


def _reason(error: Exception) -> str:
    """Return why something was out of reach, without a word of the system's own."""
    if isinstance(error, subprocess.CalledProcessError):
        return f"git ended with {error.returncode}"
    return type(error).__name__


def _list_of(ledger: str) -> Path:
    place = anchors.place_of(ledger)
    if place is None:
        raise LedgerError(
            "anchors are listed in the user's state folder, and this user has none.",
            kind="anchor-out-of-reach",
            why="neither XDG_STATE_HOME nor a home is set",
            fix="set XDG_STATE_HOME to a folder that only you can write",
        )
    return place.with_suffix(".targets")


def _append(place: Path, text: str, *, make: bool = True) -> None:
    """Write behind what a file holds, on the disk when this returns."""
    handle = os.open(place, os.O_WRONLY | os.O_APPEND | (os.O_CREAT if make else 0), 0o600)
    with os.fdopen(handle, "a", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _turn(place: Path) -> Iterator[None]:
    """Let one process at a time write; after a minute, or without such locks, it goes on."""
    with ExitStack() as held:
        with suppress(OSError, ImportError):
            import fcntl

            file, end = held.enter_context(place.open("rb")), time.monotonic_ns() + _WAIT
            while not _taken(lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB), end):
                time.sleep(_STEP / 10**9)  # exact: a pause
        yield


def _taken(lock: Callable[[], None], end: int) -> bool:
    """Tell whether a lock could be taken, or has been waited for until the end."""
    try:
        lock()
    except BlockingIOError:
        return time.monotonic_ns() > end
    return True


def _commit(place: Path) -> None:
    """Commit a file; raises SubprocessError where git does not, for another reason than a lock."""
    folder, end = place.parent, time.monotonic_ns() + _WAIT
    while True:
        try:
            _git(folder, "add", "--", place.name)
            if not _git(folder, "status", "--porcelain", "--", place.name):
                return
            _git(folder, "commit", "-q", "-m", "Anchor of a ledger", "--", place.name)
        except subprocess.CalledProcessError as error:
            is_locked = b"lock" in error.stderr or b"nothing to commit" in error.stdout
            if not is_locked or time.monotonic_ns() > end:
                raise
            time.sleep(_STEP / 10**9)  # exact: a pause
        else:
            return


def _git(folder: Path, *words: str) -> bytes:
    """Run git, and return what it prints."""
    quiet = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    done = subprocess.run(  # noqa: S603 - the words are ours
        ["git", "-C", str(folder), *words],  # noqa: S607 - the git that the user has
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=_SECONDS,
        env=quiet,
    )
    return done.stdout


def _asked(address: str, query: str, values: Sequence[str]) -> list[Any]:
    """Ask a server one thing; raises OSError where it does not answer, or refuses."""
    import psycopg

    try:
        with psycopg.connect(address, connect_timeout=_SECONDS) as connection:
            if query is not _READ:
                connection.execute(_MAKE)
            elif connection.execute("SELECT to_regclass('discreet_anchor')").fetchone() == (None,):
                return []
            done = connection.execute(query, values)
            return done.fetchall() if done.description else []
    except psycopg.Error as error:
        raise ConnectionError from error
