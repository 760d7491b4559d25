"""What intervals with coverage "conditional" keep by the law of their noise: for `bench.coverage`.

The largest of many simulated parts is above the true ones by luck. Here nothing is drawn: of each
truth the chances of all noisy numbers that are shown are added up. How large the largest simulated
part is then expected to be follows from these chances, and is told beside it.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

import discreet as dp
from bench.coverage_groups import ALPHA, RELEASES
from bench.coverage_shown import GIVEN, SAMPLED, TABLE, question_of, truths
from discreet.noise.law import Law
from discreet.post.selected import given_shown

TRUTHS = range(401)
CASES = {"count from 90 on": 90, "count from 90 on, Laplace": 90, "bins from 30 on": 30}
_LEFT_OUT = Fraction(1, 10**9)  # chance of noise that is further than what is added up
_WORLDS = 10_000
WORDS = f"""\
If the guarantee is `conditional`, no shown number is missed more often than 5 %. The largest of
many simulated parts is above 5 % by luck. The next table adds up the law of the noise for each
truth from 0 to {TRUTHS[-1]}, without a draw (`python -m bench.coverage_given`). It also says how
large the largest simulated part then is:

| question and rule | missed at most, given that it is shown | of the truth | \
largest simulated part: mean | in 1 of 100 runs above |
| --- | ---: | ---: | ---: | ---: |"""


def chances(law: Law, threshold: int) -> tuple[np.ndarray, np.ndarray]:
    """Return of each truth how often it is shown, and how often it is shown and missed."""
    reach = law.half_width(_LEFT_OUT)
    masses = np.array([float(law.mass(z)) for z in range(-reach, reach + 1)])
    seen = np.arange(-reach, TRUTHS[-1] + reach + 1)
    shown = seen >= threshold
    ends = np.full((2, len(seen)), 0)
    ends[:, shown] = given_shown(
        [int(y) for y in seen[shown]], law, threshold=threshold, alpha=ALPHA
    )
    both = []
    for truth in TRUTHS:
        here = slice(truth, truth + len(masses))
        off = (truth < ends[0, here]) | (truth > ends[1, here])
        both.append(((masses * shown[here]).sum(), (masses * (shown[here] & off)).sum()))
    return tuple(np.array(both).T)  # type: ignore[return-value]


def largest(true: Sequence[int], shown: np.ndarray, given: np.ndarray) -> tuple[float, float]:
    """Return how large the largest part of `coverage_shown.line` is: its mean, its 99th percent."""
    coins = np.random.default_rng(1)
    many = coins.binomial(RELEASES, np.tile(shown[true], (_WORLDS, 1)))
    missed = coins.binomial(many, given[true])
    parts = np.where(many >= SAMPLED, missed / np.maximum(many, 1), 0).max(axis=1)
    return float(parts.mean()), float(np.quantile(parts, 0.99))


def line(name: str, threshold: int) -> str:
    """Return a row of the page."""
    question, spend = question_of(name, GIVEN)
    (law,) = dp.plan(TABLE, question, spend=spend).laws
    shown, missed = chances(law, threshold)
    given = missed / np.maximum(shown, float(_LEFT_OUT))
    worst, (mean, rare) = int(given.argmax()), largest(truths(question), shown, given)
    cells = [
        f"{100 * given[worst]:.2f} %",
        f"{worst}",
        f"{100 * mean:.1f} %",
        f"{100 * rare:.1f} %",
    ]
    return f"| {name} | {' | '.join(cells)} |"


def text() -> str:
    """Return the table."""
    return "\n".join([WORDS, *(line(*case) for case in CASES.items())])


if __name__ == "__main__":
    print(text())
