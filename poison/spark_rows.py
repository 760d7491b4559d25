"""Random expressions on Spark, row by row: those of a world in one query, and how many ways of writing.

Rules of this module:
- the query is made of the layers that a count makes, of the types that the frame has; a count adds
  the sums, which other groups try. So 80 expressions cost one query, not one a question;
- each layer is a frame of its own, which Spark resolves once: one text of all of them takes it
  four times as long;
- what Spark gives for a row is what the reference gives, to the last bit of a double;
- each way to write a part, and each operator, is counted when it was compared.

`python -m poison.spark_rows 125` asks 125 worlds of 80 expressions, and with a second argument from
that world on; `listed` asks the expressions of `tests/unit/expressions` as well.
"""

import importlib
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from sqlglot import exp

from discreet.engine.evaluate import evaluate, reader
from discreet.engine.spark.connection import plainly
from discreet.engine.spark.dialect import SPARK
from discreet.engine.spark.frame import kinds_of
from discreet.engine.sql.cells import Reader
from discreet.engine.sql.columns import plain_cell
from discreet.engine.sql.dialect_rewrites import spoken
from discreet.engine.sql.expression_cells import Read
from discreet.engine.sql.expression_sql import MAKERS, Layers
from discreet.expressions import Typed, expression, settled, typed
from discreet.schema import names_of
from discreet.schema.csv_options import DEFAULT

from .harness import Found
from .spellings import respelled

MANY = 20  # of each kind, times four: a number, two conditions and a text
LISTS = ("test_as_written_rows", "test_as_written_rows_more", "test_as_written_kinds")
LISTS += ("test_as_written_sheets",)
_AT_ONCE = 20  # expressions of a query: of 80 an expression takes twice as long
_SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    # Spark's reader of SQL keeps what it learns of each text: 17 worlds filled 1 GB
    "spark.sql.parser.manageParserCaches": "true",
    "spark.sql.parser.parserDfaCacheFlushThreshold": "20000",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=512m",
}


@cache
def _session() -> Any:
    import servers

    session = servers.session_of(tempfile.mkdtemp(prefix="spark-"), "local[1]", _SETTINGS)
    session.sparkContext.setLogLevel("OFF")
    return session


@dataclass
class Covered:
    """What was compared so far.

    Attributes:
        expressions: how many.
        ways: how a part was written, with # for its own parts.
        operators: of what the reference works out.
    """

    expressions: int = 0
    ways: set[str] = field(default_factory=set)
    operators: set[str] = field(default_factory=set)
    start: float = field(default_factory=time.monotonic)

    def __str__(self) -> str:
        minutes = (time.monotonic() - self.start) / 60
        here = self.operators & {*MAKERS}
        return (
            f"{self.expressions:,} expressions, {len(self.ways)} ways to write a part, "
            f"{len(here)} of {len(MAKERS)} operators, {minutes:.1f} minutes"
        )

    def missing(self) -> str:
        """Return the operators that were never compared."""
        return f"never: {', '.join(sorted({*MAKERS} - self.operators)) or 'none'}"


def given(frame: Any, trees: Sequence[Typed], key: str) -> list[tuple[Any, ...]]:
    """Return what Spark gives for each tree, a row of them for each row, in the order of a key."""
    read = Read(Reader(SPARK, DEFAULT), plain_cell, kinds_of(frame))
    layers = Layers(read, {}, SPARK.as_bytes)
    for number, tree in enumerate(trees):
        layers.place(f"e{number}", layers.of(tree))
    cells = (exp.alias_(cell, name) for name, cell in layers.columns[0].items())
    steps = [[exp.alias_(exp.column(key, "s"), "key"), *cells]]
    steps += [[exp.Star(), *SPARK.layer(columns)] for columns in layers.columns[1:]]
    frame = frame.alias("s")
    for step in steps:
        query = plainly(spoken(exp.select(*step).from_("t"), SPARK))
        frame = frame.selectExpr(*(cell.sql(dialect="spark") for cell in query.expressions))
    found = frame.orderBy("key").select(*(f"e{number}" for number in range(len(trees))))
    return [tuple(row) for row in found.collect()]


def different(
    declared: Any, frame: Any, trees: Sequence[tuple[str, Typed, Typed]], key: str
) -> list[str]:
    """Return the expressions of which Spark gives another value than the reference, for a row.

    Args:
        declared: the table of a list of rows, in the order of the key.
        frame: the same rows on Spark.
        trees: each expression as it was written, what the reference is told, and what Spark is.
        key: a column that tells rows apart.
    """
    reads = [reader(declared, row) for row in declared.source]
    found = given(frame, [asked for _, _, asked in trees], key)
    return [
        f"{text}: {wanted!r}, and {row[number]!r}"
        for number, (text, meant, _) in enumerate(trees)
        for read, row in zip(reads, found, strict=True)
        if (wanted := evaluate(meant, read)) != row[number]
    ]


