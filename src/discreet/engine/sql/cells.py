"""What a cell means, as parts of a query: `reading` in SQL, for columns that have a type.

Which types can be a value or a unit; decided from names alone. What a key can be is said by
`matching`.

Rules of this module:
- each expression is total: no cell of an accepted type makes it fail;
- every literal is a whole number or a text, so that no dialect chooses a type for us;
- text is a number only by one ASCII grammar, checked before the cast, because engines differ;
- differences and products are taken in 64 bits at least, and in 128 where they could be longer.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from ...aggregate import Aggregate
from ...errors import InputError, shown
from ...schema import CsvOptions, Table, value_tree
from .. import spelled
from ..protocol import reads_of, value_columns
from .dialect import Dialect
from .tree import called, is_there, matches, paren, to_type, whole

_UNITS = {
    *("DATE", "TIME", "TIME_NS", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
    *("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS", "TIME WITH TIME ZONE"),
    *("UUID", "BLOB", "INTERVAL"),
}
LINES = "CSV"  # the kind of a column of a CSV file: text that nobody gave a type
OBJECTS = "OBJECT"  # of Python objects, which were read one by one before DuckDB saw them
PADDED = "CHAR"  # text of fixed length: the blanks at its end are no part of it
DECIMALS = "NUMERIC"  # decimals of any length
NOTHING = '"NULL"'  # of missing cells only
FLOATS = {"FLOAT", "DOUBLE"}
WHOLE = {
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
}
_WIDE = {"HUGEINT", "UHUGEINT"}  # cast to doubles they are rounded twice
SHORT = 64  # bytes: so many a text may have that is grouped, sorted or joined as it is
_EXACT = 2**53  # whole numbers up to it are doubles
_EXACT_DIGITS = 15  # a decimal of so many is the quotient of two doubles without a rounding


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the cells of one source.

    Attributes:
        dialect: what the engine says in its own way.
        csv: how the numbers of a CSV file are written.
        own: the same of columns that are written in their own way, or as a joined table is.
    """

    dialect: Dialect
    csv: CsvOptions
    own: Mapping[str, "Reader"] = field(default_factory=dict)

    @classmethod
    def of_table(cls, dialect: Dialect, table: Table) -> "Reader":
        """Return what reads the cells of a table, and of those that are joined to it."""
        names = [name for name, _ in table.csv.columns]
        names += [name for join in table.joins for name in join.gives]
        csv = {name: table.csv_of(name) for name in names}
        own = {name: cls(dialect, one) for name, one in csv.items() if one is not table.csv}
        return cls(dialect, table.csv, own)

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
        if kind in FLOATS and self.dialect.trusts_files:
            return called("TRY", to_type(cell, "DOUBLE"))
        if kind in FLOATS and not self.dialect.is_total:
            return cell if kind == "DOUBLE" else to_type(cell, "DOUBLE")
        return self.number(cell, kind)

    def untold(self, cell: exp.Expression) -> exp.Expression:
        """Return a cell of which nothing is believed that a file states of it: DuckDB would."""
        return called("TRY", cell) if self.dialect.trusts_files else cell

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
        case = exp.Case().when(matches(cell, spelled.number_pattern(self.csv)), value)
        for pattern, truth in ((spelled.TRUE, 1), (spelled.FALSE, 0)):
            case = case.when(matches(cell.copy(), pattern), to_type(whole(truth), "DOUBLE"))
        return case

    def raw_text(self, cell: exp.Expression, kind: str, most: int) -> exp.Expression:
        """Return a cell of text to group rows by, byte by byte, be its bytes UTF-8 or not.

        One that is too long to be a key becomes a text that none is: what is grouped, sorted or
        joined is so never longer than a byte more than that, whatever cells hold.

        Args:
            most: bytes that the longest key has.
        """
        text = cell if kind == LINES else _word(cell, kind)
        most = max(most, SHORT)
        no_key = exp.Literal.string("x" * (most + 1))
        sound = [self._at_most(text.copy(), spelled.LONGEST)]
        if kind not in (LINES, OBJECTS):
            sound.append(is_there(self.dialect.as_text(text.copy())))
        case = (
            exp.Case().when(self._at_most(text.copy(), most), text).when(exp.and_(*sound), no_key)
        )
        return case if kind in (LINES, OBJECTS) else self.dialect.as_bytes(paren(case))

    def link(self, cell: exp.Expression, kind: str) -> exp.Expression:
        """Return a cell by which rows of several tables find each other, as text.

        A long text is its digest, which is longer than every text that stays: so no two are taken
        for one, but with the salt, which nobody can foresee.
        """
        text = key_text(cell, kind, self)
        if not is_text(kind):
            return text
        mark = exp.Literal.string("x" * (SHORT + 1))
        digest = to_type(self.dialect.digest_of(text.copy()), "TEXT")
        long = exp.DPipe(this=mark, expression=digest)
        return exp.Case().when(self._at_most(text.copy(), SHORT), text).else_(long)

    def spelled_key(self, cell: exp.Expression) -> exp.Expression:
        """Return a text of a file to group rows by, where keys are numbers: a long one is as the
        number that it spells, where a key could be that.
        """
        number, most = self._spelled(cell.copy()), whole(_EXACT)
        inside = exp.Between(this=number, low=exp.Neg(this=most), high=most.copy())
        digits = to_type(exp.Case().when(inside, to_type(number.copy(), "BIGINT")), "TEXT")
        is_whole = exp.EQ(this=to_type(digits.copy(), "DOUBLE"), expression=number.copy())
        short = exp.Case().when(is_whole, digits).else_(exp.Literal.string("x"))
        kept = self._at_most(cell.copy(), SHORT)
        gone = exp.Is(this=cell.copy(), expression=exp.Null())
        return exp.Case().when(exp.or_(kept, gone), cell).else_(short)

    def text(self, cell: exp.Expression, kind: str) -> exp.Expression:
        """Return a cell of text; NULL where its bytes are no UTF-8, or too many."""
        if kind in (LINES, OBJECTS):
            return cell
        return self.dialect.as_text(self._short(cell, kind))

    def _short(self, cell: exp.Expression, kind: str) -> exp.Expression:
        """Return a cell of text as `_word` has it; NULL where it has too many bytes."""
        text = _word(cell, kind)
        if kind in (LINES, OBJECTS):  # which were read so
            return text
        return paren(exp.Case().when(self._at_most(text.copy(), spelled.LONGEST), text))

    def _at_most(self, text: exp.Expression, most: int) -> exp.Expression:
        return exp.LTE(this=self.dialect.size(text), expression=whole(most))

    def unit(self, cell: exp.Expression, kind: str) -> exp.Expression:
        """Return a unit as a value of fixed length, equal exactly for equal cells; NULL if missing.

        Of text and bytes it is a digest; all other types have a fixed length.
        """
        if self.dialect.unit_text is not None and kind != NOTHING:
            if is_text(kind):
                cell, kind = self._short(cell, kind), "VARCHAR"
            return self.dialect.digest_of(self.dialect.unit_text(cell, kind))
        if kind in FLOATS:  # adding 0 makes 0.0 of -0.0
            return exp.Case().when(is_finite(cell), exp.Add(this=cell.copy(), expression=whole(0)))
        if kind == "BLOB":
            size = called("OCTET_LENGTH", cell.copy())
            short = exp.LTE(this=size, expression=whole(spelled.LONGEST))
            held = paren(exp.Case().when(short, cell))
            return self.dialect.digest_of(self.dialect.bytes_as_text(held))
        if kind == NOTHING:
            return to_type(exp.null(), "INT")
        return self.dialect.digest_of(self.text(cell, kind)) if is_text(kind) else cell


