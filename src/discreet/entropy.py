"""The only place where randomness enters: a stream cipher, keyed by the operating system.

Rules of this module:
- every `Coins` has its own fresh key from the operating system; no caller can choose or see it;
- a process that was forked takes a new key before it gives its first byte;
- a source that cannot give all bytes asked for gives none: it raises.
"""

import os
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Never, final

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from .errors import EngineError, InputError

_KEY_BYTES = 32  # AES-256
_NONCE_BYTES = 16
_ZEROS = memoryview(bytes(1 << 18))  # the stream is what the cipher makes of zeros


class _Forks:
    """How often this process image was forked; a pid alone may repeat in another namespace."""

    count = 0


def _count_fork() -> None:
    _Forks.count += 1


os.register_at_fork(after_in_child=_count_fork)


@dataclass(frozen=True, slots=True)
class _Stream:
    """One key stream, the process it belongs to, and the lock that lets threads share it."""

    cipher: Any
    owner: tuple[int, int]
    lock: Lock = field(default_factory=Lock)


@final
class Coins:
    """Secret random bytes: AES-256 in counter mode under a key of its own, never seeded.

    Guarantee: two `Coins`, and one `Coins` on two sides of a fork, have independent keys. Threads
    may share one; no byte is given twice.

    Example:
        >>> coins = Coins()
        >>> len(coins.bytes(5)), coins
        (5, Coins())
    """

    __slots__ = ("_stream",)

    def __init__(self) -> None:
        self._stream = _new_stream()

    def bytes(self, n: int) -> bytes:
        """Return n fresh bytes, never given before and never again.

        Raises:
            InputError: n is negative.
            EngineError: the operating system or the cipher gave less than was asked.
        """
        stream = self._stream
        if stream.owner != (os.getpid(), _Forks.count):
            stream = self._stream = _new_stream()
        with stream.lock:
            if 0 <= n <= len(_ZEROS):
                out: bytes = stream.cipher.update(_ZEROS[:n])
            else:
                out = stream.cipher.update(_zeros(n))
        if len(out) != n:
            raise _starved(f"{n} random bytes were asked for, {len(out)} came.")
        return out

    def salt(self) -> int:
        """Return a fresh secret integer of 62 bits, at least 0."""
        return int.from_bytes(self.bytes(8), "little") >> 2

    def __repr__(self) -> str:
        return "Coins()"

    def __reduce_ex__(self, protocol: object) -> Never:
        raise InputError(
            "coins cannot be copied, pickled or sent to another process.",
            why="two holders of one key would draw the same noise, and the noise could be undone",
            fix="make new coins where they are needed: Coins()",
        )


def _new_stream() -> _Stream:
    owner = (os.getpid(), _Forks.count)
    try:
        seed = os.urandom(_KEY_BYTES + _NONCE_BYTES)
    except (OSError, NotImplementedError) as error:
        raise _starved("the operating system gave no random bytes.") from error
    if len(seed) != _KEY_BYTES + _NONCE_BYTES:
        raise _starved(f"48 random bytes were asked for, {len(seed)} came.")
    key, nonce = seed[:_KEY_BYTES], seed[_KEY_BYTES:]
    return _Stream(Cipher(algorithms.AES(key), modes.CTR(nonce)).encryptor(), owner)


def _zeros(n: int) -> bytes:
    if n < 0:
        raise InputError(
            f"{n} bytes cannot be drawn.",
            why="a count of bytes is at least 0",
            fix="ask for 0 bytes or more",
        )
    return bytes(n)


def _starved(what: str) -> EngineError:
    return EngineError(
        what,
        why="noise from a poor source would not hide anything, so none is drawn",
        fix="run where os.urandom works, then ask again",
    )
