"""`discreet denoise`: the numbers of a saved release, cleaned at no cost.

Rules of this module:
- it opens the release and nothing else; what it writes is a new file.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, shown
from ..paths import taken
from ..plan_file.in_file import as_options, in_words, refuse_blanks, typed
from .charge import free_name, there
from .json_replies import CleanedLine, DenoiseReply
from .output import Screen
from .twice import each_once

if TYPE_CHECKING:
    from ..releases.release import Release
    from ..report.cleaned import CleanedStatistic


_KNOWN = "a total must be known without the data, and only you know it"


@dataclass(frozen=True, slots=True)
class DenoiseOptions:
    """The options as they were typed."""

    how: str
    known: tuple[str, ...]
    totals: tuple[str, ...]
    interval: str
    ordered: tuple[str, ...] = ()
    prior: tuple[str, ...] = ()
    radius: str | None = None
    penalty: str | None = None
    graph: tuple[str, ...] = ()


def denoise(
    screen: Screen, path: Path, wanted: DenoiseOptions, *, out: Path | None
) -> DenoiseReply:
    """Show raw and cleaned numbers side by side, and write them where that is wanted."""
    from ..releases.denoise import denoise as cleaned
    from ..releases.release import load

    if out is not None:
        _refuse_place(out)
    release, totals = load(path), each_once("--total", map(_total, wanted.totals))
    with screen.counting("Cleaning") as progress, in_words(as_options):
        denoised = cleaned(
            release,
            wanted.how,
            known=wanted.known,
            totals=totals,
            interval=wanted.interval,
            ordered=wanted.ordered,
            graph=each_once(
                "--graph",
                ((name, _as_keys(release, name, of)) for name, of in map(_graph, wanted.graph)),
            ),
            prior=each_once("--prior", map(_belief, wanted.prior)) or None,
            radius=wanted.radius,
            penalty=wanted.penalty,
            progress=progress,
        )
    screen.show(denoised.sheet())
    if out is not None:
        denoised.save(out)
        screen.say(f"The table is in {shown(out)}; the release is as it was.")
    table = denoised.table()
    return DenoiseReply(
        saved=None if out is None else str(out),
        statistics=list(map(_line, denoised.statistics)),
        kept=list(denoised.kept),
        notes=list(denoised.notes),
        columns=list(table.columns),
        rows=[list(row) for row in table.rows],
    )


def _refuse_place(out: Path) -> None:
    """Refuse a place that is taken, or inside a release, which then would not verify any more."""
    if there(out):
        raise taken(
            out,
            why="cleaned numbers are never written over anything",
            fix=f"add --out {typed(free_name(out))}",
        )
    if there(out.parent / "release.json"):
        other = Path(out.name)
        raise InputError(
            f"{shown(out)} would lie in a release.",
            kind="place-taken",
            why="a release in which anything else lies does not verify: that may be the data",
            fix=f"add --out {typed(free_name(other) if there(other) else other)}",
        )


def _line(statistic: "CleanedStatistic") -> CleanedLine:
    return CleanedLine(
        label=statistic.name,
        denoiser=statistic.denoiser,
        raw_error=statistic.raw_error,
        error=statistic.error,
        words=statistic.words,
    )


def _total(text: str) -> tuple[str, str]:
    label, equals, number = text.rpartition("=")
    if not equals:
        raise InputError(
            f"--total {shown(text)} is no total.",
            kind="command-not-read",
            why="it names the counts and says what they add up to",
            fix="write --total 'count by city=?'",
        )
    refuse_blanks({"total": number.rpartition("=")[2].strip()}, why=_KNOWN)
    return label.strip(), number.strip()


def _graph(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a column, and the pairs of its keys that a public file lists as neighbors."""
    column, equals, file = text.partition("=")
    if not equals:
        raise InputError(
            f"--graph {shown(text)} names no file.",
            kind="command-not-read",
            why="a public CSV file without a header lists two neighboring keys a row",
            fix="write --graph ward=edges.csv",
        )
    from csv import reader

    from ..schema.public_list import text_of_list

    rows = [row for row in reader(text_of_list(Path(file), "graph")[0].splitlines()) if row]
    if not rows or any(len(row) != 2 for row in rows):
        raise InputError(
            f"the graph {shown(Path(file).name)} is no list of pairs.",
            kind="wrong-graph",
            why="each row names two keys that are neighbors, and nothing else",
            fix="write two keys a row, with a comma between them, and no header",
        )
    return column, [(first, second) for first, second in rows]


def _as_keys(
    release: "Release", column: str, pairs: list[tuple[str, str]]
) -> list[tuple[Any, Any]]:
    """Return pairs of texts as pairs of the keys that they spell."""
    from ..document.accessors import public_keys

    keys = {str(key): key for key in public_keys(release.document, column) or []}
    unknown = next((key for pair in pairs for key in pair if keys and key not in keys), None)
    if unknown is not None:
        raise InputError(
            f"the graph names {shown(unknown)}, which is no key of {shown(column)}.",
            kind="wrong-graph",
            why=f"neighbors are two of its keys, such as {shown(', '.join([*keys][:2]))}",
            fix="write two keys a row, with a comma between them, and no header",
        )
    return [(keys.get(first, first), keys.get(second, second)) for first, second in pairs]


def _belief(text: str) -> tuple[str, str]:
    """Return a part of a prior: mean, sd or a value, and its number."""
    name, equals, number = text.partition("=")
    if not equals:
        raise InputError(
            f"--prior {shown(text)} is no part of a prior.",
            kind="command-not-read",
            why="a part is mean or sd with its number, or a value with its weight",
            fix="write --prior mean=0 --prior sd=30, or --prior 0=9 --prior 100=1",
        )
    return name.strip(), number.strip()
