"""What an engine says in its own way: the keyed hash, the digest of a name, wide whole numbers.

Rules of this module:
- a hash looks at the salt and at one unit's own content, so that any hash is stable;
- a hash must also be even, so that no kind of row is kept more often than another;
- a name becomes a digest of fixed length before anything is grouped or ordered by it: what the
  bytes of one name hold can then not reach the rows of others;
- an engine states what it can do, and takes over no statement of another one: of what is not stated
  it is taken not to be able;
- what only makes it faster is its `speed`, and may all be off;
- all else is said alike: a tree is built in DuckDB's meaning, and `spoken` exchanges in it what
  another engine has no word for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlglot import exp

from ...schema import Table
from .faster.speed import SLOW, Pruning, Speed
from .tree import called, paren, to_type, whole

SALT = "salt"  # the name of the query's only parameter


def _nothing_special(_cell: exp.Expression, _kind: str) -> exp.Expression | None:
    return None


def _days(cell: exp.Expression) -> exp.Expression:
    zero = to_type(exp.Literal.string("1970-01-01"), "DATE")
    return called("DATE_DIFF", exp.Literal.string("day"), zero, cell)


def _beside(columns: Mapping[str, exp.Expression]) -> list[exp.Expression]:
    return [
        exp.Alias(this=expression, alias=exp.to_identifier(name))
        for name, expression in columns.items()
    ]


def _plainly(value: exp.Expression, _largest: int) -> exp.Expression:
    return exp.Sum(this=value)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an engine hashes the salt with some content, reads cells, and adds up.

    Attributes:
        name: what sqlglot calls it.
        hash_of: the keyed hash of some columns; of these the unit (u) and its group (g) are there.
        digest_of: a text as a number of fixed length, keyed by the salt, which nobody can foresee:
            so nobody can choose two names of one digest.
        bytes_as_text: bytes as a text that is equal exactly for equal bytes.
        as_bytes: a text cell compared byte by byte, be it text or not: to group rows by, and to
            ask whether it equals another, because an order may break at bytes that are no text.
        as_text: the same; NULL where its bytes are no UTF-8.
        size: of a text cell, how many bytes it has, told without a look at them.
        unit_text: of a cell and its kind, the text that the reference reads a unit as, to be
            digested; None where an engine tells units apart in its own way.
        number: of a cell and its kind, its double, where the engine reads it in its own way.
        days: how many days a day is from 1970.
        moment: of a moment and its kind, how many microseconds it is from 1970, NULL beyond the
            years 1 to 9999; None where DuckDB's own functions say it.
        total: the sum of an expression which is no larger than a number, in size.
        layer: of named expressions, what a step selects to make each once, however often later ones
            name it.
        wide: the type of whole numbers of up to 128 bits; None where they have the name of DuckDB.
        is_total: whether no product or quotient of doubles raises.
        is_fenced: whether a part whose expressions are named more than once must be told apart by
            OFFSET 0: else PostgreSQL puts each in the place of its name, and a text that names one
            twice, step by step, doubles at each.
        has_try: whether a cast of text that fails is NULL.
        has_asof: whether it joins to the nearest row that is not above.
        trusts_files: whether the engine decides by what a file states of its cells, the least and
            the greatest, but for those that stand in TRY.
        is_text: whether each cell of text is UTF-8, because the engine's reader has seen to it.
        floors: whether FLOOR of a double is a double, whatever its size.
        speed: what it does only to be faster: no integer depends on it.
    """

    name: str
    hash_of: Callable[[Sequence[exp.Expression]], exp.Expression]
    digest_of: Callable[[exp.Expression], exp.Expression]
    bytes_as_text: Callable[[exp.Expression], exp.Expression]
    as_bytes: Callable[[exp.Expression], exp.Expression]
    as_text: Callable[[exp.Expression], exp.Expression]
    size: Callable[[exp.Expression], exp.Expression]
    unit_text: Callable[[exp.Expression, str], exp.Expression] | None = None
    number: Callable[[exp.Expression, str], exp.Expression | None] = _nothing_special
    days: Callable[[exp.Expression], exp.Expression] = _days
    moment: Callable[[exp.Expression, str], exp.Expression] | None = None
    total: Callable[[exp.Expression, int], exp.Expression] = _plainly
    layer: Callable[[Mapping[str, exp.Expression]], list[exp.Expression]] = _beside
    wide: str | None = None
    is_total: bool = False
    is_fenced: bool = False
    has_try: bool = False
    has_asof: bool = False
    trusts_files: bool = False
    is_text: bool = False
    floors: bool = False
    speed: Speed = SLOW


