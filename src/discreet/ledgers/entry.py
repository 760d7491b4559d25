"""The lines of the book as plain data, and the hashes that chain them.

What a ledger notes for people: the time and the user's name. No rule depends on them.

What the book keeps of the data that an answer was made of: a keyed fingerprint.

Rules of this module:
- canonical JSON: keys sorted, no spaces, no floats; equal data has one text, on every machine;
- an entry's hash covers every other field; a field that is added later is covered by itself. Of
  what can be long, events and answers, it covers the hash, so that a charge need not read them;
- the root, which is the hash of the header and so of the budget, is in every entry's hash;
- a fingerprint is for the ledger's file alone: no entry, message, table or export holds it; an
  entry holds a commitment to it, so that the chain is whole without it;
- the key never comes here: it lies beside the data, and whoever can read only one of the two files
  learns nothing of the data from it;
- everything that says how the data looks is keyed, the size and the times of its files too.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, fields
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Literal

from ..errors import InputError
from ..privacy.loss import Loss, kept, loss_of

FORMAT = 2
_AT_ONCE = 1 << 20  # letters that are hashed at once
ROOT_CAP = 1  # the whole budget; caps below it have room in the layout, and no rules yet

Event = dict[str, object]
Seen = tuple[int, str]  # the seq and hash of an entry, as a release carries it
Purses = tuple[int, int, int]
EntryKind = Literal["charge", "result", "void"]
State = Literal["answered", "open", "void"]  # of a charge
_PROMISE = ("epsilon", "delta")  # of a budget of purses: what they keep together
LATER = ("reuse", "approve", "topup", "close")  # kinds that the layout has room for

_JSON = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True, slots=True)
class Header:
    """What a book protects and how much of it may be lost.

    Args:
        id: a random text that tells this book from every other.
        created: ISO 8601, UTC.
        budget: the whole budget, as `Loss.plain()` writes it.
        subject: the declared name of the data set that the budget protects.
        carried, origin: always 0 and ""; the layout has room for entries of another ledger.
        format: the version of these rules.
    """

    id: str
    created: str
    budget: dict[str, str]
    subject: str
    carried: int = 0
    origin: str = ""
    format: int = FORMAT

    def hash(self) -> str:
        """Return the root: the hash from which the first entry chains, and that all others hold."""
        return text_hash(canonical({f.name: getattr(self, f.name) for f in fields(self)}))


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
        loss: the cost of a charge, in the budget's kind, in the form of `Loss.plain()`.
        events: the mechanisms that a charge pays for, as plain data; None if they were not read.
        result: the stored release document, verbatim; None if there is none, or if it was not read.
        refers: the number of the charge that a result or a void settles.
        previous: the hash of the previous entry.
        hash: sha256 over the canonical JSON of all other fields, events and result by their hashes.
        token: a random text of the charge, by which a run finds its own charge again.
        room: the number of bytes that a charge reserves for its answer.
        data: for a result, the commitment to a fingerprint of the data, or "".
        rest: the number of further entries of the same transaction; only voids have more than 0.
        paid: the hash of a charge's events.
        answer: the hash of a result's text.
        cap: the cap that pays for a charge.
        spent: the amount spent after this entry, in units, for each purse.
        charges, voids, open: the number of charges, of voids, and of open charges after this entry.
            A charge is open if it has no answer and is not void.
        answered: the number of the result that the request has after this entry, or 0.
        links: the hashes that lead to the newest entry of each other request: `skip_list.py`.
        was: always "", as `carried`.
        root: the hash of the header.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> [entry.kind for entry in ledger.book().entries]
        ['charge', 'result']
    """

    seq: int
    when: str
    who: str
    why: str
    kind: EntryKind
    request: str
    plan: str
    loss: dict[str, str] | None = None
    events: list[Event] | None = field(default_factory=list)
    result: str | None = None
    refers: int | None = None
    previous: str = ""
    hash: str = ""
    token: str = ""
    room: int = 0
    data: str = ""
    rest: int = 0
    paid: str = ""
    answer: str = ""
    cap: int = ROOT_CAP
    spent: Purses = (0, 0, 0)
    charges: int = 0
    voids: int = 0
    open: int = 0
    answered: int = 0
    links: str = ""
    was: str = ""
    root: str = ""

    def digest(self) -> str:
        """Return what `hash` must be."""
        plain = {name: getattr(self, name) for name in _HASHED}
        if "spent" in plain:
            plain["spent"] = purses_text(self.spent)
        return text_hash(canonical(plain))


