"""Clean a release's numbers afterwards: `denoise`.

Rules of this module:
- it is given a release and nothing else: no data, no ledger, no coins.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..errors import InputError, as_given
from ..fix import leave_out
from .open_ledger import release_for

if TYPE_CHECKING:
    from ..exact.number import Number
    from ..post.denoise.select import Progress
    from ..report.cleaned import Cleaned
    from .release import Release


def denoise(  # noqa: PLR0913 - one call with all that is public of the numbers
    release: Release | str | PathLike[str],
    how: str = "auto",
    *,
    known: str | Iterable[str] = (),
    totals: Mapping[str, Number] | None = None,
    interval: str = "raw",
    ordered: str | Iterable[str] = (),
    graph: Mapping[str, Iterable[tuple[object, object]]] | None = None,
    prior: Mapping[Any, Number] | None = None,
    radius: Number | None = None,
    penalty: Number | None = None,
    progress: Progress | None = None,
) -> Cleaned:
    """Return the numbers of a release with less noise if cleaning helps; otherwise return the raw
    numbers.

    `denoise` cleans counts, histograms, and means of several columns. For such means, `denoise`
    cleans the noisy sums of each group, and divides these sums by the noisy count.

    Cleaning costs no privacy and needs no ledger. `denoise` reads the noisy numbers and the law of
    the noise, and both are public. A computation from the output of a private mechanism alone is as
    private as that output (post-processing). You may try many such computations and choose one:
    this costs no privacy, either.

    "auto" estimates the error of each denoiser from the noisy numbers and the law of the noise.
    "auto" takes the denoiser with the smallest error, and keeps the raw numbers unless the gain is
    clear and at least 1 % of the squared error. Cleaned counts are whole numbers, and their
    expected error includes the rounding. A denoised number is biased: a sum of many denoised
    numbers can be worse than the sum of the raw numbers.

    Args:
        release: a release, or the path of a saved release.
        how: "auto", "raw", or the name of one denoiser, for example "empirical_bayes".
        known: public facts: "nonnegative" raises numbers below 0 to 0. With "rising" the cleaned
            numbers of a list of bins or ordered keys never fall; with "falling" these numbers never
            rise.
        totals: public totals, by the label of the statistic: {"count by ward": 1000}.
        interval: "raw", or "average" for a second, shorter interval beside the raw interval. On
            average over the numbers, a share 1 - alpha of these second intervals hold.
        ordered: the columns whose keys stand in a meaningful order, such as hours, ages or days.
            `denoise` then cleans neighboring keys together, as bins are.
        graph: the pairs of neighboring keys, by column: {"ward": [("A", "B"), ("B", "C")]}.
        prior: your belief about each count before you see the data. {"mean": 0, "sd": 30} is a
            Gaussian; {0: 9, 100: 1} are values with weights. The denoiser is the posterior mean.
            For a Gaussian prior of deviation w around 0, and noise of deviation s, this mean is the
            number times w^2 / (w^2 + s^2).
        radius: a public bound of the sum of the counts. `radius` selects the denoiser "l1_ball":
            the nearest numbers whose absolute values sum to at most this bound.
        penalty: the penalty of "trend_filter_0" or "trend_filter_1", in place of the penalty that
            discreet chooses.
        progress: a function that `denoise` calls before each denoiser, with three arguments: the
            statistic and the denoiser as one text, the number of this denoiser from 1 on, and the
            number of all denoisers. Without `progress`, a notebook shows a bar.

    Returns: each number with the raw interval, the cleaned number, the denoiser and both expected
        errors. Sums and means of one column stay as released, and `kept` names them.

    Raises:
        InputError: there is nothing to clean, discreet has no denoiser of that name, or the
            libraries of the extra `denoise` are missing.

    Source: Dwork and Roth 2014, Proposition 2.1 (post-processing); Balle and Wang 2018, section 4
        (prior); Nikolov, Talwar and Zhang 2013 (l1 ball).

    Example:
        >>> import discreet as dp
        >>> people = dp.table([], unit="row", keys={"state": [f"S{i}" for i in range(50)]})
        >>> release = dp.rehearse(dp.plan(people, dp.count(by="state"), spend=dp.pure("0.01")))
        >>> dp.denoise(release, "james_stein_mean").table().columns[-4:]
        ('cleaned', 'denoiser', 'raw_error', 'error')
    """
    from ..post.denoise.own import own_of
    from ..report.cleaning import cleaned
    from ..report.constraints import facts_of
    from ..report.neighbors import near_of

    document = release_for("denoise", release).document
    if progress is not None and not callable(progress):
        raise InputError(
            f"progress = {as_given(progress)} cannot be called.",
            kind="wrong-type",
            why="it is told the name of each denoiser, its place, and how many there are",
            fix=leave_out("progress", note=", or give it a function, such as print"),
        )
    how, own = own_of(how, prior, radius, penalty)
    facts = facts_of(known, totals if totals is not None else {})
    near = near_of(document, ordered, graph if graph is not None else {})
    asked = partial(cleaned, document, how=how, facts=facts, interval=interval, near=near, own=own)
    if progress is None and "ipykernel" in sys.modules:
        from .notebook import cleaning

        with cleaning() as bar:
            return asked(progress=bar)
    return asked(progress=progress)
