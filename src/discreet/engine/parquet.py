"""Public tables as Parquet files.

Rules of this module:
- only released numbers come here; no data is read;
- one thread, rows in the order given: the same table gives the same bytes;
- names are quoted by the syntax tree, cells are parameters: nothing is pasted into SQL.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

TYPES = {"text": "VARCHAR", "whole": "BIGINT", "flag": "BOOLEAN", "real": "DOUBLE"}


def write_parquet(
    path: Path,
    *,
    columns: Sequence[str],
    kinds: Sequence[str],
    cells: Sequence[Sequence[object]],
) -> None:
    """Write a table as a Parquet file that only its owner can read.

    Args:
        path: where; a file there is replaced.
        columns: the names, different without regard to case.
        kinds: what each column holds, a key of TYPES.
        cells: the cells of each column, all of one length.

    Raises:
        OSError: the file cannot be written.
    """
    import duckdb

    path.touch(mode=0o600)
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        try:
            connection.execute(_query(columns, kinds), [*map(list, cells), str(path)])
        except duckdb.IOException:
            raise OSError(f"cannot write {path.name}") from None
    path.chmod(0o600)


def rows_of_parquet(content: bytes) -> list[tuple[object, ...]] | None:
    """Return the names of the columns and then the rows of a Parquet file; None if it is none."""
    import duckdb

    with TemporaryDirectory(prefix="discreet-") as folder:
        path = Path(folder, "table.parquet")
        path.write_bytes(content)
        with duckdb.connect(":memory:", config={"threads": 1}) as connection:
            try:
                found = connection.read_parquet(str(path))
                return [tuple(found.columns), *found.fetchall()]
            except duckdb.Error:
                return None


def _query(columns: Sequence[str], kinds: Sequence[str]) -> str:
    from sqlglot import exp

    found = [
        exp.alias_(
            exp.Explode(
                this=exp.cast(
                    exp.Parameter(this=exp.Literal.number(at)), f"{TYPES[kind]}[]", dialect="duckdb"
                )
            ),
            exp.to_identifier(name, quoted=True),
        )
        for at, (name, kind) in enumerate(zip(columns, kinds, strict=True), start=1)
    ]
    rows = exp.select(*found).sql(dialect="duckdb")
    return f"COPY ({rows}) TO ${len(columns) + 1} (FORMAT parquet, COMPRESSION zstd)"
