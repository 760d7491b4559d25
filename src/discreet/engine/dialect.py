"""What an engine says in its own way: the keyed hash, and text compared byte by byte.

Rules of this module:
- a hash looks at the salt and at one unit's own content, so that any hash is stable;
- a hash must also be even, so that no kind of row is kept more often than another.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

SALT = "salt"  # the name of the query's only parameter


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an engine hashes the salt with some content, and compares text as bytes."""

    hash_of: Callable[[Sequence[exp.Expression]], exp.Expression]
    as_bytes: Callable[[exp.Expression], exp.Expression]


def _native(content: Sequence[exp.Expression]) -> exp.Expression:
    """Return DuckDB's hash of the hash.

    DuckDB mixes the last value in by XOR alone: of three equal rows, those in the middle of the
    hash's order came first half of the time, whatever the salt. A second round makes it even.
    """
    salt = exp.cast(exp.Placeholder(this=SALT), "UBIGINT", dialect="duckdb")
    inner = exp.Anonymous(this="HASH", expressions=[salt, *(part.copy() for part in content)])
    return exp.Anonymous(this="HASH", expressions=[inner])


def _collated(cell: exp.Expression) -> exp.Expression:
    return exp.Collate(this=cell, expression=exp.to_identifier("C", quoted=True))


DUCKDB = Dialect(hash_of=_native, as_bytes=_collated)
