"""Random expressions over hostile rows: every source, and what the reference gives for each row.

The worlds are those of the tests (`tests/engine/expression_worlds.py`), many more of them. The
reference is told each expression as it was made, an engine in other words that mean the same (`spellings`): those of
SQL's dialects, of data frames, of R and Stata. Tables,
Parquet and CSV are counted by DuckDB, and where there is a PostgreSQL server, a table of it.
`python -m poison.random_expressions postgres 125` asks one server alone, world by world, and with a third
argument from that world on; of Spark, which compiles each query, a world has 16 expressions.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for

from .cases import Share
from .harness import Found
from .spellings import respelled

WORLDS = 125
MANY = 20  # of each world, times four: a number, two conditions and a text
EXPRESSIONS = WORLDS * MANY * 4


class Respelling:
    """Makes the expressions of another maker, in other words."""

    def __init__(self, seed: int) -> None:
        from engine.expression_worlds import Maker

        self._maker, self._count = Maker(seed), seed

    def __getattr__(self, kind: str) -> Any:
        """Return what makes an expression of a type."""

        def made(depth: int) -> str:
            self._count += 1
            return respelled(getattr(self._maker, kind)(depth), self._count, is_whole=False)

        return made


def random_expressions(share: Share) -> Iterator[Found]:
    """Every world in which a source and the reference differ; 10,000 expressions in all."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    import servers
    from engine import test_expressions_agree as worlds

    typed = [worlds.of_database, worlds.of_parquet]
    if servers._postgres() is not None:
        typed.append(worlds.of_postgres)
    for seed in range(0, WORLDS, share.of):
        for makers in (typed, [worlds.of_csv]):  # a CSV file has rows of text
            with tempfile.TemporaryDirectory() as folder:
                yield from _different(worlds, makers, seed, Path(folder))


def on_server(name: str, count: int, first: int = 0) -> Iterator[Found]:
    """Every world in which a server and the reference differ, from a first one on."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from engine import test_expressions_agree as worlds
    from servers import placed

    def make(rows: Any, _folder: Path) -> tuple[Any, Any]:
        return placed(name, worlds.arrow(rows)), rows

    make.__name__, start = name, time.monotonic()
    for seed in range(first, first + count):
        for wrong in _different(worlds, [make], seed, Path(), 4 if name == "spark" else MANY):
            print(wrong, flush=True)
            yield wrong
        print(f"{seed + 1} worlds, {(time.monotonic() - start) / 60:.1f} minutes", flush=True)


def _different(
    worlds: Any, makers: list[Any], seed: int, folder: Path, many: int = MANY
) -> Iterator[Found]:
    """Yield each source of a world of which some vectors are not those of the reference."""
    wanted: list[tuple[int, ...]] = []
    for make in makers:
        case = f"{make.__name__.removeprefix('of_')}, world {seed}"
        try:
            source, rows = make(worlds.numbered(1_000 + seed), folder)
            declared, aggregates = worlds.asked(rows, seed, many)
            if not wanted:
                wanted = worlds.opened(MemoryEngine().prepare(declared, aggregates).count(0))
            given, spelled = worlds.asked(source, seed, many, Respelling)
            found = worlds.opened(engine_for(source).prepare(given, spelled).count(0))
        except Exception as error:
            yield Found("expressions", case, f"{type(error).__name__}: {error}"[:200])
            continue
        wrong = sum(one != other for one, other in zip(wanted, found, strict=True))
        if wrong:
            yield Found("expressions", case, f"{wrong} vectors are others")


if __name__ == "__main__":
    wrong = list(on_server(sys.argv[1], *map(int, sys.argv[2:])))
    print(f"{len(wrong)} wrong", *wrong, sep="\n")
    sys.exit(bool(wrong))
