"""A Spark data frame and its session: names and types, and one query in steps.

Rules of this module:
- the session is the user's: no setting changes, and the views and the cache that a count needs are
  taken back when it ends;
- rows of units that are chosen once are kept once; where Spark loses and makes them again they are
  the same, because every order is total by content;
- nothing but sums is collected.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from itertools import count
from typing import Any, cast

from sqlglot import exp

from ...schema import Table
from ..parts import tables_of
from ..sql.columns import PREFIX
from ..sql.dialect import SALT
from ..sql.pool import PAIRS, with_pairs
from ..sql.query import Counting
from ..sql.server import Ask, Rows, unopened
from ..sql.tree import called, to_type, whole
from .frame import check_frame, kinds_of

_LEAST = (4, 0)
_GONE = "its session has ended"
_LATER = False  # whether to wait until rows that are let go are gone
_NUMBERS = count()  # of what is counted at the same time
_ROWS = f"{PREFIX}_rows"  # the step that all choices among rows of a unit begin with
_LONG = 16  # parts of a text: Spark's parser goes into each, and has no more than some hundred
_PART = 8 * 2**20  # bytes of the source for each part that rows are cut into
_SIZE = re.compile(r"Statistics\(sizeInBytes=([0-9.E+]+) ([BKMGTPE])")
_PREFIXES = "BKMGTPE"  # of bytes, by powers of 1024
_KINDS = {"i": "bigint", "f": "double", "O": "string"}  # by the letter of a NumPy type
_PLAIN = re.compile("[A-Za-z0-9 .:|+-]*")  # texts that every session reads alike


class SparkConnection:
    """One data frame, or those of a join."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._frames = [cast("Any", part.source) for part in tables_of(table)]
        self._session = self._frames[0].sparkSession
        self._tag = f"{PREFIX}_{os.getpid()}_{next(_NUMBERS)}"
        self._understood: tuple[Counting, Any] | None = None
        if self._version() < _LEAST:
            raise unopened(table, "its Spark is older than 4.0")
        for frame, part in zip(self._frames, tables_of(table), strict=True):
            check_frame(frame, part)

    def _version(self) -> tuple[int, ...]:
        """Return the version of Spark, which a process of its own says; refuse where that is gone.

        Raises:
            EngineError: it does not answer.
        """
        with suppress(Exception):
            return tuple(map(int, self._session.version.split(".")[:2]))
        raise unopened(self._table, _GONE)

    def tables(self) -> Sequence[tuple[exp.Expression, Mapping[str, str]]]:
        """Return the view that stands for each frame while it is counted, and its types."""
        return [
            (exp.to_table(name), kinds_of(frame))
            for name, frame in zip(self._views(), self._frames, strict=True)
        ]

    def _views(self) -> list[str]:
        return [f"{self._tag}_source_{number}" for number in range(len(self._frames))]

    def check(self, query: Counting) -> None:
        """Have Spark understand the query, which reads no row.

        A query without a salt, of which no row is kept, is counted as it was understood, once. Its
        plan holds what the views stand for. Spark Connect has no plan here, and looks for the views
        again.
        """
        understood = False
        with suppress(Exception), self._steps(query, 0, kept=False) as asked:
            understood = not asked.isStreaming  # of all that makes it look, the cheapest
            is_whole = query.query.find(exp.Placeholder) is None and hasattr(asked, "_jdf")
            if is_whole and self._table.unit.column is None:
                self._understood = query, asked
        if not understood:
            raise unopened(self._table, self._why())

    def check_rounds(self, pairs: Counting, query: Counting) -> None:
        """Have Spark understand a round."""
        self.check(Counting(with_pairs(query.query, pairs.query), (), query.tables))

    def _why(self) -> str:
        """Return why the session did not understand a query, by a frame that any session makes."""
        with suppress(Exception):
            self._session.createDataFrame([(1,)], "one int")
            return "its session does not understand the query"
        return _GONE

    def rows(self, query: Counting, salt: int) -> Rows:
        """Count: the sums are collected, and no row."""
        known, self._understood = self._understood, None
        if known is not None and known[0] is query:
            self._session.addTag(self._tag)
            sums: Rows = known[1].collect()
            return sums
        with self._steps(query, salt, cut=True) as asked:
            self._session.addTag(self._tag)
            answer: Rows = asked.collect()
            return answer

    @contextmanager
    def fixed(self, pairs: Counting, salt: int) -> Iterator[Ask]:
        """Write the pairs down, on the disks of the workers, and forget how they were made.

        Where a worker is lost they are not made anew, of what the data may be by then: a question
        fails.
        """
        self._session.addTag(self._tag)
        with _Made(self._session) as made:
            with self._steps(pairs, salt) as asked:
                made.view(made.fixed(asked), f"{self._tag}_{PAIRS}")

            def ask(query: Counting) -> Rows:
                self._session.addTag(self._tag)
                with self._steps(query, salt, PAIRS) as round_:
                    answer: Rows = round_.collect()
                    return answer

            yield ask

    def digest(self, columns: Sequence[Sequence[str]]) -> str:
        """Return of each frame how many rows it has, and the sum of the hashes of their cells."""
        return "".join(map(self._digest, self._views(), self._frames, columns))

    def _digest(self, view: str, frame: Any, columns: Sequence[str]) -> str:
        cells: list[exp.Expression] = []
        for name in columns:
            cell = exp.column(exp.to_identifier(name, quoted=True))
            cells += [cell, exp.Is(this=cell.copy(), expression=exp.Null())]
        hashed = exp.Anonymous(this="XXHASH64", expressions=cells or [exp.Literal.number(1)])
        total = exp.Sum(this=to_type(hashed, "DECIMAL(38, 0)"))
        query = exp.select(exp.Count(this=exp.Star()), total).from_(view)
        with _Made(self._session) as made:
            made.view(frame, view)
            return repr([tuple(row) for row in self._session.sql(query.sql("spark")).collect()])

    def stop(self) -> None:
        """Ask Spark to cancel what runs."""
        with suppress(Exception):
            self._session.interruptTag(self._tag)

    def percent(self) -> int | None:
        """Return how many of the tasks of the stages that run are done; None where none runs."""
        stages: list[Any] = []
        with suppress(Exception):  # Spark Connect has no tracker here
            tracker = self._session.sparkContext.statusTracker()
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        tasks = [(stage.numTasks, stage.numCompletedTasks) for stage in stages if stage]
        wanted = sum(task[0] for task in tasks)
        return 100 * sum(task[1] for task in tasks) // wanted if wanted else None

    def close(self) -> None:
        """Do nothing: views and cache end with each count."""

    @contextmanager
    def _steps(
        self, query: Counting, salt: int, *known: str, cut: bool = False, kept: bool = True
    ) -> Iterator[Any]:
        """Make views of the steps that are read often, keep their rows, and yield the whole.

        Spark puts the text of a named step wherever its name stands, and would choose rows anew
        for each. All other steps stand in the text where they are read, because each view is one
        more plan that the driver makes: not before it, by name, because Spark then finds no kept
        rows again; and not where a text grows deep, because its parser comes to an end there.
        """
        last = query.query.copy()
        named = last.args.get("with_")
        last.set("with_", None)
        steps: dict[str, exp.Query] = {}
        ours = {*query.tables, *known}
        with _Made(self._session) as made:
            for frame, view in zip(self._frames, self._views(), strict=True):
                made.view(frame, view)
            for name, columns in query.tables.items():
                made.view(self._public(columns), f"{self._tag}_{name}")
            for step in [] if named is None else named.expressions:
                if cut and step.alias == _ROWS:
                    self._cut(step.this)
                text, often = _with_steps(step.this, steps), step.args.get("materialized")
                if not often and len([*text.find_all(exp.Subquery)]) < _LONG:
                    steps[step.alias] = text
                    continue
                asked = self._asked(text, salt, ours)
                if often and kept and self._table.unit.column is not None:
                    made.keep(asked)
                made.view(asked, f"{self._tag}_{step.alias}")
                ours.add(step.alias)
            yield self._asked(_with_steps(last, steps), salt, ours)

    def _cut(self, rows: exp.Query) -> None:
        """Cut rows by unit into as many parts as the bytes of the source suggest.

        Spark cuts what it exchanges into as many as the session says, 200 by itself, and joins
        small ones afterwards, but not of rows that are kept: each question on them is then asked
        of 200 parts, which write 200 files each. All that is asked of a unit finds its rows in one
        part, so that they are exchanged once. Rows that are ranked are cut before they are. There
        are never more parts than the session says.
        """
        with suppress(Exception):  # a Spark that says it in another way
            most = int(self._session.conf.get("spark.sql.shuffle.partitions"))
            parts = sum(map(self._size, self._frames, self._views())) // _PART + 1
            is_ranked = isinstance(rows.args["from_"].this, exp.Subquery)
            while isinstance(ranked := rows.args["from_"].this, exp.Subquery):
                rows = ranked.this
            if parts < most or is_ranked:
                number = [whole(parts)] if parts < most else []
                hint = called("REPARTITION", *number, exp.column("u"))
                rows.set("hint", exp.Hint(expressions=[hint]))

    def _size(self, frame: Any, view: str) -> int:
        """Return how many bytes Spark takes a source for, by its files; huge where it has none."""
        with suppress(Exception):  # a frame of Spark Connect keeps its plan on the server
            plan = frame._jdf.queryExecution().optimizedPlan()  # noqa: SLF001 - made once a frame
            return int(str(plan.stats().sizeInBytes()))
        query = exp.select("*").from_(view).sql("spark")
        answer = self._session.sql(f"EXPLAIN COST {query}").collect()[0][0]
        number, prefix = cast("re.Match[str]", _SIZE.search(answer)).groups()
        return int(Decimal(number) * 1024 ** _PREFIXES.index(prefix))

    def _asked(self, query: exp.Query, salt: int, ours: set[str]) -> Any:
        """Return the frame of a query whose tables have names of this count alone."""
        for named in query.find_all(exp.Table):
            if named.name in ours:
                alias = named.alias or named.name
                named.set("this", exp.to_identifier(f"{self._tag}_{named.name}"))
                named.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
        parameters = {SALT: f"{salt:020d}"} if query.find(exp.Placeholder) else None
        return self._session.sql(plainly(query).sql(dialect="spark"), args=parameters)

    def _public(self, columns: Mapping[str, Any]) -> Any:
        """Return a public table as a frame, which goes to each worker whole.

        Spark does not know how few its rows are, and would sort those of the source to join them.
        """
        listed = ", ".join(f"{name} {_KINDS[of.dtype.kind]}" for name, of in columns.items())
        rows = [*zip(*(of.tolist() for of in columns.values()), strict=True)]
        return self._session.createDataFrame(rows, listed).hint("broadcast")


