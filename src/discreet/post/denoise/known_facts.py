"""Projections on what is publicly known of the truths: they never move away from such a truth.

Rules of this module:
- a fact is public: it was known before the data, or follows from the declared table;
- each set here is convex (whole numbers apart), so that the projection is never farther from a
  truth inside it than the numbers were: |P(g) - theta| <= |g - theta|;
- rounding to whole numbers may lose up to a half each; it is for people who want counts.
"""

import math
from typing import Literal

import numpy as np

from ...errors import InputError
from .noise import Vector, needed


def at_least(values: Vector, least: float = 0.0) -> Vector:
    """Return the nearest numbers that are not below the least.

    Example:
        >>> at_least(np.array([-2.0, 3.0])).tolist()
        [0.0, 3.0]
    """
    return np.maximum(values, least)


def with_total(values: Vector, total: float, *, least: float | None = None) -> Vector:
    """Return the nearest numbers with a known total, and none below `least` if that is given.

    Raises:
        InputError: there is no number, or so many cannot have that total.

    Source: for `least`, Held, Wolfe and Crowder 1974 (sort, then find the common shift).

    Example:
        >>> with_total(np.array([-4.0, 1.0, 4.0]), 4, least=0).round(9).tolist()
        [0.0, 0.5, 3.5]
    """
    count = values.size
    if not count or not math.isfinite(total) or (least is not None and total < least * count):
        raise InputError(
            f"{count} numbers cannot have the total {total}.",
            kind="known-facts",
            why="the total must be a finite number, and not below as many least values",
            fix="check total and least",
        )
    if least is None:
        return values + (total - float(values.sum())) / count
    above = values - least
    falling = np.sort(above)[::-1]
    shifts = (np.cumsum(falling) - (total - least * count)) / np.arange(1, count + 1)
    kept = int(np.flatnonzero(falling - shifts >= 0)[-1]) if np.any(falling >= shifts) else 0
    return np.asarray(least + np.maximum(above - shifts[kept], 0), dtype=float)


def whole(values: Vector, total: int | None = None) -> Vector:
    """Return the nearest whole numbers; with a total, those nearest that keep it.

    Raises:
        InputError: the values' own sum is not within one of the total per number.

    Example:
        >>> whole(np.array([0.4, 0.4, 0.2]), total=1).tolist()
        [1.0, 0.0, 0.0]
    """
    if total is None:
        return np.rint(values)
    below = np.floor(values)
    missing = round(total - float(below.sum()))
    if not 0 <= missing <= values.size:
        raise InputError(
            f"the numbers do not add to the total {total}.",
            kind="known-facts",
            why="rounding moves each number by less than one",
            fix="project them first: with_total does",
        )
    order = np.argsort(below - values, kind="stable")
    below[order[:missing]] += 1
    return below


def monotone(values: Vector, way: Literal["rising", "falling"]) -> Vector:
    """Return the nearest numbers that never fall, or never rise.

    Raises:
        InputError: SciPy is not installed.

    Source: Barlow and others 1972 (pooling of adjacent violators), by SciPy.

    Example:
        >>> monotone(np.array([1.0, 3.0, 2.0]), "rising").tolist()
        [1.0, 2.5, 2.5]
    """
    if not values.size:
        return values
    regression = needed("scipy.optimize").isotonic_regression
    fit = regression(values, increasing=way == "rising").x
    return np.asarray(fit, dtype=float)
