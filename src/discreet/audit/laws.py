"""Whether a sampler draws by the chances that its law says of itself: exactly, and by real draws.

Exactly. A sampler asks for bytes; here it is given chosen ones. Where one request decides a draw,
the words at which it changes are found by halving, and the chance of each value is how many words
lead to it, over 2^64. Where several requests each decide a digit, a value has the product of their
chances. Where the last one decides whether a draw is kept, the chance to be kept is a factor.
Nothing of the sampler's own tables is looked at.

By real draws. An e-value is a product whose mean is at most 1 while the law is right, whenever one
looks (Ville 1939): so that it ever reaches a million has a chance of at most one in a million. It
is the mean of likelihood ratios against laws that cost more or less, and of bets on how many draws
are even, are above 0, and have the sign of the draw some places before. How many places is learned
from the batch before, so that noise which repeats is seen, whatever its period.

Rules of this module:
- the coins of the second kind are those of a release, and their draws are used for nothing else.

Decision 120.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, log
from time import monotonic
from typing import Any

from ..entropy import Coins, Keyed
from ..errors import InputError
from ..exact.enclosure import enclosed
from ..noise.law import Law
from .bets import Bets

ALARM = 10**6
_WORD, _BITS = 1 << 64, 192
_MOST, _LEAST = 40, 2.0**-34  # outcomes that are looked at, and how likely they must be
NEAR = 1e-7
_COMBINED = 400
_FACTORS = ("0.5", "0.64", "0.81", "0.9", "0.95", "1.05", "1.1", "1.25", "1.56", "2")


class Words:
    """Chosen bytes for a sampler: one whole number a request, and 0 behind them."""

    __slots__ = ("asked", "given_words")

    def __init__(self, *words: int) -> None:
        self.given_words = words
        self.asked: list[int] = []

    def bytes(self, n: int) -> bytes:
        """Return the next chosen number as n bytes."""
        at = len(self.asked)
        self.asked.append(n)
        word = self.given_words[at] if at < len(self.given_words) else 0
        return (word % (1 << 8 * n)).to_bytes(n, "little")


def exactly(law: Law) -> str | None:
    """Return what is wrong with the first bits of a sampler; None where nothing is.

    Raises:
        NotImplementedError: it draws in a way that is not known here.
    """
    requests = Words()
    law.sample(1, requests)
    sizes = requests.asked
    if len(sizes) == 1 and sizes[0] == 8:
        chances = segments(lambda word: _drawn(law, word))
        return _compared(law, chances, whole=True)
    if set(sizes) == {8}:
        return _compared(law, _of_digits(law, len(sizes)), whole=True)
    if len(sizes) == 3 and sizes[0] == sizes[2] == 8:
        return _compared(law, _of_tries(law, sizes[1]), whole=False)
    raise NotImplementedError(law.name)


def _drawn(law: Law, *words: int) -> tuple[int, int]:
    coins = Words(*words)
    return law.sample(1, coins)[0], len(coins.asked)


def segments(drawn: Callable[[int], object], most: int = _MOST) -> list[tuple[Any, float, int]]:
    """Return the first outcomes, each with its chance and a word that leads to it."""
    parts, low = list[tuple[Any, float, int]](), 0
    while len(parts) < most and low < _WORD:
        first, sure, beyond = drawn(low), low, _WORD
        while beyond - sure > 1:
            middle = (sure + beyond) // 2
            sure, beyond = (middle, beyond) if drawn(middle) == first else (sure, middle)
        if (chance := (beyond - low) / _WORD) > _LEAST:
            parts.append((first, chance, (low + beyond) // 2))
        low = beyond
    return parts


def _of_digits(law: Law, many: int) -> list[tuple[Any, float, int]]:
    """Return the chances of values that several words decide, each its own digit."""
    digits = []
    for at in range(many):

        def drawn(word: int, at: int = at) -> object:
            words = [0] * many
            words[at] = word
            return _drawn(law, *words)

        digits.append(segments(drawn))
    whole = []
    for number in range(_COMBINED):
        places = [number * (7 + 2 * at) % len(digit) for at, digit in enumerate(digits)]
        parts = [digit[place] for digit, place in zip(digits, places, strict=True)]
        chance = 1.0
        for _, part, _ in parts:
            chance *= part
        whole.append((_drawn(law, *(word for _, _, word in parts)), chance, 0))
    return whole


def _of_tries(law: Law, size: int) -> list[tuple[Any, float, int]]:
    """Return chances of values of one try that is kept, up to one factor."""
    whole = []
    for (_, asked), chance, word in segments(lambda word: _drawn(law, word, 0, 0)):
        for place in {0, 1, 3, (1 << 8 * size) // 3, (1 << 8 * size) - 1}:
            value, _ = _drawn(law, word, place, 0)

            def is_kept(
                height: int, word: int = word, place: int = place, asked: int = asked
            ) -> bool:
                return _drawn(law, word, place, height)[1] == asked

            (_, kept, _), *_ = segments(is_kept, most=1)
            whole.append(((value, asked), chance * kept, word))
    return whole


def _compared(law: Law, chances: Sequence[tuple[Any, float, int]], *, whole: bool) -> str | None:
    """Return which value is drawn by another chance than its law says."""
    ratios = []
    for (value, _), chance, _ in chances:
        low, high = enclosed(lambda value=value: law.mass(value), _BITS)  # type: ignore[misc]
        mass = float((low + high) / 2)
        if mass > 0:
            ratios.append((chance / mass, value))
    middle = 1.0 if whole else sorted(ratios)[len(ratios) // 2][0]
    for ratio, value in ratios:
        if abs(ratio / middle - 1) > NEAR:
            times = f"{ratio / middle:.6g} times as often as it must be"
            return f"{law.words} noise, {law.numbers()}: {value} is drawn {times}"
    return None


@dataclass(slots=True)
class Stream:
    """Real draws of one law on one path, and the evidence that they are of another."""

    law: Law
    batch: int
    rivals: Sequence[tuple[float, float]]
    draws: int = 0
    logs: list[float] = field(default_factory=list)
    bets: Bets | None = None
    lag: int = 1
    by_name: bool = False
    evidence: float = 0.0

    def words(self) -> str:
        """Return what was drawn, for people."""
        way = f"by name, {self.batch} at once" if self.by_name else f"by {self.batch}"
        how = f"drawn {way}, {self.draws:,} draws"
        return f"{self.law.words} noise, {self.law.numbers()}, {how}"

    def until(self, end: float, coins: Coins) -> float:
        """Draw until a time, or until the evidence is enough; return ln of it."""
        evidence = self.grown(coins)
        while monotonic() < end and evidence <= log(ALARM):
            evidence = self.grown(coins)
        self.evidence = evidence
        return evidence

    def grown(self, coins: Coins) -> float:
        """Draw once more, and return ln of the evidence so far."""
        import numpy as np

        drawn = self._drawn(coins)
        signed = np.array(drawn.tolist(), dtype=np.float64)
        numbers, bets = np.abs(signed), self._seen(drawn % 2 == 0, np.sign(signed))
        sums = float((numbers if self.law.costs == "pure" else numbers**2).sum())
        self.draws += self.batch
        self.logs = [
            before + self.batch * constant + slope * sums
            for before, (constant, slope) in zip(self.logs, self.rivals, strict=True)
        ]
        top = max(*self.logs, bets)
        sizes = sum(exp(item - top) for item in self.logs) / len(self.logs)
        return top + log((sizes + exp(bets - top)) / 2)

    def _drawn(self, coins: Coins) -> Any:
        """Return fresh draws on this path."""
        import numpy as np

        if not self.by_name:
            return self.law.draws(self.batch, coins)
        names = [number.to_bytes(8, "little") for number in range(self.batch)]
        return np.array(self.law.named(Keyed(), b"audit", names), dtype=object)

    def _seen(self, even: Any, signs: Any) -> float:
        """Count what is even, and the signs; return ln of the evidence of these bets."""
        import numpy as np

        if self.bets is None:
            self.bets = Bets([(1 + float(self.law.wave(np.array([np.pi]))[0])) / 2, 0.5, 0.5])
        beside = signs[self.lag :] * signs[: -self.lag]
        hits = [even.sum(), (signs > 0).sum(), (beside > 0).sum()]
        self.bets.add(hits, [len(signs), abs(signs).sum(), abs(beside).sum()])
        waves = np.abs(np.fft.rfft(signs, 2 * len(signs))) ** 2
        self.lag = 1 + int(np.abs(np.fft.irfft(waves)[1 : len(signs) // 2 + 1]).argmax())
        return self.bets.evidence()[0]


def streams(law: Law, *, by_name: bool = False) -> list[Stream]:
    """Return two paths of a law, for few draws and for many; none where it is not known.

    Args:
        law: whose draws are weighed.
        by_name: whether they are drawn by name, as for cells that are told sparsely.
    """
    rivals = list(_rivals(law))
    paths = [
        Stream(law, batch, rivals, logs=[0.0] * len(rivals), by_name=by_name) for batch in (8, 4096)
    ]
    return paths if rivals else []


def _rivals(law: Law) -> Iterator[tuple[float, float]]:
    """Yield for laws of other losses how ln of the likelihood ratio hangs on a draw.

    It is a constant and a slope in |k|, or in k^2; that it is a line is looked at once more.
    """
    loss = law.loss(l1=1, l2_squared=1)
    at = max(1, law.half_width(Fraction(1, 2)))
    for factor in _FACTORS:
        try:
            rival = type(law).calibrated(loss.times(Fraction(factor)), l1=1, l2_squared=1)
        except InputError:
            continue  # less noise, or more, than the law has

        def ratio(k: int, rival: Law = rival) -> float:
            low, high = enclosed(lambda: rival.mass(k).log() - law.mass(k).log(), _BITS)
            return float((low + high) / 2)

        power = 1 if law.costs == "pure" else 2
        constant = ratio(0)
        slope = (ratio(at) - constant) / at**power
        if abs(ratio(3 * at) - constant - slope * (3 * at) ** power) > 1e-9:
            return
        yield constant, slope
