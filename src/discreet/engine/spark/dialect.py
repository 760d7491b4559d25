"""How Spark is told what the query means.

Rules of this module:
- no cell raises, in ANSI mode or out of it, and no sum wraps: what may not fit 64 bits, for as many
  rows as any source may have, is a decimal of 38 digits, which holds all that `sums` lets pass but
  the last third;
- text is compared byte by byte: a column with a collation of its own is refused before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from ...errors import InputError
from ...sums import ROWS
from ..sql.dialect import SALT, Dialect
from ..sql.faster.speed import Speed
from ..sql.portable import Ways, digest_by, hash_of, of_numbers, unit_texts
from ..sql.tree import called, paren, to_type, whole

_NOTHING = -(2**62) - 1  # no step of a grid, and no position
_LONG, _LONGEST = 2**63, 10**38
_PART = 2**13  # so many last digits, and a million billion rows, stay below 63 bits
_FIRST, _END = -62_135_596_800_000_000, 253_402_300_800_000_000  # years 1 and 10000, microseconds


def _salt() -> exp.Expression:
    return to_type(exp.Placeholder(this=SALT), "TEXT")


def _plain(cell: exp.Expression) -> exp.Expression:
    return cell


def _utf8(cell: exp.Expression) -> exp.Expression:
    return called("TRY_VALIDATE_UTF8", cell)


def _size(cell: exp.Expression) -> exp.Expression:
    return called("OCTET_LENGTH", cell)


def _hex(cell: exp.Expression) -> exp.Expression:
    return called("HEX", cell)


def _days(cell: exp.Expression) -> exp.Expression:
    return called("UNIX_DATE", cell)


def _number(cell: exp.Expression, kind: str) -> exp.Expression | None:
    """Return truth values and decimals as doubles; the cast of a decimal is the nearest one."""
    if kind == "BOOLEAN":
        return to_type(to_type(cell, "INT"), "DOUBLE")
    return to_type(cell, "DOUBLE") if kind.startswith("DECIMAL(") else None


def _moment(cell: exp.Expression, kind: str) -> exp.Expression:
    """Return how many microseconds a moment is from 1970; NULL outside the years 1 to 9999."""
    if kind == "TIMESTAMP WITH TIME ZONE":
        count = called("UNIX_MICROS", cell)
        inside = exp.and_(
            exp.GTE(this=count, expression=whole(_FIRST)),
            exp.LT(this=count.copy(), expression=whole(_END)),
        )
        return exp.Case().when(inside, count.copy())
    zero, first, last = (
        called("TO_TIMESTAMP_NTZ", exp.Literal.string(moment))
        for moment in ("1970-01-01 00:00:00", "0001-01-01 00:00:00", "9999-12-31 23:59:59.999999")
    )
    inside = exp.and_(
        exp.GTE(this=cell, expression=first), exp.LTE(this=cell.copy(), expression=last)
    )
    count = called("TIMESTAMPDIFF", exp.Var(this="MICROSECOND"), zero, cell.copy())
    return exp.Case().when(inside, count)


def _layer(columns: Mapping[str, exp.Expression]) -> list[exp.Expression]:
    """Return columns as a table of one row that each row makes.

    Spark puts an expression in the place of its name when it moves a filter below it, so that one
    that is named three times a layer would grow with 3 to the depth; what makes rows stays.
    """
    row = called("STRUCT", *(cell for cell in columns.values()))
    made = called("INLINE", called("ARRAY", row))
    return [exp.Aliases(this=made, expressions=[*map(exp.to_identifier, columns)])]


def _total(value: exp.Expression, largest: int) -> exp.Expression:
    """Return a sum that cannot pass its type, for a million billion rows.

    Raises:
        InputError: a decimal of 38 digits may be too short.
    """
    if ROWS * largest >= _LONGEST:
        raise InputError(
            "a sum of products may have more than 38 digits, which is all that Spark adds up.",
            kind="engine-cannot",
            why="sums are exact only as long as they fit, for a million billion rows",
            fix="declare a larger step, or bounds nearer to 0",
        )
    if ROWS * largest < _LONG:
        return exp.Sum(this=to_type(value, "BIGINT"))
    if ROWS * (largest // _PART + 1) < _LONG:
        return _in_two(to_type(value, "BIGINT"))
    return exp.Sum(this=to_type(value, "DECIMAL(38, 0)"))


def _in_two(value: exp.Expression) -> exp.Expression:
    """Return a sum made of that of the last digits and that of the others, each of 64 bits.

    Sums of decimals make an object for each row, which takes longer than all else here.
    """
    others = exp.Sum(this=called("SHIFTRIGHT", value, whole(_PART.bit_length() - 1)))
    last = exp.Sum(this=exp.BitwiseAnd(this=value.copy(), expression=whole(_PART - 1)))
    scaled = exp.Mul(this=to_type(others, "DECIMAL(38, 0)"), expression=whole(_PART))
    return paren(exp.Add(this=scaled, expression=last))


def _quick(content: Sequence[exp.Expression]) -> exp.Expression:
    """Return Spark's own hash of the salt, the unit, and one number after another.

    The seed of each is the hash before, and the last step mixes all bits, so that it is even. What
    is missing would be passed over, and two contents be written alike.
    """
    unit, *numbers = (part.copy() for part in content)
    salt = exp.Sub(this=to_type(_salt(), "DECIMAL(20, 0)"), expression=whole(_LONG))
    there = [exp.Coalesce(this=number, expressions=[whole(_NOTHING)]) for number in numbers]
    return called("XXHASH64", to_type(paren(salt), "BIGINT"), unit, *there)


SPARK = Dialect(
    name="spark",
    hash_of=hash_of,
    digest_of=digest_by(_salt),
    bytes_as_text=_hex,
    as_bytes=_plain,
    as_text=_utf8,
    size=_size,
    unit_text=unit_texts(_utf8, _days),
    number=_number,
    days=_days,
    moment=_moment,
    total=_total,
    layer=_layer,
    wide="DECIMAL(38, 0)",
    is_total=True,
    speed=Speed(counts_places=True, byte_keys=True, looks_along=True, looks_up=True),
)

# whole numbers are hashed as they are
dialect_of = Ways(
    digests=SPARK,
    numbers=replace(SPARK, hash_of=of_numbers(hash_of, SPARK.digest_of), unit_text=None),
    own_digests=replace(SPARK, hash_of=_quick),
    own_numbers=replace(SPARK, hash_of=_quick, unit_text=None),
).of
