"""How PostgreSQL is told what the query means.

Rules of this module:
- no cell raises: doubles that could overflow are moved within reach first, decimals and moments
  that have no counterpart are missing before they are cast;
- text is compared byte by byte, whatever its collation is.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from ...errors import InputError
from ...fix import BLANK, call, write
from ..sql.cells import DECIMALS, decimals
from ..sql.dialect import SALT, Dialect, last_bits
from ..sql.faster.speed import Once, Pruning, Speed
from ..sql.portable import Ways, digest_by, hash_of, of_numbers, unit_texts
from ..sql.tree import called, paren, to_type, whole

_NARROW = 2**62
_BEYOND = 2**1024 - 2**970  # the least number that is nearer to infinity than to any double
_MOST_PLACES = 2_000  # as `reading` has it
_SECOND = 1_000_000  # microseconds
_SIGN = 2**63
_NOTHING = -(2**62) - 1  # no step of a grid, and no position
_MOST_HASHED = 64  # numbers: Python's own stack ends a query of some 110


def _bytewise(cell: exp.Expression) -> exp.Expression:
    return exp.Collate(this=cell, expression=exp.to_identifier("C", quoted=True))


def _hash(parts: Sequence[exp.Expression]) -> exp.Expression:
    """Return 32 letters of MD5 as the 16 bytes that they spell: shorter, and in the same order."""
    return to_type(hash_of(parts), "UUID")


def _digest(text: exp.Expression) -> exp.Expression:
    return _bytewise(digest_by(_salt)(text))


def _salt() -> exp.Expression:
    return to_type(exp.Placeholder(this=SALT), "TEXT")


def _number(cell: exp.Expression, kind: str) -> exp.Expression | None:
    """Return truth values and decimals as doubles."""
    if kind == "BOOLEAN":
        return to_type(to_type(cell, "INT"), "DOUBLE")
    if kind == DECIMALS:
        return _any_decimal(cell)
    if decimals(kind)[0]:  # of at most 38 digits; it may hold NaN, which is above all numbers
        below = exp.LT(this=cell, expression=to_type(exp.Literal.string("Infinity"), "DECIMAL"))
        return exp.Case().when(below, to_type(cell.copy(), "DOUBLE"))
    return None


def _any_decimal(cell: exp.Expression) -> exp.Expression:
    """Return a decimal of any length as a double; what is too long or too large is missing."""
    size = exp.Abs(this=cell)
    tiny = to_type(exp.Literal.string(f"{_half_of_the_least_double()}"), "DECIMAL")
    long = exp.GT(this=called("SCALE", cell.copy()), expression=whole(_MOST_PLACES))
    return (
        exp.Case()
        .when(long, to_type(exp.null(), "DOUBLE"))
        .when(exp.LTE(this=size, expression=tiny), to_type(whole(0), "DOUBLE"))
        .when(exp.LT(this=size.copy(), expression=whole(_BEYOND)), to_type(cell.copy(), "DOUBLE"))
    )


def _half_of_the_least_double() -> str:
    """Return 2^-1075 with all its digits: what is not larger is nearer to 0 than to any double."""
    return f"0.{5**1075:01075d}"


def _text(cell: exp.Expression) -> exp.Expression:
    return _bytewise(cell)


def _days(cell: exp.Expression) -> exp.Expression:
    return paren(exp.Sub(this=cell, expression=to_type(exp.Literal.string("1970-01-01"), "DATE")))


def _unit_text(cell: exp.Expression, kind: str) -> exp.Expression:
    text = unit_texts(_text, _days)(cell, kind)
    if not decimals(kind)[0]:
        return text
    below = exp.LT(this=cell.copy(), expression=to_type(exp.Literal.string("Infinity"), "DECIMAL"))
    return exp.Case().when(below, text)


def _moment(cell: exp.Expression, kind: str) -> exp.Expression:
    """Return how many microseconds a moment is from 1970, exactly; NULL outside years 1 to 9999."""
    zone = kind == "TIMESTAMP WITH TIME ZONE"
    type_, ending = ("TIMESTAMPTZ", "+00") if zone else ("TIMESTAMP", "")
    first, last = (
        to_type(exp.Literal.string(f"{day} 00:00:00{ending}"), type_, dialect="postgres")
        for day in ("0001-01-01", "10000-01-01")
    )
    inside = exp.and_(
        exp.GTE(this=cell, expression=first), exp.LT(this=cell.copy(), expression=last)
    )
    seconds = exp.Extract(this=exp.Var(this="EPOCH"), expression=cell.copy())
    return exp.Case().when(
        inside, to_type(exp.Mul(this=seconds, expression=whole(_SECOND)), "BIGINT")
    )


def _total(value: exp.Expression, largest: int) -> exp.Expression:
    """Return a sum that is a decimal: of 64 bits, or of a product that is one already."""
    return exp.Sum(this=to_type(value, "BIGINT") if largest < _NARROW else value)


def _size(cell: exp.Expression) -> exp.Expression:
    return called("OCTET_LENGTH", cell)


def _hex(cell: exp.Expression) -> exp.Expression:
    return called("ENCODE", cell, exp.Literal.string("hex"))


def _seed() -> exp.Expression:
    """Return the salt as one of 64 bits with a sign."""
    salt = to_type(_salt(), "DECIMAL")
    return to_type(paren(exp.Sub(this=salt, expression=whole(_SIGN))), "BIGINT")


def _quick(function: str) -> Callable[[Sequence[exp.Expression]], exp.Expression]:
    """Return the hash of a unit, by a function of its type, and then of one number after another.

    Each number is in a seed, by XOR: the first one with the salt, which is drawn evenly, so that of
    two groups of a unit each comes first as often; each later one with the hash before. The server
    mixes a seed twice and what it hashes once: of eight consecutive numbers that were hashed, some
    pairs came first a third less often than evenly. A seed has 64 bits, of which it drops none.

    Each hash stands within the next one, so that there are no more than the text of a query can be
    written with, however deep the caller's own stack is.

    Raises:
        InputError: there are more.
    """

    def hash_of_(content: Sequence[exp.Expression]) -> exp.Expression:
        if len(content) > _MOST_HASHED:
            raise _too_many()
        unit, *numbers = (part.copy() for part in content)
        there = [_there(number) for number in numbers]
        seed = _seed()
        for first in there[:1]:
            seed = exp.BitwiseXor(this=seed, expression=first)
        hashed = called(function, unit, seed)
        for number in there[1:]:
            mixed = exp.BitwiseXor(this=hashed, expression=number)
            hashed = called("HASHINT8EXTENDED", whole(0), mixed)
        return hashed

    return hash_of_


def _too_many() -> InputError:
    return InputError(
        f"rows are chosen by more than {_MOST_HASHED} columns at once.",
        kind="engine-cannot",
        why="Postgres hashes one of them in the hash of another, and such a query gets too deep",
        fix=(
            "ask in two releases",
            write(of="table", unit=call("discreet.unit", BLANK, sampling="portable")),
        ),
    )


def _there(number: exp.Expression) -> exp.Expression:
    """Return a number where one may be missing; the group of a row (g) never is."""
    if isinstance(number, exp.Column) and number.name == "g":
        return number
    return exp.Coalesce(this=number, expressions=[whole(_NOTHING)])


def _short_digest(text: exp.Expression) -> exp.Expression:
    return to_type(digest_by(_salt)(text), "UUID")


def _taken(number: exp.Expression) -> exp.Expression:
    bit, place = to_type(whole(1), "BIGINT"), to_type(last_bits(number), "INT")
    bits = called("BIT_OR", exp.BitwiseLeftShift(this=bit, expression=place))
    counted = called("BIT_COUNT", to_type(bits, "BIT(64)", dialect="postgres"))
    return exp.Coalesce(this=counted, expressions=[whole(0)])


def _first(hashed: exp.Expression, number: exp.Expression) -> exp.Expression:
    """Return the second part of the least pair of hash and number: pairs are compared in order."""
    least = exp.Min(this=exp.Array(expressions=[hashed, to_type(number, "BIGINT")]))
    return exp.Bracket(this=paren(least), expressions=[whole(2)], offset=1)


def _digest_of_number(number: exp.Expression) -> exp.Expression:
    return _digest(to_type(number, "TEXT"))


POSTGRES = Dialect(
    name="postgres",
    hash_of=_hash,
    digest_of=_digest,
    bytes_as_text=_hex,
    as_bytes=_bytewise,
    as_text=_bytewise,
    size=_size,
    unit_text=_unit_text,
    number=_number,
    days=_days,
    moment=_moment,
    total=_total,
    wide="DECIMAL",
    is_fenced=True,
    floors=True,
    speed=Speed(
        takes=_taken,
        counts_places=True,
        byte_keys=True,
        hashes_late=True,
        ranks_few=True,
        looks_up=True,
    ),
)

# by the server's own hash, of whole numbers as they are, and of digests of 128 bits
_NATIVE = replace(
    POSTGRES,
    speed=replace(
        POSTGRES.speed,
        hashes_late=False,
        lists=True,
        prunes=Pruning(-_SIGN, "BIGINT"),
        first=_first,
    ),
)
dialect_of = Ways(
    digests=POSTGRES,
    numbers=replace(
        POSTGRES,
        hash_of=of_numbers(_hash, _digest),
        unit_text=None,
        speed=replace(POSTGRES.speed, once=Once(_digest_of_number, _hash)),
    ),
    own_digests=replace(_NATIVE, hash_of=_quick("UUID_HASH_EXTENDED"), digest_of=_short_digest),
    own_numbers=replace(
        _NATIVE,
        hash_of=_quick("HASHINT8EXTENDED"),
        unit_text=None,
        speed=replace(_NATIVE.speed, prunes=Pruning(-_SIGN, "BIGINT", reads_again=True)),
    ),
).of
