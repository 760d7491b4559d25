"""What the book keeps of the data that an answer was made of: a keyed fingerprint.

Rules of this module:
- a fingerprint is for the ledger's file alone: no entry, message, table or export holds it; an
  entry holds a commitment to it, so that the chain is whole without it;
- the key never comes here: it lies beside the data, and whoever can read only one of the two files
  learns nothing of the data from it;
- everything that says how the data looks is keyed, the size and the times of its files too.
"""

from dataclasses import astuple, dataclass
from hashlib import sha256

from .entry import canonical


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