_HASHED = tuple(f.name for f in fields(Entry) if f.name not in ("hash", "events", "result"))


def purses_text(spent: Purses) -> str:
    """Return what stands spent as its text: purses by the number of their cap.

    Numbers of so many digits are no numbers to most programs; so they are text.
    """
    return canonical({str(ROOT_CAP): [str(units) for units in spent]})


def purses_in(text: object) -> Purses:
    """Return the purses in a text; whoever reads it compares `purses_text` of the answer."""
    first, second, third = json.loads(str(text))[str(ROOT_CAP)]
    return int(first), int(second), int(third)


def text_hash(*pieces: str) -> str:
    """Return the hash by which an entry knows events or an answer, from the pieces of its text."""
    digest = sha256()
    for text in pieces:
        for start in range(0, len(text), _AT_ONCE):  # no second copy of a long answer
            digest.update(text[start : start + _AT_ONCE].encode())
    return digest.hexdigest()


def canonical(value: object) -> str:
    """Return the one JSON text of plain data.

    Example:
        >>> canonical({"rho": "1/50", "kind": "zcdp"})
        '{"kind":"zcdp","rho":"1/50"}'
    """
    return _JSON.encode(value)


def loss_in(plain: dict[str, str] | None) -> Loss | None:
    """Return the loss that plain data describes, or None where it describes none."""
    try:
        return _loss_in(tuple((plain or {}).items()))
    except (KeyError, TypeError, ValueError):
        return None


def promise_in(plain: dict[str, str]) -> Loss | None:
    """Return the (epsilon, delta) that a budget of three purses was made for, where it is one."""
    if plain.get("kind") != "purses":
        return None
    return loss_in({"kind": "approx", **{name: plain.get(name, "") for name in _PROMISE}})


def is_kept(budget: Loss, plain: dict[str, str]) -> bool:
    """Tell whether the purses of a budget keep what its header promises; others promise nothing."""
    if budget.kind != "purses":
        return True
    promise = promise_in(plain)
    return promise is not None and kept(budget, promise)


@lru_cache(maxsize=4096)
def _loss_in(items: tuple[tuple[str, str], ...]) -> Loss | None:
    plain = dict(items)
    if plain["kind"] == "purses":
        plain = {name: text for name, text in plain.items() if name not in _PROMISE}
    loss = loss_of(plain)
    return loss if loss.plain() == plain else None


def plain_events(events: Sequence[Event]) -> list[Event]:
    """Return a copy of the events as they will be read back, or raise InputError."""
    try:
        copy: list[Event] = json.loads(canonical(list(events)), parse_float=_no_fraction)
        canonical(copy).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise _not_plain() from error
    if not all(isinstance(event, dict) for event in copy):
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
        kind="not-storable",
        why="the ledger keeps Unicode text without the character zero",
        fix=f"write {name} as ordinary text",
    )


def _no_fraction(text: str) -> None:
    """Refuse a float, whose text could change between versions."""
    raise ValueError(text)


def _not_plain() -> InputError:
    return InputError(
        "an event of this plan is not plain data.",
        kind="not-storable",
        why="the ledger keeps text, whole numbers, lists and dictionaries, so that any program "
        "can make the account again in ten years",
        fix='write each exact number as text, for example "1/50"',
    )


def now() -> str:
    """Return the time as the ledger notes it: ISO 8601, UTC, seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


_LOGINS: dict[int, str] = {}  # names that were asked for


def user() -> str:
    """Return the login name of whoever runs this process, or "unknown"."""
    try:
        import pwd

        number = os.getuid()
        if number not in _LOGINS:  # a file, or a server of the network, says it
            _LOGINS[number] = pwd.getpwuid(number).pw_name
        return _LOGINS[number]
    except (ImportError, KeyError):
        return os.environ.get("USERNAME") or os.environ.get("USER") or "unknown"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A fingerprint of data, as the ledger's file keeps it; all are hexadecimal texts.

    Args:
        nonce: random, so that the commitment says nothing.
        print: the keyed digest of the data.
        key: the name of the key, a hash of it.
        gate: the keyed digest of the sizes and times of the data's files, or "" where there are
            none, or where they were too young to tell.
    """

    nonce: str
    print: str
    key: str
    gate: str = ""

    def commitment(self) -> str:
        """Return what an entry says of it: sha256, which the nonce hides."""
        return sha256(canonical(list(astuple(self))).encode()).hexdigest()

    def __repr__(self) -> str:
        return "Fingerprint()"
