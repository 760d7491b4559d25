"""Who keeps a book: five verbs, whatever the place.

Rules of this module:
- a keeper adds what no other process can have changed meanwhile: each verb is one transaction, and
  its answer is durable before it returns;
- the rules are in `rules`; a keeper finds the rows that they ask for, and hands out none that it
  has not checked up to the head.

The first keeper is one SQLite file (`sqlite`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from .entry import Entry
from .fingerprint import Fingerprint
from .head import ChargeRequest, Head


@dataclass(frozen=True, slots=True)
class Paid:
    """What a keeper wrote for a request, or found.

    Args:
        charge: the charge.
        settled: the result that the request had already; then nothing was charged.
    """

    charge: Entry
    settled: Entry | None = None


class Keeper(Protocol):
    """A place that keeps one book."""

    def head(self) -> Head:
        """Return the book at this moment, its last entries checked."""

    def charge(self, ask: ChargeRequest) -> Paid:
        """Charge a request, or find the result that it has."""

    def store(
        self, seq: int, digest: str, text: str, *, who: str, when: str, data: Fingerprint | None
    ) -> Entry:
        """Store the result of the charge with this number and hash.

        Returns: the result that its request has now, which is another one where that came first.
        """

    def void(self, seqs: Sequence[int], *, reason: str, who: str, when: str) -> list[Entry]:
        """Take back charges without a result, all or none."""

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Yield the entries behind a number, with what they hold, each checked by its own hash."""
