"""The words that commands share, and the job that a command becomes.

Rules of this module:
- Typer reads the words, and nothing else: each command hands back a job, which `main` runs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .output import Screen

if TYPE_CHECKING:
    from .json_replies import Reply


@dataclass(frozen=True, slots=True)
class Job:
    """What a command will do, once its words are read."""

    run: "Callable[[Screen], Reply]"
    as_json: bool


Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]
PlanPath = Annotated[Path, typer.Argument(metavar="FILE", help="A plan file (TOML).")]
Saved = Annotated[
    Path, typer.Argument(metavar="RELEASE", help="A release's folder, zip or release.json.")
]
LedgerPath = Annotated[Path, typer.Argument(metavar="LEDGER", help="The ledger's file.")]
Ledger = Annotated[
    Path | None, typer.Option("--ledger", metavar="LEDGER", help="The ledger that pays.")
]
Out = Annotated[Path | None, typer.Option("--out", metavar="PATH", help="Where to write.")]
Who = Annotated[str | None, typer.Option("--who", metavar="NAME", help="Who asks, for the book.")]