def is_number(kind: str) -> bool:
    """Say whether cells of this engine type are numbers (truth values count as 0 and 1)."""
    return kind in WHOLE | FLOATS | {"BOOLEAN", DECIMALS, NOTHING} or decimals(kind)[0] > 0


def is_text(kind: str) -> bool:
    """Say whether cells of this engine type are text, or objects that were read as text."""
    return kind in ("VARCHAR", PADDED, LINES, OBJECTS) or kind.startswith("ENUM(")


def _word(cell: exp.Expression, kind: str) -> exp.Expression:
    """Return a cell of text as it is, an enum as its word, one of fixed length without padding."""
    if kind in (LINES, OBJECTS, "VARCHAR"):
        return cell
    text = to_type(cell, "TEXT")
    return called("RTRIM", text) if kind == PADDED else text


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
        kind="column-type",
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


def check_kinds(table: Table, aggregates: Iterable[Aggregate], kinds: Mapping[str, str]) -> None:
    """Refuse a column whose type cannot be the value or the unit that it is declared to be."""
    wanted = tuple(aggregates)
    if reads := reads_of(table, wanted):
        from .expression_cells import check_read

        for leaf in reads:
            check_read(leaf.value, leaf.kind, kinds[leaf.value])
    for column in value_columns(wanted):
        if value_tree(table, column) is not None:
            continue
        kind = kinds[column]
        if kind not in (LINES, OBJECTS) and is_text(kind):
            _refuse_type(
                column,
                kind,
                "a column with bounds",
                "a column of type text is seldom meant as numbers, and its words would be missing",
                f"cast it before: TRY_CAST({shown(column)} AS DOUBLE) in DuckDB, try_cast in "
                "Spark, a generated column in Postgres, pandas.to_numeric(..., errors='coerce'), "
                "or .cast(pl.Float64, strict=False) in Polars",
            )
        if kind not in (LINES, OBJECTS) and not is_number(kind):
            _refuse_type(
                column,
                kind,
                "a column with bounds",
                "with such bounds cells must be numbers or truth values",
                'write bounds as days: "1990-01-01" and "2024-12-31"'
                if kind == "DATE" or kind.startswith("TIMESTAMP")
                else "bound a column of numbers, or cast this one before",
            )
    unit = table.unit.column
    if unit is not None and not is_told_apart(kinds[unit]):
        _refuse_type(
            unit,
            kinds[unit],
            "the unit",
            "a unit is told apart by one plain value: a number, a text, a date",
            "name a column that holds one value for each unit",
        )


def is_told_apart(kind: str) -> bool:
    """Say whether cells of this type are one plain value each: a number, a text, a day, bytes."""
    return is_number(kind) or is_text(kind) or kind in _UNITS


def _refuse_type(column: str, kind: str, role: str, why: str, fix: str) -> None:
    name = "ENUM" if kind.startswith("ENUM") else shown(kind)
    raise InputError(
        f"{shown(column)} is of type {name}, which cannot be {role}.",
        kind="column-type",
        why=why,
        fix=fix,
    )
