"""Anchors: what was last seen of a ledger, kept outside its file, so that an older copy is found.

Rules of this module:
- a line says `id root seq head spent`: the root holds the header and so the budget, the head every
  entry up to it, and what stands spent is read where a copy that was put back goes on;
- a line is on the disk after the commit and before noise is drawn or an answer handed out;
- each user has a file for each ledger in their state folder; more are listed beside it, and what
  they are is known by `anchor_targets` alone, which a run without any does not load;
- lines of several processes may come out of order: the newest is that of the last turn with the
  highest number; a turn begins where an owner's act goes on from a copy that was put back;
- a line that is cut short, as by a crash, is no line; the user's own file that cannot be written is
  no fault: then `ledger verify` says that nothing was compared.

Decision 112.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass, fields
from hashlib import sha256
from operator import attrgetter
from pathlib import Path

from ..errors import shown
from ..paths import remembered
from .entry import canonical, purses_in, purses_text
from .rules import Head

_BLOCK = 2_048  # bytes at the end: some five lines
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT


@dataclass(frozen=True, slots=True)
class AnchorLine:
    """What one anchor holds of a ledger.

    Args:
        id: of the ledger.
        root: the hash of its header.
        seq, head: the number and the hash of its last entry.
        spent: what stood spent after it, as the entry writes it.
        when: the time of that entry.
        turn: how often a copy that was put back has gone on before.
    """

    id: str
    root: str
    seq: int
    head: str
    spent: str
    when: str
    turn: int = 0

    def text(self) -> str:
        """Return the line as it is written; what stands before it may have been cut short."""
        return f"\n{canonical({name: getattr(self, name) for name in _FIELDS})}\n"


AGE = attrgetter("turn", "seq")  # what is larger in the newer of two lines
_FIELDS = tuple(field.name for field in fields(AnchorLine))


def place_of(ledger: str) -> Path | None:
    """Return the user's own file for the ledger of an id; None for a user without a home."""
    return remembered("anchors", f"{sha256(ledger.encode()).hexdigest()[:32]}.lines")


def newest(ledger: str, *, writes: bool = False, own: bool = True) -> list[AnchorLine]:
    """Return the newest line of each anchor of a ledger that holds one.

    Args:
        ledger: its id.
        writes: whether a charge follows, for which a required anchor must be within reach.
        own: whether that of the user is asked for, too, which nobody can require.

    Raises:
        LedgerError: it is not.
    """
    place, lines = place_of(ledger), list[AnchorLine]()
    if place is None:
        return lines
    if own:
        with suppress(OSError):
            handle = os.open(place, os.O_RDONLY)
            try:
                os.lseek(handle, max(0, os.lseek(handle, 0, os.SEEK_END) - _BLOCK), os.SEEK_SET)
                last = lines_in(os.read(handle, _BLOCK), ledger)
            finally:
                os.close(handle)
            lines += sorted(last or lines_in(place.read_bytes(), ledger), key=AGE)[-1:]
    if os.path.exists(place.with_suffix(".targets")):  # noqa: PTH110 - no where it may not be seen
        from . import anchor_targets

        lines += anchor_targets.newest_of_targets(ledger, writes=writes)
    return lines


def lines_in(content: bytes, ledger: str) -> list[AnchorLine]:
    """Return the lines of a ledger in what an anchor holds; what is no line is left out."""
    lines = []
    for text in content.split(b"\n"):
        with suppress(ValueError, TypeError, KeyError, RecursionError):
            plain = json.loads(text)
            if plain["id"] == ledger:
                root, head = str(plain["root"]), str(plain["head"])
                spent, when = str(plain["spent"]), str(plain["when"])
                seq, turn = int(plain["seq"]), int(plain["turn"])
                line = AnchorLine(ledger, root, seq, head, spent, when, turn)
                purses_in(line.spent)
                lines.append(line)
    return lines


def line_of(head: Head, turn: int = 0) -> AnchorLine:
    """Return what an anchor keeps of a book."""
    when = head.header.created if head.last is None else head.last.when
    spent = purses_text(head.units)
    return AnchorLine(head.header.id, head.root(), head.seq, head.hash, spent, when, turn)


def note(line: AnchorLine, called: str) -> None:
    """Write down what a book has come to, in every anchor of it.

    Args:
        line: says it.
        called: the name of the ledger, for a message.

    Raises:
        LedgerError: a required anchor could not be written; the entry stands in the book.
    """
    place = place_of(line.id)
    if place is None:
        return
    with suppress(OSError):
        try:
            handle = os.open(place, _APPEND, 0o600)
        except FileNotFoundError:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(place, _APPEND, 0o600)
        try:
            os.write(handle, line.text().encode())
            os.fsync(handle)
        finally:
            os.close(handle)
    if os.path.exists(place.with_suffix(".targets")):  # noqa: PTH110 - no where it may not be seen
        from . import anchor_targets

        anchor_targets.note_in_targets(line, called)


def checked_against(ledger: str) -> str:
    """Return what `ledger verify` says of the anchors that the book was compared with."""
    lines = newest(ledger)
    if not lines:
        return ""
    count = "1 anchor" if len(lines) == 1 else f"{len(lines)} anchors"
    last = max(line.when for line in lines)
    return f"{count}, newest of {shown(last[:16].replace('T', ' '))}"


def uncompared(ledger: str) -> list[str]:
    """Return the anchors that were added and hold no line that the book could be compared with."""
    place = place_of(ledger)
    if place is None or not place.with_suffix(".targets").exists():
        return []
    from . import anchor_targets

    return anchor_targets.uncompared_targets(ledger)
