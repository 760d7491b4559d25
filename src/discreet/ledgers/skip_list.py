"""The way from the last entry to the newest entry of any request, in a few steps, each one hashed.

Rules of this module:
- nothing is written twice and no index is kept: each entry carries its own part of the way, so that
  the file only grows at its end, and the hash of the last entry vouches for every step;
- an entry's links: first to the entry of the same request before it, then for each i to the newest
  entry before it whose request's hash has the same first i bits and another bit behind them;
- a link holds the first 128 bits of the hash of what it points to; a step that does not match is
  damage.

It is a persistent binary trie over sha256 of the requests (Driscoll, Sarnak, Sleator, Tarjan 1989),
hashed along its links (Merkle 1987). With n requests a way has at most about log2(n) steps, and
no request is known that is missing on the way: that none is there is vouched for, too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from .entry import Entry

Link = tuple[int, str]  # the seq of an entry, and the first letters of its hash
Fetch = Callable[[Link], Entry]  # returns the entry of a link; raises where there is another one

_BITS = 256
_SEQ, _HASH = 12, 32  # hexadecimal letters
_NONE = "0" * (_SEQ + _HASH)


@dataclass(frozen=True, slots=True)
class Way:
    """What a book holds of one request, and how the next entry of it is linked.

    Args:
        request: its id.
        latest: its newest entry; None where it was never asked.
        links: those of the next entry.
    """

    request: str
    latest: Entry | None
    links: tuple[Link | None, ...]


def link_to(entry: Entry) -> Link:
    """Return the link to an entry."""
    return entry.seq, entry.hash[:_HASH]


def way_to(request: str, last: Entry | None, fetch: Fetch) -> Way:
    """Find the newest entry of a request.

    Args:
        request: its id.
        last: the last entry of the book.
        fetch: returns the entry of a link.
    """
    wanted, node, links_above = _place(request), last, list[Link | None]()
    latest: Entry | None = None
    while node is not None:
        links, depth = _unpacked(node.links), len(links_above)
        common = _BITS - (_place(node.request) ^ wanted).bit_length()  # of the first bits
        if common < depth:
            raise ValueError("a link leads to a request of another way")
        if common == _BITS:
            links_above += links[1 + depth :]
            latest = node
            break
        links_above += _from(links, depth, common)
        links_above.append(link_to(node))
        (following,) = _from(links, common, common + 1)
        node = None if following is None else fetch(following)
    while links_above and links_above[-1] is None:
        links_above.pop()
    return Way(request, latest, (None if latest is None else link_to(latest), *links_above))


def before(entry: Entry) -> Link | None:
    """Return the link to the entry of the same request before this one."""
    return _unpacked(entry.links)[0]


def packed(links: Sequence[Link | None]) -> str:
    """Return links as an entry keeps them: hexadecimal, each of one length."""
    return "".join(_NONE if link is None else f"{link[0]:0{_SEQ}x}{link[1]}" for link in links)


@lru_cache(maxsize=4096)
def _unpacked(text: str) -> tuple[Link | None, ...]:
    size = _SEQ + _HASH
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    return tuple(None if p == _NONE else (int(p[:_SEQ], 16), p[_SEQ:]) for p in parts) or (None,)


def _from(links: Sequence[Link | None], start: int, end: int) -> list[Link | None]:
    """Return the links of some depths; those that are not kept lead nowhere."""
    kept = list(links[1 + start : 1 + end])
    return kept + [None] * (end - start - len(kept))


@lru_cache(maxsize=4096)
def _place(request: str) -> int:
    return int.from_bytes(sha256(request.encode()).digest(), "big")
