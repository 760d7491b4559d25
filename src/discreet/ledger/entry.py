"""The lines of the book as plain data, and the hashes that chain them.

Rules of this module:
- canonical JSON: keys sorted, no spaces, no floats; equal data has one text, on every machine;
- an entry's hash covers every other field; a field that is added later is covered by itself.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from hashlib import sha256
from typing import Literal

from ..errors import InputError
from ..privacy.loss import AnyLoss, loss_of

FORMAT = 1

Event = dict[str, object]
Head = tuple[int, str]
EntryKind = Literal["charge", "result", "void"]

_JSON = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True, slots=True)
class Header:
    """What a book protects and how much of it may be lost.

    Args:
        id: a random text that tells this book from every other.
        created: ISO 8601, UTC.
        budget: the whole budget, as `Loss.plain()` writes it.
        subject: the declared name of the data set that the budget protects.
        format: the version of these rules.
    """

    id: str
    created: str
    budget: dict[str, str]
    subject: str
    format: int = FORMAT

    def hash(self) -> str:
        """Return the hash from which the first entry chains."""
        return _digest({f.name: getattr(self, f.name) for f in fields(self)})


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the book.

    Args:
        seq: its number, from 1.
        when: ISO 8601, UTC.
        who: who asked, answered or voided.
        why: the purpose of a charge or the reason of a void, free text.
        kind: a charge pays, a result stores the answer, a void takes a charge back.
        request: the request's id.
        plan: the digest of the canonical plan, hex.
        loss: what a charge costs, in the budget's kind, as `Loss.plain()` writes it.
        events: the mechanisms that a charge pays for, as plain data.
        result: the stored release document, verbatim.
        refers: the seq of the charge that a result or a void settles.
        previous: the hash of the entry before.
        hash: sha256 over the canonical JSON of all other fields.
        token: a charge's own random text, by which the run that made it finds it again.
        room: how many bytes a charge keeps free for its answer.
        data: what a result says of its data: the commitment to a fingerprint, or "".
        rest: how many more entries its transaction wrote; only voids come several at once.
    """

    seq: int
    when: str
    who: str
    why: str
    kind: EntryKind
    request: str
    plan: str
    loss: dict[str, str] | None
    events: list[Event]
    result: str | None
    refers: int | None
    previous: str
    hash: str
    token: str = ""
    room: int = 0
    data: str = ""
    rest: int = 0

    def digest(self) -> str:
        """Return what `hash` must be."""
        return _digest({name: getattr(self, name) for name in _HASHED})


_HASHED = tuple(f.name for f in fields(Entry) if f.name != "hash")


def canonical(value: object) -> str:
    """Return the one JSON text of plain data.

    Example:
        >>> canonical({"rho": "1/50", "kind": "zcdp"})
        '{"kind":"zcdp","rho":"1/50"}'
    """
    return _JSON.encode(value)


def loss_in(plain: dict[str, str] | None) -> AnyLoss | None:
    """Return the loss that plain data describes, or None where it describes none."""
    try:
        return _loss_in(tuple((plain or {}).items()))
    except (KeyError, TypeError, ValueError):
        return None


@lru_cache(maxsize=4096)
def _loss_in(items: tuple[tuple[str, str], ...]) -> AnyLoss | None:
    loss = loss_of(dict(items))
    return loss if loss.plain() == dict(items) else None


def plain_events(events: Sequence[Event]) -> list[Event]:
    """Return a copy of the events as they will be read back, or raise InputError."""
    try:
        copy: list[Event] = json.loads(canonical(list(events)))
        canonical(copy).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise _not_plain() from error
    if not all(isinstance(event, dict) for event in copy) or not _is_frozen(copy):
        raise _not_plain()
    return copy


def checked_text(text: object, name: str) -> str:
    """Return a text that every machine can store, or raise InputError."""
    if isinstance(text, str) and "\0" not in text:
        try:
            text.encode()
        except UnicodeEncodeError:
            pass
        else:
            return text
    raise InputError(
        f"{name} cannot be written into a ledger.",
        why="the ledger keeps Unicode text without the character zero",
        fix=f"write {name} as ordinary text",
    )


def _is_frozen(value: object) -> bool:
    """Tell whether plain data holds no float, whose text could change between versions."""
    if isinstance(value, dict):
        return all(_is_frozen(item) for item in value.values())
    if isinstance(value, list):
        return all(_is_frozen(item) for item in value)
    return value is None or isinstance(value, str | int)


def _not_plain() -> InputError:
    return InputError(
        "an event of this plan is not plain data.",
        why="the ledger keeps text, whole numbers, lists and dictionaries, so that any program "
        "can make the account again in ten years",
        fix='write each exact number as text, for example "1/50"',
    )


def _digest(value: object) -> str:
    return sha256(canonical(value).encode()).hexdigest()
