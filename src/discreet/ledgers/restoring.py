"""Going on from a copy of a ledger that was put back: what it has forgotten is charged first.

Rules of this module:
- the gap is what stood spent at an anchor's newest line, less what stood spent at the newest of its
  lines that the copy still holds: it is charged in full, purse by purse, and never free;
- that charge has an answer at once, so that it can never be voided;
- from then on anchors know the book as it goes on, and no older one.

Decision 112.
"""

from contextlib import suppress
from pathlib import Path

from ..errors import InputError
from ..privacy.loss import Loss
from . import anchor_targets, anchors, refusal, units
from .anchors import AnchorLine
from .entry import canonical, now, purses_in, text_hash, user
from .rules import ChargeRequest, Head
from .sqlite import File

KIND = "restored"


def restored(path: Path, *, why: str, who: str | None = None) -> Loss | None:
    """Charge what a copy that was put back has forgotten: `Ledger.restored` says how."""
    book = File(path, turn=0).book()
    head = Head(book.header, book.entries[-1] if book.entries else None, path.name)
    known = [lines for lines in _all(book.header.id) if lines]
    gap, behind = units.NOTHING, None
    for lines in known:
        newest = max(lines, key=anchors.AGE)
        if book.holds((newest.seq, newest.head)):
            continue
        if newest.root != head.header.hash():
            raise refusal.older_copy(head, newest.seq, newest.when, root=False)
        shared = [line for line in lines if book.holds((line.seq, line.head))]
        held = purses_in(max(shared, key=anchors.AGE).spent) if shared else units.NOTHING
        gap, behind = units.most(gap, units.taken(purses_in(newest.spent), held)), newest
    turn = 1 + max((line.turn for lines in known for line in lines), default=0)
    if behind is None:
        raise InputError(
            f"{head.name} holds every charge that its anchors have seen.",
            kind="ledger-older-copy",
            why="it is no older copy, as far as this user's anchors know"
            if known
            else "this user has no anchor of it",
            fix="go on with it as it is",
        )
    if not why.strip():
        raise refusal.not_restored(head.name)
    if gap == units.NOTHING:
        anchors.note(anchors.line_of(head, turn), path.name)
        return None
    loss = units.loss_of_units(gap, head.budget())
    _charge(File(path, turn=turn), behind, loss, why, who or user())
    return loss


def _charge(file: File, behind: AnchorLine, loss: Loss, why: str, who: str) -> None:
    """Write the charge and its answer."""
    event = {"act": KIND, "seq": behind.seq, "head": behind.head, "spent": behind.spent}
    text = canonical(event)
    ask = ChargeRequest(
        request=f"{KIND} {text_hash(text)[:16]} {now()}",
        plan=text_hash(text),
        loss=loss,
        events=[event],
        who=who,
        why=why,
        room=len(text.encode()),
    )
    paid = file.reserve(ask)
    file.settle(paid, text)


def _all(ledger: str) -> list[list[AnchorLine]]:
    """Return all lines of each anchor of a ledger."""
    place, own = anchors.place_of(ledger), list[AnchorLine]()
    if place is not None:
        with suppress(OSError):
            own = anchors.lines_in(place.read_bytes(), ledger)
    return [own, *anchor_targets.everywhere(ledger)]
