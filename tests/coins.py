"""Coins for tests only: a labelled tape that repeats, and a script that ends.

Rules of this module:
- nothing here is in the wheel; `discreet` never imports it.
"""

import hashlib

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


class Tape:
    """The same bytes for the same label; counts what was taken, and keeps it if asked."""

    def __init__(self, label: str, *, keep: bool = False) -> None:
        key = hashlib.sha256(label.encode()).digest()
        self._cipher = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
        self._keep = keep
        self.taken = 0
        self.kept = bytearray()

    def bytes(self, n: int) -> bytes:
        self.taken += n
        out = self._cipher.update(bytes(n))
        if self._keep:
            self.kept += out
        return out


class Script:
    """Exactly these bytes, in this order; asking for more is an error of the test."""

    def __init__(self, *parts: bytes) -> None:
        self._left = b"".join(parts)

    def bytes(self, n: int) -> bytes:
        if len(self._left) < n:
            raise EOFError(f"the script has {len(self._left)} bytes left, {n} were asked for")
        out, self._left = self._left[:n], self._left[n:]
        return out

    @property
    def left(self) -> int:
        return len(self._left)


def word(number: int) -> bytes:
    """The eight bytes that are read as this 64-bit number."""
    return number.to_bytes(8, "little")


def half(number: int) -> bytes:
    """The two bytes that are read as this 16-bit number."""
    return number.to_bytes(2, "little")
