"""What goes to the terminal, and where; failures; the words that commands share.

Rules of this module:
- standard output holds what was asked for; progress, notes and errors go to standard error;
- with --json standard output holds one object and nothing else, an error included;
- progress is shown only to a terminal;
- no control or direction character of a key, a name or a path reaches the terminal;
- an exception of a library may quote a row, so only its type is said;
- what a note of ours says of a charge is said too;
- Typer reads the words, and nothing else: each command hands back a job, which `main` runs.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from ..errors import DiscreetError, InputError, InternalError, shown, visible
from ..paths import at_home
from ..text import Sheet

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console

    from .json_replies import Reply


_WIDTH = 100
_NARROWEST = 60
_STRONG, _RED = "1", "1;31"  # as terminals number them


class Interrupted(DiscreetError):  # noqa: N818 - the word that the caller reads
    """The caller stopped the command with Ctrl-C."""

    exit_code = 130


@dataclass(frozen=True, slots=True)
class Screen:
    """Where a command speaks; with `as_json` it stays silent until its one object."""

    as_json: bool = False

    def say(self, text: str = "") -> None:
        """Print lines of text for people."""
        if not self.as_json:
            _print(text, sys.stdout)

    def show(self, sheet: Sheet) -> None:
        """Print a table for people, as wide as the terminal: its title strong, warnings red."""
        if not self.as_json:
            lines = sheet.text(width()).split("\n")
            bare = replace(sheet, rows=(), above=(), below=(), warnings=())
            head = len(bare.text(width()).split("\n"))
            tail = len(replace(bare, warnings=sheet.warnings).text(width()).split("\n")) - head
            end = len(lines) - tail
            _print("\n".join(lines[:head]), sys.stdout, style=_STRONG)
            _print("\n".join(lines[head:end]), sys.stdout)
            if sheet.warnings:
                _print("\n".join(lines[end:]), sys.stdout, style=_RED)
            _print("", sys.stdout)

    def note(self, text: str) -> None:
        """Print lines of text that are no part of the answer."""
        if not self.as_json:
            _print(text, sys.stderr)

    def reply(self, answer: "BaseModel") -> None:
        """Print the one object of --json."""
        if self.as_json:
            _print(_object(answer), sys.stdout)

    def fail(self, error: DiscreetError) -> int:
        """Print an error's three lines, and return the exit code of its class."""
        if not self.as_json:
            first, *rest = f"{type(error).__name__}: {error}".split("\n")
            _print(first, sys.stderr, style=_STRONG)
            _print("\n".join(rest), sys.stderr)
            if error.kind and sys.stderr.isatty():
                _print(f"  more: discreet explain {error.kind}", sys.stderr)
            return error.exit_code
        from .json_replies import Failure

        words = error.plain()
        failure = Failure(
            error=type(error).__name__,
            kind=error.kind,
            exit_code=error.exit_code,
            what=words["what"],
            why=words["why"],
            fix=words["fix"],
        )
        _print(_object(failure), sys.stdout)
        return error.exit_code

    @contextmanager
    def working(self, what: str) -> Iterator[Callable[[int | None, float], None] | None]:
        """Show that something is going on, to a terminal only, until the block ends.

        Yields: what takes the percent that are done and fills a bar; None where nobody looks.
        """
        if self.as_json or not sys.stderr.isatty():
            yield None
            return
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        words = TextColumn("{task.description}", markup=False)
        columns = words, BarColumn(bar_width=20), TimeElapsedColumn()
        with Progress(*columns, console=_console(), transient=True) as progress:
            task = progress.add_task(visible(what), total=None)

            def tell(percent: int | None, _seconds: float) -> None:
                if percent is not None:
                    progress.update(task, completed=percent, total=100)

            yield tell

    @contextmanager
    def counting(self, what: str) -> Iterator[Callable[[str, int, int], None]]:
        """Show a bar, to a terminal only, that the block moves: the step, its place, how many."""
        if self.as_json or not sys.stderr.isatty():
            yield lambda *_: None
            return
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        words = TextColumn("{task.description}", markup=False)
        columns = BarColumn(bar_width=20), TimeElapsedColumn(), words
        with Progress(*columns, console=_console(), transient=True) as progress:
            task = progress.add_task(visible(what), total=None)

            def move(name: str, place: int, count: int) -> None:
                message = visible(f"{what}, {place} of {count}: {name}")
                progress.update(task, description=message, completed=place - 1, total=count)
                progress.refresh()

            yield move


def _object(answer: "BaseModel") -> str:
    """Return an answer as JSON, also with text that is no UTF-8, such as the name of a file."""
    try:
        return answer.model_dump_json()
    except ValueError:
        return json.dumps(answer.model_dump(mode="json"), separators=(",", ":"))


def _console() -> "Console":
    from rich.console import Console

    return Console(stderr=True, markup=False, highlight=False)


