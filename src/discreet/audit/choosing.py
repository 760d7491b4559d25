"""Whether a choice picks by the chances that its law says of itself: exactly, by its words.

A choice asks for one word after the other. Chosen words are given, to see what each decides: a
draw of a place goes by the word's remainder, so that words in a row lead to each place once; a test
whether a place is kept goes by whether the word is below some number, which is found by halving. So
the chances of all that can happen within a few draws are a tree, whose leaves are picks. Draws that
go on after that are as likely for each pick, where a place can be drawn again; where none can be,
the tree ends.

Rules of this module:
- nothing of the law's own tests is called: `picked` alone is, as by the door;
- the numbers that are chosen among are made up.

Decision 126.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..noise.law import Law
from .laws import NEAR, Words, segments
from .measured import chances_of

_TRIES, _LOOK = 3, 8  # draws of a place that are followed; words in a row that are looked at
_STARTS = ((1 << 64) // 3, (1 << 63) + 1, (1 << 64) - 64)
_FAR = 20  # at e^-20 a place is as good as never kept
_GAPS = (0.4, 1.3)  # of the numbers below the largest, in scales


class _UnevenError(Exception):
    """Words in a row do not lead to each place once."""


def exactly(law: Law) -> str | None:
    """Return what is wrong with how a choice picks; None where nothing is.

    Args:
        law: one that chooses.

    Raises:
        NotImplementedError: its scale is so small that it always picks the largest number.
    """
    scale = float(law.size_up())
    if scale * _FAR < 2:
        raise NotImplementedError(law.name)
    first = max(1, round(scale * _GAPS[0]))
    numbers = [-first, 0, -first - max(1, round(scale * (_GAPS[1] - _GAPS[0])))]
    try:
        for start, places in (((), (0, 1, 2)), ((1,), (0, 2))):  # (1,) picks the largest at once
            shares = _Tree(law, numbers, len(start) + 1).shares(start)
            wrong = _compared(law, [numbers[at] for at in places], [shares[at] for at in places])
            if wrong is not None:
                return wrong
    except _UnevenError:
        return f"{law.words}, {law.numbers()}: places are not drawn evenly"
    return None


def _compared(law: Law, numbers: Sequence[int], shares: Sequence[float]) -> str | None:
    whole = sum(shares)
    for number, share, chance in zip(numbers, shares, chances_of(law, numbers), strict=True):
        ratio = share / whole / chance if whole else 0.0
        if abs(ratio - 1) > NEAR:
            below = f"{max(numbers) - number} below the largest"
            times = f"{ratio:.6g} times as often as it must be"
            return f"{law.words}, {law.numbers()}: a number {below} is picked {times}"
    return None


@dataclass(frozen=True, slots=True)
class _Tree:
    """What words lead to, of a choice among some numbers."""

    law: Law
    numbers: Sequence[int]
    picks: int

    def shares(self, start: tuple[int, ...]) -> dict[int, float]:
        """Return how likely each place is the last pick, behind some words, within a few draws."""
        shares = dict.fromkeys(range(len(self.numbers)), 0.0)
        self._follow(start, 1.0, 0, shares)
        return shares

    def _follow(
        self, words: tuple[int, ...], chance: float, tries: int, shares: dict[int, float]
    ) -> None:
        (picked, asked) = self._went(words)
        if asked <= len(words):
            shares[picked[-1]] += chance
            return
        drawn, each = self._drawn(words)
        if tries + drawn <= _TRIES:
            for share, word in each:
                self._follow((*words, word), chance * share, tries + drawn, shares)

    def _drawn(self, words: tuple[int, ...]) -> tuple[bool, list[tuple[float, int]]]:
        """Return whether the next word draws a place, and what it leads to, with the chances."""

        def went(word: int) -> tuple[tuple[int, ...], int]:
            return self._went((*words, word))

        looks = [went(word) for word in range(_LOOK)]
        many = len(set(looks))
        if many == 1:
            return False, [(chance, word) for _, chance, word in segments(went)]
        for start in (0, *_STARTS):
            first = start - start % many
            if {went(first + at) for at in range(many)} != set(looks):
                raise _UnevenError
        return True, [(1 / many, word) for word in range(many)]

    def _went(self, words: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
        """Return the picks behind some words and zeros, and how many words they took."""
        coins = Words(*words)
        return self.law.picked(self.numbers, self.picks, coins), len(coins.asked)
