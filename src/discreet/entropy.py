"""The only place where randomness enters: a stream cipher, keyed by the operating system.

Rules of this module:
- every `Coins` has its own fresh key from the operating system; no caller can choose or see it;
- a process that was forked takes a new key before it gives its first byte;
- streams by name have one secret, taken before anybody knows which names there will be;
- a source that cannot give all bytes asked for gives none: it raises.

Decision 13.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock
from typing import Any, Never, final

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from .errors import EngineError, InputError

_KEY_BYTES = 32  # AES-256
_NONCE_BYTES = 16
_DIGEST = 64  # bytes of one block of a named stream
_NUMBER = 16  # bytes that hold the number of such a block
_ZEROS = memoryview(bytes(1 << 18))  # the stream is what the cipher makes of zeros


class _Forks:
    """How often this process image was forked; a pid alone may repeat in another namespace."""

    count = 0


def _count_fork() -> None:
    _Forks.count += 1


os.register_at_fork(after_in_child=_count_fork)


def _here() -> tuple[int, int]:
    """Return what tells this process from those it was forked of."""
    return os.getpid(), _Forks.count


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
        if stream.owner != _here():
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
        raise _copied()


@final
class Keyed:
    """Streams of secret bytes by name, under one fresh secret of their own.

    So noise is settled before data is read, although nobody knows yet for which names: the bytes of
    a name follow from the secret and the name alone, in whatever order names are asked for. Block
    j of a name is keyed BLAKE2b of it, with j as the salt (RFC 7693: a pseudorandom function).

    Guarantee: two `Keyed`, and one `Keyed` on two sides of a fork, have independent secrets.

    Example:
        >>> keyed = Keyed()
        >>> keyed.stream(b"a").bytes(4) == keyed.stream(b"a").bytes(4), keyed
        (True, Keyed())
    """

    __slots__ = ("_owner", "_secret")

    def __init__(self) -> None:
        self._renew()

    def stream(self, name: bytes) -> "NamedStream":
        """Return the stream of a name, from its first byte."""
        return NamedStream(self, name)

    def block(self, name: bytes, number: int) -> bytes:
        """Return 64 bytes of a name's stream, under this process's own secret."""
        place = number.to_bytes(_NUMBER, "little")
        return blake2b(name, digest_size=_DIGEST, key=self._own(), salt=place).digest()

    def blocks(self, prefix: bytes, names: Iterable[bytes]) -> bytes:
        """Return the first 64 bytes of the stream of each name behind a prefix, one by one."""
        start = blake2b(prefix, digest_size=_DIGEST, key=self._own(), salt=bytes(_NUMBER))
        return b"".join([_closed(start.copy(), name) for name in names])

    def _own(self) -> bytes:
        """Return the secret of this process."""
        if self._owner != _here():
            self._renew()
        return self._secret

    def _renew(self) -> None:
        self._secret = _seed(_KEY_BYTES)
        self._owner = _here()

    def __repr__(self) -> str:
        return "Keyed()"

    def __reduce_ex__(self, protocol: object) -> Never:
        raise _copied()


@final
class NamedStream:
    """The secret bytes of one name, one after the other; see `Keyed`."""

    __slots__ = ("_keyed", "_left", "_name", "_next", "_owner")

    def __init__(self, keyed: Keyed, name: bytes) -> None:
        self._keyed = keyed
        self._name = name
        self._left = b""
        self._next = 0
        self._owner = _here()

    def bytes(self, n: int) -> bytes:
        """Return the next n bytes.

        Raises:
            InputError: n is negative.
        """
        if n < 0:
            raise _negative(n)
        if self._owner != _here():  # what is left over was made under the parent's secret
            self._left, self._owner = b"", _here()
        while len(self._left) < n:
            self._left += self._keyed.block(self._name, self._next)
            self._next += 1
        out, self._left = self._left[:n], self._left[n:]
        return out

    def __repr__(self) -> str:
        return "NamedStream()"

    def __reduce_ex__(self, protocol: object) -> Never:
        raise _copied()


def _closed(begun: blake2b, name: bytes) -> bytes:
    begun.update(name)
    return begun.digest()


def _copied() -> InputError:
    return InputError(
        "random bits cannot be copied, pickled or sent to another process.",
        kind="not-to-be-copied",
        why="two holders of one key would draw the same noise, and the noise could be undone",
        fix="make new coins where they are needed: Coins()",
    )


def _new_stream() -> _Stream:
    owner = _here()
    seed = _seed(_KEY_BYTES + _NONCE_BYTES)
    key, nonce = seed[:_KEY_BYTES], seed[_KEY_BYTES:]
    return _Stream(Cipher(algorithms.AES(key), modes.CTR(nonce)).encryptor(), owner)


def _seed(size: int) -> bytes:
    """Return fresh bytes of the operating system, all of them or none."""
    try:
        seed = os.urandom(size)
    except (OSError, NotImplementedError) as error:
        raise _starved("the operating system gave no random bytes.") from error
    if len(seed) != size:
        raise _starved(f"{size} random bytes were asked for, {len(seed)} came.")
    return seed


def _zeros(n: int) -> bytes:
    if n < 0:
        raise _negative(n)
    return bytes(n)


def _negative(n: int) -> InputError:
    return InputError(
        f"{n} bytes cannot be drawn.",
        kind="out-of-range",
        why="a count of bytes is at least 0",
        fix="ask for 0 bytes or more",
    )


def _starved(what: str) -> EngineError:
    return EngineError(
        what,
        kind="no-randomness",
        why="noise from a poor source would not hide anything, so none is drawn",
        fix="run where os.urandom works, then ask again",
    )
