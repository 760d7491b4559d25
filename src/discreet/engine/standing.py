"""Files that stand still while they are counted; else what was counted is dropped.

Rules of this module:
- what the system says of each file when it is opened is compared before its rows are read and after
  the last of them: a file that is exchanged or written into meanwhile may give a person two names,
  each with limits of its own, in two passes or in two parts of one;
- it is asked after the charge, and that some file changed is all that is told.

It sees neither a folder that is exchanged and put back in between, nor a program that writes by
mapped memory (docs/limits.md): who does that holds the data.
"""

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

from ..errors import EngineError, shown
from ..schema import Table
from .source import files_of

Stats = tuple[tuple[int, ...], ...] | None  # of each file: size, times, place, device
Found = TypeVar("Found")


def stats_of(paths: Sequence[str]) -> Stats:
    """Return what the system says of each file; None where it says nothing."""
    try:
        found = [os.stat(path) for path in paths]  # noqa: PTH116 - a path as it was opened
    except OSError:
        return None
    return tuple((s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino, s.st_dev) for s in found)


def still(
    table: Table, paths: Sequence[str], tables: Sequence[tuple[Table, Sequence[str]]] = ()
) -> Callable[[Callable[[], Found]], Found]:
    """Return what reads a source that was just opened, and raises where its files move.

    Args:
        table, paths: a declaration with its source, and the files of that.
        tables: of a join, each of its tables, with its files.

    Raises:
        EngineError: a file is not there any more, as where a data set was made of it before.
    """
    each = tables or ((table, paths),)
    watched = [path for one, listed in each for path in listed or files_of(one.source)]
    before = stats_of(watched)
    if before is None:
        raise EngineError(
            f"{shown(table.name)} cannot be opened.",
            why="a file of it is not there, or the system says nothing of it",
            fix="put the file back, or make the data set again of those that are there",
        )

    def read(act: Callable[[], Found]) -> Found:
        _check(watched, before)
        try:
            found = act()
        except EngineError:
            _check(watched, before)  # which says more of why
            raise
        _check(watched, before)
        return found

    return read


def _check(paths: Sequence[str], before: Stats) -> None:
    """Raise EngineError unless the system says of the files what it said before."""
    if stats_of(paths) != before:
        raise EngineError(
            "a file of the data was changed or taken away while it was counted.",
            why="a person may have another name in what is there now, and would count twice",
            fix="let the files stand still meanwhile, or count a copy of them",
        ) from None