def _native(content: Sequence[exp.Expression]) -> exp.Expression:
    """Return DuckDB's hash of the hash.

    DuckDB mixes the last value in by XOR alone: of three equal rows, those in the middle of the
    hash's order came first half of the time, whatever the salt. A second round makes it even.
    """
    return called("HASH", called("HASH", _salt(), *(part.copy() for part in content)))


def salt_digits() -> exp.Expression:
    """Return the salt as 20 digits."""
    return called("LPAD", to_type(_salt(), "TEXT"), whole(20), exp.Literal.string("0"))


def _salt() -> exp.Expression:
    return to_type(exp.Placeholder(this=SALT), "UBIGINT", dialect="duckdb")


def _digest(text: exp.Expression) -> exp.Expression:
    """Return 128 bits of MD5 over the salt and the text.

    The salt is secret and of fixed length, and stands first: known collisions of MD5 are made for
    the state that hashing starts from, and do not hold from one that nobody knows.
    """
    return called("MD5_NUMBER", exp.DPipe(this=salt_digits(), expression=text))


def _hex(cell: exp.Expression) -> exp.Expression:
    return called("HEX", cell)


def _bytewise(cell: exp.Expression) -> exp.Expression:
    """Return text without its collation."""
    return exp.Collate(this=cell, expression=exp.to_identifier("C", quoted=True))


def _utf8(cell: exp.Expression) -> exp.Expression:
    """Return text without its collation; NULL where DuckDB was handed bytes that are no text."""
    return _bytewise(called("TRY", called("DECODE", called("ENCODE", cell))))


def of_text(dialect: Dialect) -> Dialect:
    """Return how DuckDB reads a source of which each cell of text is UTF-8."""
    return replace(dialect, as_text=_seen, is_text=True)


def _seen(cell: exp.Expression) -> exp.Expression:
    """Return text without its collation, of which no file's word is taken."""
    return _bytewise(called("TRY", cell))


def _date(days: exp.Expression) -> exp.Expression:
    return called("MAKE_DATE", to_type(days, "INT"))


def last_bits(number: exp.Expression) -> exp.Expression:
    """Return the last six binary digits of a whole number, of either sign: from 0 to 63."""
    return paren(exp.BitwiseAnd(this=number, expression=whole(63)))


def _taken(number: exp.Expression) -> exp.Expression:
    bit = to_type(whole(1), "UBIGINT", dialect="duckdb")
    place = to_type(last_bits(number), "UBIGINT", dialect="duckdb")
    bits = called("BIT_OR", exp.BitwiseLeftShift(this=bit, expression=place))
    return exp.Coalesce(this=called("BIT_COUNT", bits), expressions=[whole(0)])


def _first(hashed: exp.Expression, number: exp.Expression) -> exp.Expression:
    """Return the last 64 bits of the least of hash and number, one behind the other.

    A number below 0 is none, and ends no count.
    """
    wide = exp.DataType.build("UHUGEINT", dialect="duckdb")
    high = exp.BitwiseLeftShift(this=exp.cast(hashed, wide), expression=whole(64))
    both = exp.BitwiseOr(this=paren(high), expression=exp.TryCast(this=number, to=wide))
    last = exp.BitwiseAnd(this=exp.Min(this=both), expression=whole(2**64 - 1))
    return to_type(paren(last), "BIGINT")


DUCKDB = Dialect(
    name="duckdb",
    hash_of=_native,
    digest_of=_digest,
    bytes_as_text=_hex,
    as_bytes=_bytewise,
    as_text=_utf8,
    size=partial(called, "STRLEN"),
    is_total=True,
    has_try=True,
    has_asof=True,
    trusts_files=True,
    floors=True,
    speed=Speed(
        prunes=Pruning(0, "UBIGINT", lists_least=True),
        takes=_taken,
        one_sort=True,
        counts_places=True,
        sifts=True,
        byte_keys=True,
        first=_first,
        ranks_few=True,
        looks_up=True,
        date=_date,
    ),
)


def dialect_of(table: Table) -> Dialect:
    """Return how DuckDB chooses the rows of a table's units: by its own hash, or portably."""
    if table.unit.sampling == "native":
        return DUCKDB
    from .portable import PORTABLE

    return PORTABLE
