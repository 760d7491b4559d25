"""Choices and coins that follow from the text of a case, so that an audit can be run again.

Rules of this module:
- nothing here is secret, and nothing here is chance: it is for made-up rows alone;
- no room but this one imports it, so that no release can be drawn by it (`pyproject.toml`).

Decision 119.
"""

import builtins
from collections.abc import Iterable, Sequence
from hashlib import blake2b, shake_256
from typing import TypeVar

Item = TypeVar("Item")

_FIRST, _BLOCK = 64, 1 << 16


class Dice:
    """Whole numbers that a text decides."""

    __slots__ = ("_number", "_text")

    def __init__(self, *texts: object) -> None:
        self._text = "\0".join(map(str, texts)).encode("utf-8", "surrogatepass")
        self._number = 0

    def below(self, limit: int) -> int:
        """Return a whole number below a limit; how evenly does not matter here."""
        self._number += 1
        place = self._number.to_bytes(16, "little")
        return int.from_bytes(blake2b(self._text, digest_size=16, salt=place).digest()) % limit

    def pick(self, items: Sequence[Item]) -> Item:
        """Return one of some items."""
        return items[self.below(len(items))]

    def happens(self, times: int, of: int) -> bool:
        """Tell whether what happens so often of so many times happens now."""
        return self.below(of) < times

    def turned(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in another order."""
        order = sorted(range(len(items)), key=lambda _: self.below(1 << 62))
        return [items[place] for place in order]


class Script:
    """The bytes that a text decides, as one stream and as streams by name (`draws.Secrets`)."""

    __slots__ = ("_blocks", "_left", "_name")

    def __init__(self, name: builtins.bytes) -> None:
        self._name = name
        self._left = b""
        self._blocks = 0

    def bytes(self, n: int) -> builtins.bytes:
        """Return the next n bytes."""
        parts, have = [self._left], len(self._left)
        while have < n:
            parts.append(self._block())
            have += len(parts[-1])
        whole = b"".join(parts)
        self._left = whole[n:]
        return whole[:n]

    def salt(self) -> int:
        """Return what chooses among the rows of a unit."""
        return int.from_bytes(self.bytes(8), "little") >> 2

    def stream(self, name: builtins.bytes) -> "Script":
        """Return the stream of a name, from its first byte."""
        return Script(self._name + b"\1" + name)

    def blocks(self, prefix: builtins.bytes, names: Iterable[builtins.bytes]) -> builtins.bytes:
        """Return the first 64 bytes of the stream of each name behind a prefix, one by one."""
        return b"".join([self.stream(prefix + name).bytes(_FIRST) for name in names])

    def _block(self) -> builtins.bytes:
        size = _FIRST if self._blocks == 0 else _BLOCK
        self._blocks += 1
        return shake_256(self._name + self._blocks.to_bytes(8, "big")).digest(size)