def worlds(count: int, first: int = 0, covered: Covered | None = None) -> Iterator[Found]:
    """Yield each expression of random worlds of which Spark gives another value for some row."""
    from engine.expression_worlds import Maker
    from engine.test_expressions_agree import declared, numbered

    covered = Covered() if covered is None else covered
    for seed in range(first, first + count):
        rows, maker = numbered(1_000 + seed), Maker(seed)
        table, names = declared(rows), names_of(declared(rows))
        shallow = {"truth": lambda _, m=maker: m.truth(2), "text": lambda _, m=maker: m.text(2)}
        makers = [maker.number, maker.truth, *shallow.values()]
        texts = [make(3) for _ in range(MANY) for make in makers]
        trees = list[tuple[str, Typed, Typed]]()
        for number, text in enumerate(texts):
            said = respelled(text, seed * 1_000 + number, covered.ways)
            trees.append(
                (said, *(typed(settled(expression(t), names), names) for t in (text, said)))
            )
        yield from _asked(f"world {seed}", table, trees, covered)
        print(f"world {seed}: {covered}", flush=True)


def listed(covered: Covered | None = None) -> Iterator[Found]:
    """Yield each expression that the tests list as one that people write, of which Spark differs.

    The columns of the lists are those of the random worlds under other names, by what each
    expression reads them as; what an expression compares with stands in the rows, too.
    """
    from engine.expression_worlds import KINDS
    from engine.test_expressions_agree import declared

    covered = Covered() if covered is None else covered
    for file in LISTS:
        module = importlib.import_module(f"unit.expressions.{file}")
        names = names_of(module.TABLE)
        written = [
            (text, typed(settled(expression(text), names), names)) for text, _ in module.TAKEN
        ]
        for start in range(0, len(written), MANY):
            some = [(text, _renamed(tree)) for text, tree in written[start : start + MANY]]
            chance, literals = (
                random.Random(start),
                [leaf for _, tree in some for leaf in _literals(tree)],
            )
            rows = [
                {
                    "i": n,
                    **{
                        name: chance.choice([*cells, *_near(literals, cells)])
                        for name, cells in KINDS.items()
                    },
                }
                for n in range(120)
            ]
            trees = [(text, tree, tree) for text, tree in some]
            yield from _asked(f"{file}, from {start}", declared(rows), trees, covered)
        print(f"{file}: {covered}", flush=True)


def _asked(
    case: str, table: Any, trees: Sequence[tuple[str, Typed, Typed]], covered: Covered
) -> Iterator[Found]:
    """Yield what is wrong of some expressions, asked a few at a time."""
    from engine.test_expressions_agree import arrow
    from servers import _KINDS

    rows = table.source
    kinds = ", ".join(
        f"`{field.name}` {_KINDS[str(field.type)][1]}" for field in arrow(rows).schema
    )
    frame = _session().createDataFrame([tuple(row.values()) for row in rows], kinds)
    for start in range(0, len(trees), _AT_ONCE):
        some = trees[start : start + _AT_ONCE]
        try:
            wrong = different(table, frame, some, "i")
        except Exception as error:
            wrong = [f"{type(error).__name__}: {error}, of {[text for text, _, _ in some]}"]
        for text in wrong:
            found = Found("expressions", f"spark, row by row, {case}", text[:1_000])
            print(found, flush=True)
            yield found
        covered.expressions += len(some)
        for _, _, tree in some:
            covered.operators |= {part.op for part in _parts(tree)}


def _parts(tree: Typed) -> Iterator[Typed]:
    yield tree
    for part in tree.args:
        yield from _parts(part)


_COLUMNS = {
    "number": "xy",
    "text": "st",
    "label": "st",
    "day": "d",
    "moment": "m",
    "truth": "b",
    "any": "x",
}


def _renamed(tree: Typed) -> Typed:
    """Return a tree that reads the columns of the random worlds, of the same types."""
    if tree.op == "column":
        names = _COLUMNS[tree.kind]
        return replace(tree, value=names[sum(tree.value.encode()) % len(names)])
    return replace(tree, args=tuple(map(_renamed, tree.args)))


def _literals(tree: Typed) -> list[Typed]:
    return [part for part in _parts(tree) if part.op == "literal"]


def _near(literals: Sequence[Typed], cells: Sequence[Any]) -> list[Any]:
    """Return cells of the type of some that an expression compares with, and those beside them."""
    kind = type(cells[1])
    if kind is float:
        numbers = [float(leaf.value) for leaf in literals if leaf.kind == "number"]
        return [number + more for number in numbers for more in (-1, -0.5, 0, 0.5, 1)]
    if kind is str:
        return [leaf.value for leaf in literals if leaf.kind == "text"]
    begin, step = (date(1970, 1, 1), "days") if kind is date else (datetime(1970, 1, 1), "seconds")
    counts = [
        int(leaf.value) for leaf in literals if leaf.kind == {"days": "day"}.get(step, "moment")
    ]
    return (
        []
        if kind is bool
        else [begin + timedelta(**{step: count + more}) for count in counts for more in (-1, 0, 1)]
    )


def main(arguments: Sequence[str]) -> int:
    """Run the lists, or so many worlds; print what is wrong, and what was compared at least once."""
    covered = Covered()
    run = (
        listed(covered)
        if arguments[0] == "listed"
        else worlds(*map(int, arguments), covered=covered)
    )
    wrong = list(run)
    print(f"{len(wrong)} wrong", covered, covered.missing(), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    sys.exit(main(sys.argv[1:]))
