"""How long one question to the calculator takes, and as a ratio to a search in doubles.

The yardstick finds the Gaussian's sigma at (1, 1e-6) by halving to 1e-12 with `math.erfc`; it
promises nothing.
"""

import math
from collections.abc import Callable

from discreet import calculator as calc

from .table import Section, got, medians

QUESTIONS: dict[str, Callable[[], object]] = {
    "analytic sigma (1, 1e-6)": lambda: calc.sigma_for(epsilon=1, delta="1e-6"),
    "analytic sigma (1e-6, 1e-300)": lambda: calc.sigma_for(epsilon="1e-6", delta="1e-300"),
    "analytic sigma (1e4, 0.999)": lambda: calc.sigma_for(epsilon="1e4", delta="0.999"),
    "analytic sigma (0, 1e-9)": lambda: calc.sigma_for(epsilon=0, delta="1e-9"),
    "epsilon of a Gaussian": lambda: calc.epsilon_of("gaussian", at_delta="1e-6", sigma=1),
    "accuracy of the geometric": lambda: calc.accuracy("geometric", epsilon="0.1", alpha="0.05"),
    "epsilon of the geometric": lambda: calc.epsilon_for("geometric", accuracy=10, alpha="0.05"),
    "a sum of 50 releases": lambda: calc.accuracy(
        "geometric", epsilon="0.1", alpha="0.05", releases=50
    ),
    "discrete Gaussian sigma2 (1, 1e-6)": lambda: calc.sigma2_for(epsilon=1, delta="1e-6"),
    "100 releases composed": lambda: calc.epsilon_of(
        "geometric", at_delta="1e-6", epsilon="0.1", releases=100
    ),
}
ROUNDS = 15


def sections() -> list[Section]:
    """Return the table of questions."""
    rows = []
    for name, ask in QUESTIONS.items():
        ours, yardstick = medians([ask, in_doubles], rounds=ROUNDS)
        most = 1.0 if name.startswith("analytic") else None
        rows.append([name, got(1e3 * ours, most=most), got(ours / yardstick)])
    about = (
        "Each answer is certified: an enclosure proves at the end that it keeps its promise. The "
        "ratio is to a search in doubles, which proves nothing."
    )
    columns = ("question", "ms", "times a search in doubles")
    return [Section("Calculator", about, columns, rows)]


def in_doubles() -> float:
    """Return sigma at (1, 1e-6) by halving in doubles: a yardstick without a guarantee."""

    def delta(sigma: float) -> float:
        low, shift, root = 0.5 / sigma, sigma, math.sqrt(2)
        first, second = math.erfc((shift - low) / root), math.erfc((shift + low) / root)
        return (first - math.exp(1) * second) / 2

    low, high = 1e-3, 1e3
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if delta(middle) <= 1e-6 else (middle, high)
    return high