def width() -> int:
    """Return how many columns a table may take: the terminal's, or a fixed number for a file."""
    if not sys.stdout.isatty():
        return _WIDTH
    return max(_NARROWEST, min(_WIDTH, get_terminal_size((_WIDTH, 24)).columns))


def make_safe() -> None:
    """Let a stream that cannot show a character escape it rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if callable(reconfigure):
            reconfigure(errors="backslashreplace")


def _print(text: str, stream: TextIO, *, style: str = "") -> None:
    lines = "\n".join(visible(line) for line in text.split("\n"))
    if style and stream.isatty() and "NO_COLOR" not in os.environ:
        lines = f"\x1b[{style}m{lines}\x1b[0m"
    print(lines, file=stream, flush=True)


_SPENT = ("rho", "mu2", "epsilon", "delta", "within", "ledger")  # what [spend] of a plan file holds
_OF_PLAN_FILES = ("plan", "release", "rehearse", "explore", "sql")


def told(error: BaseException) -> DiscreetError:
    """Return any failure as three lines that quote no data."""
    if isinstance(error, DiscreetError):
        return error
    if isinstance(error, KeyboardInterrupt):
        return _stopped(error)
    return _wrong_words(error) or _unforeseen(error)


def _stopped(error: BaseException) -> Interrupted:
    why, fix = _noted(error) or (
        "it was not at work on a charge just then",
        "run it again; a release that was paid for comes again for nothing",
    )
    return Interrupted("the command was stopped by Ctrl-C.", kind="stopped", why=why, fix=fix)


def _noted(error: BaseException) -> tuple[str, str] | None:
    """Return what a note on an exception says of a charge: what stands, and what can be done."""
    if not hasattr(error, "__notes__"):
        return None
    from ..ledgers.refusal import said_in

    return said_in(error)


def _wrong_words(error: BaseException) -> InputError | None:
    """Return the error for words that Typer could not read, or None for any other."""
    message = getattr(error, "format_message", None)
    if not callable(message):
        return None
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "discreet")
    option = str(getattr(error, "option_name", "")).removeprefix("--")
    reads_a_plan = command.split()[-1] in _OF_PLAN_FILES
    in_file = option in _SPENT and reads_a_plan
    from .wrong_words import words_meant

    meant = words_meant(error, str(message()), command, spends=reads_a_plan)
    return InputError(
        f"{shown(' '.join(str(message()).split()), 300).rstrip('.?')}.",
        kind="command-not-read",
        why="what a plan spends stands in the plan file"
        if in_file
        else "the command line was not understood",
        fix=f'write {option} = "?" under [spend] of the plan file'
        if in_file
        else meant or f"see: {command} --help",
    )


def _unforeseen(error: BaseException) -> InternalError:
    why = "its own message is withheld, because it may quote the data"
    fix = "look at the ledger for an open charge"
    if noted := _noted(error):
        why, fix = f"{why}; {noted[0]}", noted[1]
    return InternalError(
        f"something that should not happen did: {type(error).__name__}.",
        kind="internal-fault",
        why=why,
        fix=f"please report it with the plan file and the version; {fix}",
    )


@dataclass(frozen=True, slots=True)
class Job:
    """What a command will do, once its words are read."""

    run: "Callable[[Screen], Reply]"
    as_json: bool


EXIT_CODES = (
    "Exit codes: 0 done; 2 a parameter, a plan or a declaration is wrong; 3 it does not fit into "
    "the budget, or an audit found a fault; 4 the ledger cannot be used; 5 the data cannot be "
    "read; 6 a release does not verify; 70 a fault of discreet; 130 stopped by Ctrl-C."
)


def path_typed(text: str) -> Path:
    """Return a path of which `~` at the start is the caller's own folder."""
    return Path(at_home(text) if text.startswith("~") else text)


Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]
PlanPath = Annotated[
    Path, typer.Argument(metavar="FILE", help="A plan file (TOML).", parser=path_typed)
]
Saved = Annotated[
    Path,
    typer.Argument(
        metavar="RELEASE", help="A release's folder, zip or release.json.", parser=path_typed
    ),
]
LedgerPath = Annotated[
    Path, typer.Argument(metavar="LEDGER", help="The ledger's file.", parser=path_typed)
]
Ledger = Annotated[
    Path | None,
    typer.Option("--ledger", metavar="LEDGER", help="The ledger that pays.", parser=path_typed),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="PATH", help="Where to write.", parser=path_typed),
]
Who = Annotated[str | None, typer.Option("--who", metavar="NAME", help="Who asks, for the book.")]
Request = Annotated[
    str | None,
    typer.Option("--request", metavar="NAME", help="A name: a new one pays, a known one repeats."),
]
Why = Annotated[
    str | None,
    typer.Option("--why", metavar="TEXT", help="What for, for the book; else the plan's title."),
]
Remote = Annotated[
    bool, typer.Option("--allow-remote", help="Connect to the database that the plan names.")
]
