"""Whether a public list of keys lies in what an engine reads, where no path of the source says so.

Rules of this module:
- what is asked is where data lies, never what a cell holds;
- a relation, or a view of a connection, that names a file in its query reads that file;
- of a stream, or of a frame in memory, nobody knows what it was made of: a copy is another source.

Decision 98.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from glob import glob
from typing import Any, cast
from urllib.parse import unquote, urlparse

from ..schema import Table
from ..schema.public_list import refuse_files
from .source import data_sets_of, files_of, is_connection, is_data_set, is_spark, library_of

_TEXT = re.compile(r"'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"")
_VIEWS = "SELECT sql FROM duckdb_views() WHERE NOT internal"


def check_lists(table: Table, paths: Iterable[str] = ()) -> None:
    """Refuse keys that are listed in a file which a source reads.

    Args:
        table: the declaration, with its joins.
        paths: the files that its engine has opened.

    Raises:
        InputError: a list is one of them.
    """
    sources = [(table.source, table.name), *((join.source, join.name) for join in table.joins)]
    refuse_files(table.lists, paths, table.name)
    for source, name in sources:
        refuse_files(table.lists, _read_by(source), name)


def _read_by(source: object) -> Iterator[str]:
    """Return the files of this machine that a source is known to read."""
    reader = cast("Any", source)
    if is_data_set(source):
        for part in data_sets_of(source):
            yield from files_of(part)
    queries: list[str] = []
    with suppress(Exception):  # what a source does not say is for its engine to refuse
        if is_spark(source):
            yield from (unquote(urlparse(path).path) for path in reader.inputFiles())
        elif is_connection(source):
            queries = [sql for (sql,) in reader.cursor().execute(_VIEWS).fetchall()]
        elif library_of(source) == "duckdb":
            queries = [reader.sql_query()]
            queries += [sql for (sql,) in reader.query("discreet_of", _VIEWS).fetchall()]
    for query in queries:
        for single, double in _TEXT.findall(query):
            text = single.replace("''", "'") or double.replace('""', '"')
            yield text
            with suppress(Exception):  # it need be no path
                yield from glob(text, recursive=True)  # noqa: PTH207
