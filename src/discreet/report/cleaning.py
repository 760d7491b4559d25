"""From a release to its cleaned numbers: post-processing of public numbers, which is free.

The mean of several columns, cleaned: its noisy sums are, and are divided by the noisy count.

Rules of this module:
- only the document is read: its noisy integers and the laws of their noise;
- counts are cleaned, each statistic by itself: its numbers have one kind and one noise law. So
  are the sums of a mean of several columns. Other sums and means stay raw;
- a cleaned count is a whole number, because that is what a count is;
- bins are in order, so that wavelets and trend filters are tried on a histogram, where it has
  groups also along the bins of each; keys are in order, or on a graph, where the caller says so;
- each group is cleaned by itself: its sums have one kind and one noise law, and one count;
- a mean lies in its ball and bounds, which are public: moving a cleaned one to the nearest point of
  them never moves it farther from a truth inside;
- where nothing is cleaned, and where there are too few rows to say, numbers stay as released: what
  a release does not show is not shown here either.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ..document.accessors import alpha_of, is_vector, labels, told
from ..document.document import Document, Released
from ..document.numbers import group_text, percent
from ..errors import InputError, as_given, names_shown, shown
from ..fix import write
from ..noise.law import Law
from ..noise.registry import law_of
from ..post.denoise.interval import average_interval, promise
from ..post.denoise.known_facts import at_least
from ..post.denoise.noise import Vector, noise_of
from ..post.denoise.own import NOTHING, OWN, Own
from ..post.denoise.select import ASSUMED, NAMES, Denoised, Progress, denoise, fits
from ..schema import table_of
from ..statistic.catalog import statistic_of
from .adding_up import NAME as CONSISTENT
from .adding_up import added_up
from .cleaned import Cleaned, CleanedStatistic, kept_by, lucky
from .constraints import Facts
from .neighbors import Near, NumberLayout, layout_of

_NONE: Near = {}
INTERVALS = ("raw", "average")
_LARGE = 999
_KINDS = "only counts, histograms and means of several columns"
_MEANS = (
    "Of a mean of several columns the noisy sums are cleaned, in each group by themselves, and "
    "divided by the noisy count, whose error comes on top. Facts and average intervals are for "
    "counts."
)


def cleaned(
    document: Document,
    *,
    how: str,
    facts: Facts,
    interval: str,
    near: Near = _NONE,
    own: Own = NOTHING,
    progress: Progress | None = None,
) -> Cleaned:
    """Return the cleaned numbers of a release; `progress` hears of each statistic's candidates.

    Raises:
        InputError: there is nothing to clean, or there is no such denoiser, interval or total.
    """
    _check(how, interval)
    named = zip(labels(document), document.statistics, strict=True)
    statistics = {
        label: released
        for label, released in named
        if _is_cleaned(released) and not (how == CONSISTENT and is_vector(released))
    }
    layouts = {label: layout_of(released, near) for label, released in statistics.items()}
    _check_counts(statistics, how, facts, layouts, shared=any(map(_is_shared, document.statistics)))
    kept = tuple(label for label in labels(document) if label not in statistics)
    notes = (*_notes(document, statistics, kept, how, interval), *facts.words())
    counts = document.model_copy(update={"statistics": list(statistics.values())})
    if how == CONSISTENT:
        pieces = added_up(statistics, table_of(document.plan["table"]), facts)
        return Cleaned(counts, tuple(pieces), kept, notes)
    alpha = Fraction(document.alpha)
    clean = partial(_one, alpha=alpha, how=how, facts=facts, interval=interval, own=own)
    means = partial(cleaned_means, document=document, how=how)
    return Cleaned(
        document=counts,
        statistics=tuple(
            piece
            for label, released in statistics.items()
            for piece in (
                means(label, released, progress=_heard(label, progress))
                if is_vector(released)
                else clean(label, released, layouts[label], progress=_heard(label, progress))
            )
        ),
        kept=kept,
        notes=notes,
    )


def _notes(
    document: Document,
    statistics: Mapping[str, Released],
    kept: Sequence[str],
    how: str,
    interval: str,
) -> list[str]:
    """Return what the choice and the intervals mean, as sentences."""
    notes = [_choice(how)]
    if kept:
        notes.insert(0, f"Kept as released, because {_KINDS} are cleaned: {', '.join(kept)}.")
    alpha = alpha_of(document)
    notes.append(
        f"Each {percent(alpha)} interval is the raw number's own, as released, and misses by "
        f"itself with probability at most {alpha}; a cleaned number may lie outside it."
    )
    if not all(map(is_vector, statistics.values())):
        notes.append("Cleaned counts are whole numbers; the rounding is in their estimated error.")
    if interval == "average":
        notes.append(f"{promise(Fraction(document.alpha))} They stand around numbers of their own.")
    if any(map(is_vector, statistics.values())):
        notes.append(_MEANS)
    return notes


def _heard(label: str, progress: Progress | None) -> Progress | None:
    """Return the hook that also says which statistic is being cleaned."""
    if progress is None:
        return None
    return lambda name, place, count: progress(f"{label}: {name}", place, count)


def _one(  # noqa: PLR0913 - what a call of `denoise` says, and the statistic
    label: str,
    released: Released,
    layout: NumberLayout,
    *,
    alpha: Fraction,
    how: str,
    facts: Facts,
    interval: str,
    own: Own,
    progress: Progress | None,
) -> Iterator[CleanedStatistic]:
    vector = released.vectors[0]
    noisy, law = np.array(vector.noisy, dtype=float), law_of(vector.noise)
    suits = fits(how, noisy.size, **layout.fits)
    done = denoise(
        noisy,
        law,
        how if suits else "raw",
        graph=layout.edges,
        ordered=layout.ordered,
        whole=True,
        alpha=alpha,
        own=own,
        progress=progress,
    )
    values = tuple(vector.noisy)
    if done.name != "raw" or facts.change(label):
        known = facts.applied(label, done.values, line=layout.line)
        values = tuple(map(int, known.tolist()))
    yield CleanedStatistic(
        label=label,
        denoiser=done.name,
        raw_error=done.raw_error,
        error=done.error,
        words=_words(done, how) if suits else f"kept raw: {how} does not fit these numbers.",
        values=values,
        average=_average(noisy, law, alpha) if interval == "average" else (),
    )


def _average(noisy: Vector, law: Law, alpha: Fraction) -> tuple[tuple[float, float], ...]:
    """Return intervals that hold on average, cut at zero, because no count is below it."""
    interval = average_interval(noisy, noise_of(law), alpha)
    low, high = at_least(interval.low), at_least(interval.high)
    return tuple(zip(low.tolist(), high.tolist(), strict=True))


def _together(released: Released) -> int:
    """Return how many numbers are cleaned together."""
    rows = len(released.answer.rows)
    return len(released.question["column"]) if is_vector(released) else rows


def _words(done: Denoised, how: str) -> str:
    before = _figure(done.raw_error)
    if done.name == "raw" and how == "auto":
        return (
            f"kept raw: {done.why_raw()}; its error is {before} a number (root mean square)."
            f"{done.left_out()}"
        )
    if done.name == "raw":
        why = "which failed" if how in done.failed else kept_by(how)
        return f"kept raw, {why}: its error is {before} a number (root mean square)."
    worse = "" if done.error < done.raw_error else "; that is no gain: keep raw"
    return (
        f"{done.name}: error estimated at {_figure(done.error)} a number (root mean square"
        f"{done.known()}), that of the raw numbers is {before}{worse}."
        f"{lucky(done, how)}{done.left_out()}"
    )


def _figure(error: float) -> str:
    return f"{error:.3g}" if error < _LARGE else f"{error:,.0f}"


def _choice(how: str) -> str:
    done = "Choosing" if how == "auto" else "Cleaning"
    return f"{done} read only the released numbers and the law of their noise: it cost no privacy."


def _is_cleaned(released: Released) -> bool:
    """Tell whether a statistic's numbers have the noise of their law: clamped counts have not, nor
    those that share a vector, which are rounded."""
    is_plain = statistic_of(released.question).telling().cleaned
    whole = released.shown is None
    return whole and ((is_plain and not _is_shared(released)) or is_vector(released))


def _is_shared(released: Released) -> bool:
    return any(vector.times is not None for vector in released.vectors)


def _check(how: str, interval: str) -> None:
    if not isinstance(how, str) or how not in (*NAMES, CONSISTENT):
        raise InputError(
            f"there is no denoiser {as_given(how)}.",
            kind="unknown-choice",
            why=f"there are {', '.join(NAMES)}, {CONSISTENT}",
            fix=write(", which takes the best or keeps raw", how="auto"),
        )
    if not isinstance(interval, str) or interval not in INTERVALS:
        raise InputError(
            f"there is no interval {as_given(interval)}.",
            kind="unknown-choice",
            why="the raw interval is always shown; one that holds on average can stand beside it",
            fix=(write(interval="raw"), write(interval="average")),
        )


def _check_counts(
    statistics: Mapping[str, Released],
    how: str,
    facts: Facts,
    layouts: Mapping[str, NumberLayout],
    *,
    shared: bool,
) -> None:
    if not statistics and shared:
        raise InputError(
            "this release has no counts to clean.",
            kind="nothing-to-clean",
            why="its counts share a vector with means, and are rounded: their noise is that of no "
            "whole number",
            fix=("show it as it is: print(release)", write(of="plan", share=False)),
        )
    if not statistics:
        raise InputError(
            "this release has no counts to clean.",
            kind="nothing-to-clean",
            why=f"{_KINDS} are cleaned; a sum or a mean of one column stays as released",
            fix="show it as it is: print(release)",
        )
    counts = [label for label, released in statistics.items() if not is_vector(released)]
    for label in facts.totals:
        if label not in counts:
            raise InputError(
                f"there are no counts {shown(label)!r} in this release.",
                kind="no-such-statistic",
                why=f"there are {names_shown(counts) or 'none'}",
                fix="name one of them before its total",
            )
    sizes = [(layouts[label].fits, _together(released)) for label, released in statistics.items()]
    if how != CONSISTENT and not any(fits(how, count, **lies) for lies, count in sizes):
        raise InputError(
            f"{how} fits none of these numbers.",
            kind="nothing-to-clean",
            why="wavelets and trend filters need bins or keys in order, trees of them groups of "
            "these, or a graph",
            fix=(
                write(", which takes what fits", how="auto"),
                "say by ordered which keys have an order that says something",
            ),
        )


def cleaned_means(
    label: str, released: Released, *, document: Document, how: str, progress: Progress | None
) -> Iterator[CleanedStatistic]:
    """Return the cleaned means of each group, in the order of the released ones."""
    table, alpha = table_of(document.plan["table"]), Fraction(document.alpha)
    question: Any = statistic_of(released.question)
    shape, weight, size = question.shape(table), question.count_weight(table), len(question.columns)
    public = question.known(table)  # rows, none of which can drop out
    law, units = law_of(released.vectors[0].noise), np.array(shape.units, dtype=float)
    suits = how not in (*ASSUMED, *OWN) and fits(how, size, ordered=False, on_graph=False)
    lines = list(told(released))
    for group in range(len(released.answer.rows) // size):
        rows = lines[group * size : (group + 1) * size]
        noisy = released.vectors[0].noisy
        *sums, count = (
            [*noisy, public * weight] if public else noisy[group * (size + 1) :][: size + 1]
        )
        has_value = [row.value is not None for row in rows]
        done = denoise(
            sums, law, how if suits and any(has_value) else "raw", alpha=alpha, progress=progress
        )
        values: list[float | None] = [row.value for row in rows]
        if done.name != "raw":
            offsets = _inside(done.values * weight / count, np.array(shape.limits), shape.squares)
            middles = [b.lower + b.upper for b in map(table.columns.__getitem__, question.columns)]
            means = (np.array(middles, dtype=float) / 2 + offsets * units).tolist()
            values = [mean if ok else None for mean, ok in zip(means, has_value, strict=True)]
        yield CleanedStatistic(
            label=label,
            denoiser=done.name,
            raw_error=done.raw_error,
            error=done.error,
            words=_mean_words(done, how, suits=suits, has_value=any(has_value)),
            values=tuple(values),
            scales=tuple(
                unit * weight / count if ok else None
                for unit, ok in zip(units.tolist(), has_value, strict=True)
            ),
            group=group_text(rows[0].index[:-1], bins=False) if rows[0].index[:-1] else "",
        )


def _inside(means: Vector, limits: Vector, squares: int) -> Vector:
    """Return the nearest means that the bounds and the ball can hold, first in the ball."""
    length = float(np.linalg.norm(means))
    shorter = means * min(1.0, float(squares) ** 0.5 / length) if length else means
    return np.clip(shorter, -limits, limits)


def _mean_words(done: Denoised, how: str, *, suits: bool, has_value: bool) -> str:
    if not has_value:
        return "kept raw: there are too few rows to say."
    if not suits:
        return f"kept raw: {how} does not fit these numbers."
    if done.name == "raw" and how == "auto":
        return f"kept raw: {done.why_raw()} over the error of its sums.{done.left_out()}"
    if done.name == "raw":
        return f"kept raw, {'which failed' if how in done.failed else kept_by(how)}."
    share = done.error / done.raw_error
    return (
        f"{done.name}: error of its sums estimated at {share:.3g} of the raw one (root mean square"
        f"{done.known(done.raw_error)})"
        f"{'' if share < 1 else '; that is no gain: keep raw'}.{lucky(done, how)}{done.left_out()}"
    )
