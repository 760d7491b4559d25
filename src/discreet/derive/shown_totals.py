"""Totals of the numbers that a rule of publication shows: sums of a selection.

Rules of this module:
- they are of the numbers that are shown: what is not shown is not 0, and is in no total;
- intervals hold whatever was selected, of all lists of the numbers at once (`post.selected`), and
  so of all groups at once; they are wide where many numbers are shown: the total as a question of
  its own is narrower, and costs;
- sums are of the noisy integers, and not of what was rounded.

Decision 118.
"""

from typing import Any

from ..document.accessors import in_all
from ..document.document import Document
from ..post.interval import at_least
from ..post.selected import total_half_width
from ..report.additive import Numbers, axes_in, selected, several
from .derived import DerivedNumbers, axes_of, chance_of, derived, said
from .differences import measured, words_of

_OF_SHOWN = (
    "Totals are of the numbers that are shown. What is not shown is not 0; the total of all is a "
    "question of its own, and narrower."
)


def total_of_shown(
    document: Document, numbers: Numbers, *, by: Any, only: Any, alpha: Any, together: bool
) -> DerivedNumbers:
    """Return sums of what is shown; the options are those of `total`."""
    chance, name = chance_of(document, alpha), numbers.name
    kept = axes_in(numbers.released, () if by is None else by, chooses=True)
    chosen = selected(numbers.released, {} if only is None else only)
    groups = numbers.folded(kept, chosen)
    among, sums = in_all(numbers.released), [sum(part) for part in groups.values()]
    half = [total_half_width(numbers.law, len(part), among, chance) for part in groups.values()]
    low, high = ([s + sign * off for s, off in zip(sums, half, strict=True)] for sign in (-1, 1))
    recipe = {"derive": "total", "of": name}
    recipe |= said(by=kept, only=chosen, alpha=chance, together=together)
    most = max(map(len, groups.values()), default=0)
    return derived(
        document,
        f"total of {name}{words_of(kept)}, of what is shown",
        recipe,
        axes=axes_of(numbers.released, kept),
        index=list(groups),
        numbers=measured(numbers, sums, at_least(0, low) if numbers.counted else low, high),
        measure=numbers.released.answer.measure,
        notes=[*several(document, numbers, most), _OF_SHOWN],
    )
