"""`discreet denoise`: the numbers of a saved release, cleaned at no cost.

Rules of this module:
- it opens the release and nothing else; what it writes is a new file.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, shown
from ..paths import taken
from ..plan_file.in_file import as_options, in_words, refuse_blanks, typed
from .charge import free_name, there
from .json_replies import CleanedLine, DenoiseReply
from .output import Screen
from .twice import each_once

if TYPE_CHECKING:
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
            why="it names the counts and says what they add up to",
            fix="write --total 'count by city=?'",
        )
    refuse_blanks({"total": number.rpartition("=")[2].strip()}, why=_KNOWN)
    return label.strip(), number.strip()


def _belief(text: str) -> tuple[str, str]:
    """Return a part of a prior: mean, sd or a value, and its number."""
    name, equals, number = text.partition("=")
    if not equals:
        raise InputError(
            f"--prior {shown(text)} is no part of a prior.",
            why="a part is mean or sd with its number, or a value with its weight",
            fix="write --prior mean=0 --prior sd=30, or --prior 0=9 --prior 100=1",
        )
    return name.strip(), number.strip()
