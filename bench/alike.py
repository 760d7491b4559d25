"""The strangest rows, added up by every engine: `python -m bench.alike 1e6 duckdb postgres spark`.

Every question of the suites, of rows that are units and of units with limits, whose rows are chosen
by the portable hash. The reference counts the same rows; each engine must find its integers, all of
them. It ends with 1 where one does not.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from engine.sources import NAMES, arrow
from engine.test_engines_agree import everything
from engine.test_portable import HOWS, by_engine, by_memory, hostile, in_postgres

from .engines import spark_session

SALT = 11


def in_duckdb(rows: list[dict[str, Any]], _folder: str) -> object:
    return arrow(rows)


def in_spark(rows: list[dict[str, Any]], folder: str) -> object:
    import pyarrow.parquet

    pyarrow.parquet.write_table(arrow(rows), f"{folder}/rows.parquet")
    return spark_session(f"{folder}/scratch", "6g").read.parquet(f"{folder}/rows.parquet")


PLACED = {"duckdb": in_duckdb, "postgres": lambda rows, _: in_postgres(rows), "spark": in_spark}


def main(many: str = "30000", *engines: str) -> int:
    rows = [{name: row[name] for name in NAMES} for row in hostile(int(float(many)))]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        sources = {name: PLACED[name](rows, folder) for name in engines or PLACED}
        for how in HOWS[:2]:
            asked = everything(**how)
            start = time.perf_counter()
            expected = by_memory(rows, asked, SALT, how)
            numbers = sum(map(len, expected))
            print(f"{how['unit']}: {len(asked)} answers, {numbers} integers of {len(rows)} rows")
            print(f"  the reference: {time.perf_counter() - start:.0f} s", flush=True)
            for name, source in sources.items():
                start = time.perf_counter()
                found: Sequence[object] = by_engine(source, asked, SALT, how)
                said = "the same" if found == expected else "OTHER INTEGERS"
                wrong += found != expected
                print(f"  {name}: {said}, {time.perf_counter() - start:.0f} s", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
