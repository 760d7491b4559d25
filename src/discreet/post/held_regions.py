"""How far one coefficient of a line reaches, where the noise is Laplace's, or not normal.

Rules of this module:
- V are the true numbers and V' = V + N the noisy ones, in deviations. As in `slopes`, x is the
  column whose coefficient is t, u are the others and 1, r = x - g u and q = y - t x - h u what is
  left. At the true t, h and g the true moments of r q, u r and u q are 0: each is a known sum of V.
  So the same sums of V' are noise alone, with weights that belong to the truth: w for r q, and F
  for all of them;
- let z = w V' / |w| = w N / |w|, and T = |P V'|^2 with the projection P on the rows of F, which is
  |P N|^2. Let s be the least eigenvalue of the true moments of u u, in deviations of the one that
  has the least noise. A rest m(s) > 0 is fixed for each s, by steps of s. |z| + m(s) |N|^2 exceeds
  c(s) at most at the level, as the law says (`held`; of Laplace noise by `noise.far_draws`): z has
  fixed weights at the truth, and so has m. Nothing else of the noise is asked for. So the region of
  all V' - N with |z| + m(s) |N|^2 <= c(s) holds the true V;
- what it leaves of t, h and g: |N|^2 is at least T; and s is off by at most K |N| from that of the
  noisy moments, for K is what noise of length 1 changes a matrix u u by at most. So a place is in
  it only where |z| <= a(T), the largest c(s) - m(s) max(T, ((s' - s) / K)^2) of all s;
- m is about 1 / (2 s): the product of what noise does to g and to h moves t by at most T / (2 s),
  in deviations of z. With a smaller m it would pay to have far g and h, a larger one makes c large;
- an interval is what the region leaves of t. It is searched as in `regions`, with the sum of
  squares (|z| + a(0) - a(T))^2: that no part is missed is simulated.

Decision 141.
"""

from dataclasses import dataclass
from typing import Any

from ..noise.law import Continuous

_FROM, _RATIO, _STEPS = 4.0, 1.2, 30  # of steps of s: up to 900
_TURN, _MOST = 16.0, 1.6  # m is 1 / (2 s), times s / 16 from 1 to 1.6
_SLACK = 1e-11  # of the length of all numbers
_RIDGE, _NONE = 1e-13, 1e-300

Vector = Any  # numpy array of float64


def steps() -> tuple[Vector, Vector, Vector]:
    """Return where each step of s begins and ends, and its m."""
    import numpy as np

    edges = _FROM * _RATIO ** np.arange(_STEPS)
    middle = np.append(edges / _RATIO**0.5, edges[-1])
    rest = np.clip(middle / _TURN, 1.0, _MOST) / (2 * middle)
    return np.append(0.0, edges), np.append(edges, np.inf), rest


@dataclass(frozen=True, slots=True)
class Held:
    """The region of coefficients b of y, and g of x on the others; the first b is that of x.

    Attributes:
        inner, outer: what the numbers weigh in moments, as in `slopes.NormalEquations`.
        reach: K.
        begins, ends: of the steps of s, over K.
        rest: m of each step.
        most: c of each step.
    """

    inner: Vector
    outer: Vector
    reach: float
    begins: Vector
    ends: Vector
    rest: Vector
    most: Vector

    @staticmethod
    def of(inner: Vector, outer: Vector, noise: Continuous, level: float) -> "Held":
        """Return the region that holds the true ones but at the level."""
        import numpy as np

        begins, ends, rest = steps()
        draws = inner.shape[2]
        most = np.array([noise.held(level, draws, each) for each in rest.tolist()])
        others = inner[1:, 1:]
        unit = float(_lengths(np.einsum("aad->ad", others)).min())
        reach = float(np.linalg.norm(others.reshape(-1, draws), 2))  # of all entries at once
        begins, ends = begins * unit / reach, ends * unit / reach
        return Held(inner, outer, reach, begins, ends, rest, most)

    def numbers(self, numbers: Vector, deviation: float) -> Vector:
        """Return numbers in deviations; beside them s / K, and how far N is off a Laplace draw."""
        import numpy as np

        others = np.einsum("abd,gd->gab", self.inner[1:, 1:], numbers)
        least = np.linalg.eigvalsh(others)[:, 0] / self.reach
        lengths = np.sqrt((numbers * numbers).sum(1))
        off = numbers.shape[1] ** 0.5 / 2 + _SLACK * lengths
        return np.concatenate([numbers, least[:, None], off[:, None]], axis=1) / deviation

    def limits(self, numbers: Vector) -> Vector:
        """Return a(0)^2 in each group, of such numbers."""
        import numpy as np

        least, off = numbers[:, -2:].T
        return np.maximum(self.allowed(0 * least, least, off), 0.0) ** 2

    def allowed(self, squares: Vector, least: Vector, off: Vector) -> Vector:
        """Return a(T) in each group; below 0 where no place is in the region."""
        import numpy as np

        apart = np.maximum(np.maximum(self.begins - least[:, None], least[:, None] - self.ends), 0)
        slope, off = self.rest, off[:, None]
        most = self.most + off * (1 + 2 * np.sqrt(self.most * slope)) + slope * off * off
        return (most - slope * np.maximum(squares[:, None], apart * apart)).max(1)

    def rests(self, parameters: Vector, numbers: Vector) -> Vector:
        """Return numbers of which the sum of squares is (|z| + a(0) - a(T))^2, in each group."""
        import numpy as np

        size = len(self.outer)
        values, (least, off) = numbers[:, :-2], numbers[:, -2:].T
        forms = self.forms(parameters[:, :size], parameters[:, size:])
        forms = forms / np.maximum(_lengths(forms), _NONE)[:, :, None]
        sums = np.einsum("gad,gd->ga", forms, values)
        squares = forms @ forms.transpose(0, 2, 1) + _RIDGE * np.eye(forms.shape[1])
        parts = np.linalg.solve(np.linalg.cholesky(squares), sums[..., None])[..., 0]
        along, own = (parts * parts).sum(1), np.abs(sums[:, 0])
        held = self.allowed(0 * along, least, off) - self.allowed(along, least, off)
        scale = np.sqrt(held * (2 * own + held) / np.maximum(along, _NONE))
        return np.concatenate([sums[:, :1], scale[:, None] * parts], axis=1)

    def forms(self, b: Vector, g: Vector) -> Vector:
        """Return the weights of r q, and of u r and u q, in each group."""
        import numpy as np

        rest = self.outer - np.einsum("abd,gb->gad", self.inner, b)
        left = np.concatenate([np.ones((len(g), 1)), -g], axis=1)
        own = np.einsum("ga,gad->gd", left, rest)
        with_left = np.einsum("ga,abd->gbd", left, self.inner[:, 1:])
        return np.concatenate([own[:, None], with_left, rest[:, 1:]], axis=1)


def _lengths(weights: Vector) -> Vector:
    import numpy as np

    return np.sqrt((weights * weights).sum(-1))
