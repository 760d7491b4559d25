"""From a release to its cleaned counts: post-processing of public numbers, which is free.

Rules of this module:
- only the document is read: its noisy integers and the laws of their noise;
- counts alone are cleaned, each statistic by itself: its numbers have one kind and one noise law.
  A sum or a mean stays raw: it is made of vectors of different kinds, or already fitted;
- bins are in order, so that wavelets and trend filters are tried on a histogram, where it has
  groups also along the bins of each; groups are in no order that is known to mean anything.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from ..errors import InputError, shown
from ..exact.number import Number, rational, text_of
from ..mechanism.law import Law
from ..mechanism.laws import law_of
from ..post.denoise.brake import NAMES, SHORT, Denoised, Progress, denoise, fits
from ..post.denoise.interval import average_interval, promise
from ..post.denoise.known_facts import at_least, whole, with_total
from ..post.denoise.noise import Vector, noise_of
from .cleaned import Cleaned, CleanedStatistic
from .document import Document, Released
from .figures import percent
from .reading import alpha_of, has_bins, keys_of, labels

FACTS = ("nonnegative", "whole")
INTERVALS = ("raw", "average")
_LARGE = 999
_COUNTS = ("count", "count_units", "histogram")


@dataclass(frozen=True, slots=True)
class Facts:
    """What is publicly known of the counts.

    Attributes:
        known: which of FACTS.
        totals: the sum of a statistic's numbers, by its label.
    """

    known: frozenset[str]
    totals: Mapping[str, Fraction]

    def words(self) -> list[str]:
        """Return what is known, as sentences."""
        totals = [f"{label} adds up to {text_of(total)}" for label, total in self.totals.items()]
        said = [*sorted(self.known), *totals]
        rounded = " Rounding may add up to 1/2 to an error." if "whole" in self.known else ""
        return [f"Publicly known, as stated: {'; '.join(said)}.{rounded}"] if said else []

    def change(self, label: str) -> bool:
        """Tell whether they say anything of a statistic."""
        return bool(self.known) or label in self.totals

    def applied(self, label: str, values: Vector) -> Vector:
        """Return the nearest numbers that agree with the facts."""
        least = 0.0 if "nonnegative" in self.known else None
        total = self.totals.get(label)
        if total is not None:
            values = with_total(values, float(total), least=least)
        elif least is not None:
            values = at_least(values, least)
        if "whole" not in self.known:
            return values
        return whole(values, None if total is None else int(total))


def cleaned(
    document: Document,
    *,
    how: str,
    facts: Facts,
    interval: str,
    progress: Progress | None = None,
) -> Cleaned:
    """Return the cleaned counts of a release; `progress` hears of each statistic's candidates.

    Raises:
        InputError: the release has no counts, or there is no such denoiser, interval or total.
    """
    _check(how, interval)
    named = zip(labels(document), document.statistics, strict=True)
    found = {
        label: released for label, released in named if released.question["statistic"] in _COUNTS
    }
    _check_counts(found, how, facts)
    kept = tuple(label for label in labels(document) if label not in found)
    notes = [_choice(how)]
    if kept:
        notes.insert(0, f"Kept as released, because only counts are cleaned: {', '.join(kept)}.")
    alpha = alpha_of(document)
    notes.append(
        f"Each {percent(alpha)} interval is the raw number's own, as released, and misses by "
        f"itself with probability at most {alpha}; a cleaned number may lie outside it."
    )
    if interval == "average":
        notes.append(f"{promise(Fraction(document.alpha))} They stand around numbers of their own.")
    one = partial(_one, alpha=Fraction(document.alpha), how=how, facts=facts, interval=interval)
    return Cleaned(
        document=document.model_copy(update={"statistics": list(found.values())}),
        statistics=tuple(
            one(label, released, progress=_heard(label, progress))
            for label, released in found.items()
        ),
        kept=kept,
        notes=(*notes, *facts.words()),
    )


def facts_of(known: str | Iterable[str], totals: Mapping[str, Number]) -> Facts:
    """Return the facts that a caller states.

    Raises:
        InputError: a fact that is not known here, or a total that is no number.
    """
    names = frozenset([known] if isinstance(known, str) else known)
    for name in sorted(names - set(FACTS), key=str):
        raise InputError(
            f"there is no fact {shown(name)!r}.",
            why=f"what can be known of counts is {' or '.join(FACTS)}, and their total",
            fix='write known=["nonnegative"], or totals={"count": 1000}',
        )
    found = {
        label: rational(total, f"the total of {shown(label)}") for label, total in totals.items()
    }
    for label, total in found.items():
        if "whole" in names and total.denominator != 1:
            raise InputError(
                f"whole numbers cannot have the total {text_of(total)}.",
                why=f"the total of {shown(label)} is not whole",
                fix='leave "whole" away, or check the total',
            )
    return Facts(names, found)


def _heard(label: str, progress: Progress | None) -> Progress | None:
    """Return the hook that also says which statistic is being cleaned."""
    if progress is None:
        return None
    return lambda name, place, count: progress(f"{label}: {name}", place, count)


def _one(
    label: str,
    released: Released,
    *,
    alpha: Fraction,
    how: str,
    facts: Facts,
    interval: str,
    progress: Progress | None,
) -> CleanedStatistic:
    vector = released.vectors[0]
    noisy, law = np.array(vector.noisy, dtype=float), law_of(vector.noise)
    bins = _bins(released)
    suits = fits(how, noisy.size, **_order(bins, noisy.size))
    done = denoise(
        noisy,
        law,
        how if suits else "raw",
        graph=_edges(bins, noisy.size) if 1 < bins < noisy.size else None,
        ordered=bins > 1,
        alpha=alpha,
        progress=progress,
    )
    values: tuple[int | float, ...] = tuple(vector.noisy)
    if done.name != "raw" or facts.change(label):
        values = tuple(facts.applied(label, done.values).tolist())
        if "whole" in facts.known:
            values = tuple(map(int, values))
    return CleanedStatistic(
        label=label,
        denoiser=done.name,
        raw_error=done.raw_error,
        error=done.error,
        at_most=done.at_most,
        words=_words(done, how) if suits else f"kept raw: {how} does not fit these numbers.",
        values=values,
        average=_average(noisy, law, alpha) if interval == "average" else (),
    )


def _average(noisy: Vector, law: Law, alpha: Fraction) -> tuple[tuple[float, float], ...]:
    """Return intervals that hold on average, cut at zero, because no count is below it."""
    found = average_interval(noisy, noise_of(law), alpha)
    low, high = at_least(found.low), at_least(found.high)
    return tuple(zip(low.tolist(), high.tolist(), strict=True))


def _bins(released: Released) -> int:
    """Return how many bins each group has, 0 where there are none."""
    if not has_bins(released):
        return 0
    keys, rows = len(keys_of(released)), released.answer.rows
    return sum(row[:keys] == rows[0][:keys] for row in rows)


def _order(bins: int, count: int) -> dict[str, bool]:
    return {"ordered": bins > 1, "on_graph": 1 < bins < count}


def _edges(bins: int, count: int) -> Vector:
    """Return the pairs of neighboring bins of each group."""
    place = np.arange(count)
    place = place[place % bins != bins - 1]
    return np.stack([place, place + 1], axis=1)


def _words(done: Denoised, how: str) -> str:
    before = _figure(done.raw_error)
    if done.name == "raw" and how == "auto":
        return (
            f"kept raw: none of {len(done.candidates) - 1} denoisers promises clearly less than "
            f"its error of {before} a number (root mean square)."
        )
    if done.name == "raw":
        return f"kept raw, as asked: its error is {before} a number (root mean square)."
    short = how == "auto" and done.values.size < SHORT
    lucky = " Of so few numbers the least of several estimates is often too low." if short else ""
    worse = "; that is more: keep raw" if done.error > done.raw_error else ""
    most = _figure(done.at_most)
    if not done.error:
        return (
            f"{done.name}: expected error below {most} a number (root mean square), raw {before}."
            f"{lucky}"
        )
    return (
        f"{done.name}: expected error {_figure(done.error)} a number (root mean square; hardly "
        f"above {most}), raw {before}{worse}.{lucky}"
    )


def _figure(error: float) -> str:
    return f"{error:.3g}" if error < _LARGE else f"{error:,.0f}"


def _choice(how: str) -> str:
    done = "Choosing" if how == "auto" else "Cleaning"
    return f"{done} read only the released numbers and the law of their noise: it cost no privacy."


def _check(how: str, interval: str) -> None:
    if how not in NAMES:
        raise InputError(
            f"there is no denoiser {shown(how)!r}.",
            why=f"there are {', '.join(NAMES)}",
            fix='write "auto", which takes the best or keeps raw',
        )
    if interval not in INTERVALS:
        raise InputError(
            f"there is no interval {shown(interval)!r}.",
            why="the raw interval is always shown; one that holds on average can stand beside it",
            fix='write "raw" or "average"',
        )


def _check_counts(found: Mapping[str, Released], how: str, facts: Facts) -> None:
    if not found:
        raise InputError(
            "this release has no counts to clean.",
            why="only counts and histograms are cleaned; a sum or a mean stays as released",
            fix="show it as it is: print(release)",
        )
    for label in facts.totals:
        if label not in found:
            raise InputError(
                f"there are no counts {shown(label)!r} in this release.",
                why=f"there are {shown(', '.join(found), 300)}",
                fix="name one of them before its total",
            )
    sizes = [(_bins(one), len(one.answer.rows)) for one in found.values()]
    if not any(fits(how, count, **_order(bins, count)) for bins, count in sizes):
        raise InputError(
            f"{how} fits none of these counts.",
            why="wavelets and trend filters need bins in order, trees of them bins in groups",
            fix='write "auto", which takes what fits',
        )
