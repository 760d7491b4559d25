"""The groups of cases by name, and the trial of one."""

import time

from .cases import GROUPS, Share
from .differential import differential
from .dtypes import dtypes
from .exports import exports
from .expressions import expressions
from .files import program_files
from .harness import Found
from .join_graphs import join_graphs
from .joins import joins
from .long_cells import long_cells
from .maps import files, maps
from .meanings import meanings
from .random_expressions import random_expressions
from .servers import servers

ALL = {
    **GROUPS,
    "exports": exports,
    "expressions": expressions,
    "joins": joins,
    "join graphs": join_graphs,
    "types that a cell changes": dtypes,
    "files of other programs": program_files,
    "long cells": long_cells,
    "heat maps": maps,
    "heat maps of files": files,
    "meanings": meanings,
    "random expressions": random_expressions,
    "random tables": differential,
    "cells of servers": servers,
}


def tried(name: str, of: int) -> tuple[list[Found], str]:
    """Run one of so many cases of a group; return what is wrong, and what was tried in how many seconds.

    Random groups have no cases by name: how many of them there are stands in docs/poison.md.
    """
    start, share = time.monotonic(), Share(of)
    wrong = list(ALL[name](share))
    named = f"{share.tally}, " if share.tally.cases[0] else ""
    return wrong, f"{named}{time.monotonic() - start:.0f} s"