def plainly(query: exp.Query) -> exp.Query:
    """Write the texts of a query by their bytes, where sessions may read them in several ways.

    By its settings a session puts a value in the place of `${...}` wherever that stands in what it
    is asked, in texts and parameters, too, and reads a backslash in one of two ways.
    """
    for literal in list(query.find_all(exp.Literal)):
        if literal.is_string and not _PLAIN.fullmatch(literal.this):
            spelled = exp.HexString(this=literal.this.encode().hex())
            literal.replace(to_type(spelled, "TEXT"))
    return query


def _with_steps(query: exp.Query, steps: Mapping[str, exp.Query]) -> exp.Query:
    """Return a query with the text of each of these steps where its name stands."""
    text = query.copy()
    for named in list(text.find_all(exp.Table)):
        if named.name in steps:
            named.replace(steps[named.name].subquery(named.alias or named.name))
    return text


class _Made:
    """What a count makes in a session, and takes back."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._views: list[str] = []
        self._kept: list[Any] = []
        self._fixed: list[Any] = []

    def view(self, frame: Any, name: str) -> None:
        """Give a frame a name."""
        self._views.append(name)
        frame.createOrReplaceTempView(name)

    def keep(self, frame: Any) -> None:
        """Keep the rows of a frame, in memory or on the disks of the workers."""
        self._kept.append(frame)
        frame.persist()

    def fixed(self, frame: Any) -> Any:
        """Return the rows of a frame, made once and never again."""
        kept = frame.localCheckpoint(eager=True)
        self._fixed.append(kept)
        return kept

    def __enter__(self) -> "_Made":
        return self

    def __exit__(self, *_: object) -> None:
        for frame in self._kept:
            with suppress(Exception):
                frame.unpersist()
        for name in self._views:
            with suppress(Exception):
                self._session.catalog.dropTempView(name)
        for frame in self._fixed:
            with suppress(Exception):  # Spark Connect lets them go with the frame
                rows = frame._jdf.queryExecution().analyzed().rdd()  # noqa: SLF001
                rows.unpersist(_LATER)
