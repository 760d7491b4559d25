"""Random expressions over hostile rows: every source, and what the reference gives for each row.

The worlds are those of the tests (`tests/engine/expression_worlds.py`), many more of them. Tables,
Parquet and CSV are counted by DuckDB, and where there is a PostgreSQL server, a table of it.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from discreet.engine.choose import engine_for
from discreet.engine.memory import MemoryEngine

from .cases import Share
from .harness import Found

WORLDS = 125
MANY = 20  # of each world, times four: a number, two conditions and a text
EXPRESSIONS = WORLDS * MANY * 4


def random_expressions(share: Share) -> Iterator[Found]:
    """Every world in which a source and the reference differ; 10,000 expressions in all."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    import servers
    from engine import test_expressions_agree as worlds

    makers: list[Any] = [worlds.of_database, worlds.of_parquet, worlds.of_csv]
    if servers._postgres() is not None:
        makers.append(worlds.of_postgres)
    for seed in range(0, WORLDS, share.of):
        for make in makers:
            case = f"{make.__name__.removeprefix('of_')}, world {seed}"
            with tempfile.TemporaryDirectory() as folder:
                try:
                    different = _different(worlds, make, seed, Path(folder))
                except Exception as error:
                    yield Found("expressions", case, f"{type(error).__name__}: {error}"[:200])
                    continue
            if different:
                yield Found("expressions", case, f"{different} vectors are others")


def _different(worlds: Any, make: Any, seed: int, folder: Path) -> int:
    """Return how many vectors of a source are not those of the reference."""
    source, rows = make(worlds.numbered(1_000 + seed), folder)
    declared, aggregates = worlds.asked(rows, seed, MANY)
    given, _ = worlds.asked(source, seed, MANY)
    wanted = MemoryEngine().prepare(declared, aggregates).count(0)
    found = engine_for(source).prepare(given, aggregates).count(0)
    pairs = zip(wanted, found, strict=True)
    return sum(one.opened_by_the_door() != other.opened_by_the_door() for one, other in pairs)
