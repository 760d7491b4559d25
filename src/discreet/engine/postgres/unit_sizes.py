"""Whether units have many rows, by what the server noted of its table when it was last analyzed.

Rules of this module:
- why no integer changes: the answer chooses between queries that count the same (`sql.faster`);
- no row is read;
- units that the server knows nothing of have few rows.

Decision 139.
"""

from typing import TYPE_CHECKING, Any

from ...schema import Table
from .catalog import ServerTable

if TYPE_CHECKING:
    import psycopg

_SMALL = 2**14  # rows that are sorted in less time than a longer query is planned in
_MANY = 2  # times as many rows as a unit has of which some are pruned
_PART = 4  # pruning pays if one of so many rows, or more, is of such a unit

_LARGE = """
SELECT coalesce(bool_or(s.rows >= $3 AND s.share * $5 >= 1), false) FROM (
  SELECT c.reltuples::float8 AS rows, coalesce(f.large, 0) + CASE
    WHEN (1 - p.null_frac - f.listed) * c.reltuples >= $4 * greatest(1, f.units)
    THEN 1 - p.null_frac - f.listed ELSE 0 END AS share
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_stats p ON p.schemaname = n.nspname AND p.tablename = c.relname,
    LATERAL (SELECT sum(often::float8) FILTER (WHERE often * c.reltuples >= $4),
        coalesce(sum(often::float8), 0), CASE WHEN p.n_distinct < 0
          THEN -p.n_distinct * c.reltuples ELSE p.n_distinct END - count(*)
      FROM unnest(p.most_common_freqs) AS often) AS f(large, listed, units)
  WHERE c.oid = $1::bigint::oid AND p.attname = $2) AS s
"""


def are_large(
    cursor: "psycopg.RawCursor[Any]", found_table: ServerTable, table: Table, least: int
) -> bool:
    """Say whether a good part of the rows is of units with many, as far as the server knows.

    Args:
        found_table: the place of the declared table.
        least: about how many rows a unit has of which some are pruned.
    """
    asked = (found_table.number, table.unit.column, _SMALL, _MANY * least, _PART)
    ((answer,),) = cursor.execute(_LARGE, asked).fetchall()
    return answer is True
