"""What intervals of selected numbers keep: `python -m bench.selected` prints tables of the page.

The case is that of daily views of pages: sigma 18.3, shown from 90 on (docs/publication-rules.md).

Rules of this module:
- chances are exact but for doubles: the law's own masses, no simulation;
- the false coverage rate is that of many counts of which one in a hundred has each truth above 30,
  all others are 0, as cells of a sparse table are.
"""

from fractions import Fraction

import numpy as np

from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.post.selected import given_shown, rate_level

LAW, THRESHOLD, ALPHA = DiscreteGaussian(Fraction("334.89")), 90, Fraction(1, 20)
TRUTHS = (0, 30, 50, 60, 75, 90, 110, 150)
VALUES = np.arange(-200, 201)
CHANCES = np.array([float(LAW.mass(int(k))) for k in VALUES])


def shown(truth: int) -> float:
    """Return the chance that a truth is shown."""
    return float(CHANCES[VALUES + truth >= THRESHOLD].sum())


def held(truth: int, coverage: str, part: float) -> float:
    """Return how often an interval holds, given that its number is shown.

    Args:
        truth: the count.
        coverage: as the rule has it.
        part: of all counts the part that is shown, which "rate" hangs on.
    """
    lifted = VALUES + truth >= THRESHOLD
    if coverage == "conditional":
        numbers = (VALUES[lifted] + truth).tolist()
        low, high = given_shown(numbers, LAW, threshold=THRESHOLD, alpha=ALPHA)
        holds = (np.array(low) <= truth) & (truth <= np.array(high))
    else:
        many = Fraction(part).limit_denominator(10**6)
        level = (
            ALPHA if coverage == "marginal" else rate_level(ALPHA, many.numerator, many.denominator)
        )
        holds = abs(VALUES[lifted]) <= LAW.half_width(level)
    return float(CHANCES[lifted][holds].sum() / CHANCES[lifted].sum())


def main() -> None:
    """Print a row for each truth, and the part of shown intervals that hold."""
    weights = dict.fromkeys(TRUTHS, 0.01) | {0: 1 - 0.01 * (len(TRUTHS) - 1)}
    part = sum(weight * shown(truth) for truth, weight in weights.items())
    print("| truth | shown | marginal | rate | conditional |\n| ---: | ---: | ---: | ---: | ---: |")
    kinds = ("marginal", "rate", "conditional")
    for truth in TRUTHS:
        cells = [f"{100 * held(truth, kind, part):.1f} %" for kind in kinds]
        print(f"| {truth} | {100 * shown(truth):.3g} % | {' | '.join(cells)} |")
    whole = [
        sum(w * shown(t) * held(t, kind, part) for t, w in weights.items()) / part for kind in kinds
    ]
    print(f"| all | {100 * part:.3g} % | {' | '.join(f'{100 * x:.1f} %' for x in whole)} |")
    for kind, level in (("marginal", ALPHA), ("rate", ALPHA * Fraction(part))):
        print(f"{kind}: +-{LAW.half_width(level)}")
    for y in (90, 100, 120, 150, 200):
        print(y, *given_shown([y], LAW, threshold=THRESHOLD, alpha=ALPHA))


if __name__ == "__main__":
    main()
