"""What a cell of a CSV file says, which `csv_cut` has found: as parts of a query, and in Python.

Rules of this module:
- a cell between quotation marks loses them, and each doubled one inside becomes one; a quotation
  mark elsewhere is a letter;
- a cell that says a missing word, or holds a byte that was no text, is missing.
"""

from collections.abc import Sequence

from sqlglot import exp

from ...schema import CsvOptions
from ..sql.tree import called, to_type, whole
from .lines import BLANKS, LOST


def rows_query(
    source: str, names: Sequence[str], used: Sequence[str], csv: CsvOptions
) -> exp.Select:
    """Return the rows of files that have this header, under the names of the columns that are used.

    Args:
        source: the table of cells: c0 ... their texts, and q0 ... whether they were quoted.
        names: the names of the header.
        used: those that are wanted; one that the header does not have is missing in every row.
        csv: how the cells are written.
    """
    found = exp.select(exp.alias_(whole(1), "one")).from_(source)
    there = places_of(names, used)
    for name in used:
        cell: exp.Expression = to_type(exp.null(), "TEXT")
        if name in there:
            place = list(there).index(name)
            cell = _said(_plain(exp.column(f"c{place}"), exp.column(f"q{place}"), csv), csv)
        found.select(exp.alias_(cell, exp.to_identifier(name, quoted=True)), copy=False)
    return found


def places_of(names: Sequence[str], used: Sequence[str]) -> dict[str, int]:
    """Return where in the header each used column is that is there."""
    return {name: names.index(name) for name in used if name in names}


def _plain(cell: exp.Expression, was_quoted: exp.Expression, csv: CsvOptions) -> exp.Expression:
    """Return a cell without quotation marks around it, and with one for each doubled one inside."""
    if not csv.quote:
        return _trimmed(cell) if csv.trim else cell
    quote, twice = exp.Literal.string(csv.quote), exp.Literal.string(2 * csv.quote)
    if not csv.trim:
        return exp.Case().when(was_quoted, called("REPLACE", cell, twice, quote)).else_(cell.copy())
    outside = _trimmed(cell)
    length = called("LENGTH", outside.copy())
    within = called(
        "SUBSTRING", outside.copy(), whole(2), exp.Sub(this=length, expression=whole(2))
    )
    starts = called("STARTS_WITH", outside.copy(), quote)
    ends = called("ENDS_WITH", outside.copy(), quote.copy())
    plain = called("REPLACE", within, twice, quote.copy())
    return _trimmed(exp.Case().when(exp.and_(starts, ends), plain).else_(outside.copy()))


def _trimmed(cell: exp.Expression) -> exp.Expression:
    return called("TRIM", cell, exp.Literal.string(BLANKS))


def _said(cell: exp.Expression, csv: CsvOptions) -> exp.Expression:
    """Return a cell; NULL for a missing word: the empty one `csv_cut` leaves out where it can."""
    words = [exp.Literal.string(word) for word in csv.missing if word or csv.trim]
    if not words:
        return cell
    return exp.Case().when(cell.isin(*words), exp.null()).else_(cell.copy())


def cell_of(raw: str, csv: CsvOptions) -> str | None:
    """Return what a cell says that stands so in the file; None if it is missing.

    Example:
        >>> cell_of('"a ""b"" c"', CsvOptions()), cell_of("", CsvOptions())
        ('a "b" c', None)
    """
    found = raw.strip(BLANKS) if csv.trim else raw
    if csv.quote and len(found) > 1 and found.startswith(csv.quote) and found.endswith(csv.quote):
        found = found[1:-1].replace(2 * csv.quote, csv.quote)
    found = found.strip(BLANKS) if csv.trim else found
    return None if found in csv.missing or chr(LOST) in found else found
