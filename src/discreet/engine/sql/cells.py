"""What a cell means, as parts of a query: `reading` in SQL, for columns that have a type.

Rules of this module:
- each expression is total: no cell of an accepted type makes it fail;
- every literal is a whole number or a text, so that no dialect chooses a type for us;
- text is a number only by one ASCII grammar, checked before the cast, because engines differ;
- differences and products are taken in 64 bits at least, and in 128 where they could be longer.
"""

from dataclasses import dataclass

from sqlglot import exp

from ...errors import InputError, shown
from ...schema import CsvOptions
from .. import spelled
from .dialect import Dialect
from .tree import called, matches, to_type, whole

LINES = "CSV"  # the kind of a column of a CSV file: text that nobody gave a type
OBJECTS = "OBJECT"  # of Python objects, which were read one by one before DuckDB saw them
DECIMALS = "NUMERIC"  # decimals of any length
NOTHING = '"NULL"'  # of missing cells only
FLOATS = {"FLOAT", "DOUBLE"}
WHOLE = {
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
}
_WIDE = {"HUGEINT", "UHUGEINT"}  # cast to doubles they are rounded twice
_EXACT_DIGITS = 15  # a decimal of so many is the quotient of two doubles without a rounding


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the cells of one source.

    Attributes:
        dialect: what the engine says in its own way.
        csv: how the numbers of a CSV file are written.
    """

    dialect: Dialect
    csv: CsvOptions

    def number(self, cell: exp.Expression, kind: str) -> exp.Expression:
        """Return the cell as a double; NULL for text that is no number, for NaN and infinities."""
        if kind == LINES:
            return self._spelled(cell)
        own = self.dialect.number(cell, kind)
        if own is not None:
            return own
        if kind in FLOATS or kind == OBJECTS:
            return exp.Case().when(is_finite(cell), to_type(cell.copy(), "DOUBLE"))
        if kind in _WIDE or decimals(kind)[0] > _EXACT_DIGITS:
            return exp.TryCast(this=to_type(cell, "TEXT"), to=exp.DataType.build("DOUBLE"))
        return to_type(cell, "DOUBLE")

    def measured(self, cell: exp.Expression, kind: str) -> exp.Expression:
        """Return a double to lay a grid over, which tells what is no number.

        DuckDB follows nothing that a file states through TRY, and is spared `is_finite`.
        """
        if kind in FLOATS and self.dialect.sifts:
            return called("TRY", to_type(cell, "DOUBLE"))
        if kind in FLOATS and not self.dialect.is_total:
            return cell if kind == "DOUBLE" else to_type(cell, "DOUBLE")
        return self.number(cell, kind)

    def untold(self, cell: exp.Expression) -> exp.Expression:
        """Return a cell of which nothing is believed that a file states of it: DuckDB would."""
        return called("TRY", cell) if self.dialect.sifts else cell

    def _spelled(self, cell: exp.Expression) -> exp.Expression:
        """Return the number that a text spells, in the way of the file; true is 1, false is 0."""
        digits = cell.copy()
        for sign, point in spelled.replacements(self.csv):
            parts = {
                "expression": exp.Literal.string(sign),
                "replacement": exp.Literal.string(point),
            }
            digits = exp.Replace(this=digits, **parts)
        value = exp.TryCast(this=digits, to=exp.DataType.build("DOUBLE"))
        found = exp.Case().when(matches(cell, spelled.number_pattern(self.csv)), value)
        for pattern, truth in ((spelled.TRUE, 1), (spelled.FALSE, 0)):
            found = found.when(matches(cell.copy(), pattern), to_type(whole(truth), "DOUBLE"))
        return found

    def raw_text(self, cell: exp.Expression, kind: str) -> exp.Expression:
        """Return a cell of text to group rows by, byte by byte, be its bytes UTF-8 or not."""
        if kind in (LINES, OBJECTS):
            return cell
        return self.dialect.as_bytes(cell if kind == "VARCHAR" else to_type(cell, "TEXT"))

    def text(self, cell: exp.Expression, kind: str) -> exp.Expression:
        """Return a cell of text; NULL where its bytes are no UTF-8."""
        if kind in (LINES, OBJECTS):
            return cell
        return self.dialect.as_text(cell if kind == "VARCHAR" else to_type(cell, "TEXT"))

    def unit(self, cell: exp.Expression, kind: str) -> exp.Expression:
        """Return a unit as a value of fixed length, equal exactly for equal cells; NULL if missing.

        Of text and bytes it is a digest; all other types have a fixed length.
        """
        if self.dialect.unit_text is not None and kind != NOTHING:
            return self.dialect.digest_of(self.dialect.unit_text(cell, kind))
        if kind in FLOATS:  # adding 0 makes 0.0 of -0.0
            return exp.Case().when(is_finite(cell), exp.Add(this=cell.copy(), expression=whole(0)))
        if kind == "BLOB":
            return self.dialect.digest_of(self.dialect.bytes_as_text(cell))
        if kind == NOTHING:
            return to_type(exp.null(), "INT")
        return self.dialect.digest_of(self.text(cell, kind)) if is_text(kind) else cell


def is_number(kind: str) -> bool:
    """Say whether cells of this engine type are numbers (truth values count as 0 and 1)."""
    return kind in WHOLE | FLOATS | {"BOOLEAN", DECIMALS, NOTHING} or decimals(kind)[0] > 0


def is_text(kind: str) -> bool:
    """Say whether cells of this engine type are text, or objects that were read as text."""
    return kind in ("VARCHAR", LINES, OBJECTS) or kind.startswith("ENUM(")


def decimals(kind: str) -> tuple[int, int]:
    """Return the digits of a DECIMAL in all and behind the point; zeros for other types."""
    if not kind.startswith("DECIMAL("):
        return 0, 0
    digits, places = kind.removeprefix("DECIMAL(").removesuffix(")").split(",")
    return int(digits), int(places)


def key_text(cell: exp.Expression, kind: str, reader: Reader) -> exp.Expression:
    """Return the text under which a cell is found as a key; NULL where it is none."""
    if kind == OBJECTS:
        return cell
    if is_text(kind):
        return reader.text(cell, kind)
    if kind == NOTHING:
        return to_type(exp.null(), "TEXT")
    return to_type(to_type(cell, "INT") if kind == "BOOLEAN" else cell, "TEXT")


def check_kind(column: str, kind: str) -> None:
    """Refuse a type whose cells are no text and no whole numbers."""
    if is_text(kind) or kind in WHOLE | {"BOOLEAN", NOTHING}:
        return
    raise InputError(
        f"{shown(column)} is of type {shown(kind)}, and its keys are to be found.",
        why="a key is shown as text: of text and whole numbers that is the same everywhere",
        fix=f"cast {shown(column)} to text before, or list its keys",
    )


def is_finite(cell: exp.Expression) -> exp.Expression:
    """Return the condition that a float is there and finite.

    Not by comparing: DuckDB trusts the smallest and the largest value that a Parquet file states,
    and these leave out NaN. Then `cell <= 1` of a NaN came out by what the other rows hold, and
    isnan(cell) was never true. It trusts them through sums, products and abs, too; what it does not
    do is to take an equality for true. So this stands in a CASE, before all that compares the cell:
    a bare condition of rows is tested with the one value that a part of a file may state.
    """
    gap = exp.paren(exp.Sub(this=cell, expression=cell.copy()))
    return exp.EQ(this=gap, expression=whole(0))
