"""The mean of several columns, cleaned: its noisy sums are, and are divided by the noisy count.

Rules of this module:
- each group is cleaned by itself: its sums have one kind and one noise law, and one count;
- a mean lies in its ball and bounds, which are public: moving a cleaned one to the nearest point of
  them never moves it farther from a truth inside;
- where nothing is cleaned, and where there are too few rows to say, numbers stay as released: what
  a release does not show is not shown here either.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from ..document.accessors import told
from ..document.document import Document, Released
from ..document.numbers import group_text
from ..noise.registry import law_of
from ..post.denoise.by_name import ASSUMED
from ..post.denoise.noise import Vector
from ..post.denoise.select import Denoised, Progress, denoise, fits
from ..schema import table_of
from ..statistic.catalog import statistic_of
from .cleaned import CleanedStatistic, kept_by, lucky


def cleaned_means(
    label: str, released: Released, *, document: Document, how: str, progress: Progress | None
) -> Iterator[CleanedStatistic]:
    """Return the cleaned means of each group, in the order of the released ones."""
    table, alpha = table_of(document.plan["table"]), Fraction(document.alpha)
    question: Any = statistic_of(released.question)
    shape, weight, size = question.shape(table), question.count_weight(table), len(question.columns)
    law, units = law_of(released.vectors[0].noise), np.array(shape.units, dtype=float)
    suits = how not in ASSUMED and fits(how, size, ordered=False, on_graph=False)
    lines = list(told(released))
    for group in range(len(released.answer.rows) // size):
        rows = lines[group * size : (group + 1) * size]
        *sums, count = released.vectors[0].noisy[group * (size + 1) :][: size + 1]
        said = [row.value is not None for row in rows]
        done = denoise(
            sums, law, how if suits and any(said) else "raw", alpha=alpha, progress=progress
        )
        values: list[float | None] = [row.value for row in rows]
        if done.name != "raw":
            found = _inside(done.values * weight / count, np.array(shape.limits), shape.squares)
            middles = [b.lower + b.upper for b in map(table.columns.__getitem__, question.columns)]
            means = (np.array(middles, dtype=float) / 2 + found * units).tolist()
            values = [mean if ok else None for mean, ok in zip(means, said, strict=True)]
        yield CleanedStatistic(
            label=label,
            denoiser=done.name,
            raw_error=done.raw_error,
            error=done.error,
            words=_words(done, how, suits=suits, told=any(said)),
            values=tuple(values),
            scales=tuple(
                unit * weight / count if ok else None
                for unit, ok in zip(units.tolist(), said, strict=True)
            ),
            group=group_text(rows[0].index[:-1], bins=False) if rows[0].index[:-1] else "",
        )


def _inside(means: Vector, limits: Vector, squares: int) -> Vector:
    """Return the nearest means that the bounds and the ball can hold, first in the ball."""
    length = float(np.linalg.norm(means))
    shorter = means * min(1.0, float(squares) ** 0.5 / length) if length else means
    return np.clip(shorter, -limits, limits)


def _words(done: Denoised, how: str, *, suits: bool, told: bool) -> str:
    if not told:
        return "kept raw: there are too few rows to say."
    if not suits:
        return f"kept raw: {how} does not fit these numbers."
    if done.name == "raw" and how == "auto":
        return f"kept raw: {done.why_raw()} over the error of its sums.{done.left_out()}"
    if done.name == "raw":
        return f"kept raw, {'which failed' if how in done.failed else kept_by(how)}."
    share = done.error / done.raw_error
    return (
        f"{done.name}: error of its sums estimated at {share:.3g} of the raw one (root mean square)"
        f"{'' if share < 1 else '; that is no gain: keep raw'}.{lucky(done, how)}{done.left_out()}"
    )
