"""A count redrawn until it is inside its bounds: document 003, figure 2.2, and two panels more.

Rules of this module:
- the document's law is told by `NoteTruncatedNotPrivate`, which runs on no data.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.calculator.formulas.remap import optimal_remap
from discreet.calculator.formulas.truncated_factor import (
    factor_up,
    note_epsilon_not_private,
    note_factor_up,
    true_epsilon_up,
)
from discreet.calculator.formulas.truncated_geometric import (
    NoteTruncatedNotPrivate,
    TruncatedGeometric,
)
from discreet.report.look import (
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    PALE,
    RED,
    canvas,
    dots,
    label,
    line,
    panel,
)
from discreet.report.pictures import INK

from . import clamped_count
from .clamped_count import EPSILON, TRUTHS, UPPER
from .figure import Curves, Figure, Points
from .minimax import minimax

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

WIDTHS = {2: BLUE, 10: GREEN, 30: ORANGE, 100: RED}
_STEPS = 90  # points of a curve between epsilon = 0.001 and 1
_HALVINGS = 30
_ERRORS = {
    "clamped": GRAY,
    "redrawn, calibrated": BLUE,
    "best on average": ORANGE,
    "best at the worst": GREEN,
}
_WORDS = {
    "redrawn, calibrated": "redrawn,\ncalibrated",
    "best on average": "clamped, then\nbest remap\non average",
    "best at the worst": "clamped, then\nbest remap at\nthe worst count",
}


def curves() -> Curves:
    """Return both laws, what the document's promise really costs, and four mean errors."""
    note = NoteTruncatedNotPrivate(EPSILON, lower=0, upper=UPPER)
    exact = TruncatedGeometric(EPSILON, sensitivity=1, lower=0, upper=UPPER)
    found: dict[tuple[str, str], Points] = {}
    for truth in TRUTHS:
        name = f"true count {truth}"
        found["as printed", name] = _counted(note.masses(truth=truth))
        found["calibrated", name] = _counted(exact.masses(truth=truth))
        found["clamped", name] = clamped_count.masses(truth)
    for width in WIDTHS:
        found["promise", f"n = {width}"] = tuple(_kept(i, width) for i in range(_STEPS + 1))
        found["crossing", f"n = {width}"] = (_crossing(_is_broken, width),)
        found["bound fails below", f"n = {width}"] = (_crossing(_is_unbounded, width),)
    law = clamped_count.law()
    remap, truths = optimal_remap(law), range(UPPER + 1)
    found["error", "clamped"] = _counted([law.mean_error(truth=t) for t in truths])
    found["error", "redrawn, calibrated"] = _counted([exact.mean_error(truth=t) for t in truths])
    found["error", "best on average"] = _counted([remap.mean_error(truth=t) for t in truths])
    found["error", "best at the worst"] = tuple(
        (float(t), error) for t, error in enumerate(minimax(law).errors)
    )
    return found


def _counted(values: list[Fraction]) -> Points:
    return tuple((float(y), float(value)) for y, value in enumerate(values))


def _kept(step: int, width: int) -> tuple[float, float]:
    promised = Fraction(round(10 ** (6 + 3 * step / _STEPS)), 10**9)
    return float(promised), float(_lost(promised, width))


def _lost(promised: Fraction, width: int) -> Fraction:
    """Return what the document's noise for a promised epsilon loses."""
    made_at = note_epsilon_not_private(epsilon=promised, width=width)
    return true_epsilon_up(epsilon=made_at, width=width)


def _is_broken(epsilon: Fraction, width: int) -> bool:
    """Tell whether the document's noise for this epsilon loses more."""
    return _lost(epsilon, width) > epsilon


def _is_unbounded(epsilon: Fraction, width: int) -> bool:
    """Tell whether noise made at this epsilon loses more than the document's M e^epsilon."""
    exact = factor_up(epsilon=epsilon, width=width)
    return exact > note_factor_up(epsilon=epsilon, width=width)


def _crossing(is_left: Callable[[Fraction, int], bool], width: int) -> tuple[float, float]:
    """Return the point of the diagonal up to which the fact holds, by halving."""
    low, high = Fraction(1, 10**4), Fraction(1)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_left(middle, width) else (low, middle)
    return float(high), float(high)


def draw(found: Curves) -> "Picture":
    """Draw the two laws above, the promise and the errors below."""
    picture = canvas(9.2, 7.2)
    printed, calibrated, promise, error = picture.subplots(2, 2).flat
    _law(printed, found, "as printed", "As printed: noise at ε′ = 0.0086, nearly uniform")
    _law(calibrated, found, "calibrated", "Calibrated: noise at ε′ = 0.0533 keeps ε = 0.1")
    _promise(promise, found)
    _error(error, found)
    picture.subplots_adjust(
        left=0.075, right=0.98, top=0.95, bottom=0.075, hspace=0.36, wspace=0.24
    )
    return picture


def _law(axes: "Axes", found: Curves, name: str, title: str) -> None:
    panel(axes, title, x="released count", y="chance")
    if name == "calibrated":
        clamped = found["clamped", "true count 20"]
        dots(axes, clamped[1:-1], GRAY, size=2.4)
        words = (
            f"gray: clamped instead, with {clamped[0][1]:.1%} at 0 and {clamped[-1][1]:.1%} at 30"
        )
        label(axes, (UPPER, 0.003), words, INK, ha="right")
    for truth, color in TRUTHS.items():
        points = found[name, f"true count {truth}"]
        dots(axes, points, color, size=4 if truth == 20 else 3)
        height = {19: 0.0445, 20: 0.0475, 21: 0.0505}[truth]
        label(axes, (9, height), f"true count {truth}", color)
    if name == "as printed":
        label(axes, (10, 0.0245), "really loses ε = 0.0166,\na sixth of what it may", INK)
    axes.set_xlim(-0.7, 30.7)
    axes.set_xticks(range(0, UPPER + 1, 5))
    axes.set_ylim(0, 0.055)


def _promise(axes: "Axes", found: Curves) -> None:
    panel(axes, "What the printed noise loses, by width n of the bounds", x="", y="")
    axes.set_xlabel("ε promised", color=INK)
    axes.set_ylabel("ε lost", color=INK)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.fill_between([1e-3, 1], [1e-3, 1], [10, 10], color=PALE, linewidth=0)
    axes.plot([1e-3, 1], [1e-3, 1], color=INK, linewidth=1, linestyle=(0, (4, 3)))
    for width, color in WIDTHS.items():
        line(axes, found["promise", f"n = {width}"], color)
        axes.plot(*found["crossing", f"n = {width}"][0], "o", color=color, markersize=4.5)
    label(axes, (0.0012, 0.35), "more than promised", INK)
    label(axes, (0.13, 0.32), "calibrated:\nas promised", INK, ha="right", va="center")
    places = {2: (0.9, 0.1), 10: (0.34, 0.013), 30: (0.135, 0.005), 100: (0.042, 0.0017)}
    for width, place in places.items():
        label(axes, place, f"n = {width}", WIDTHS[width], ha="right")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
    axes.set_xlim(1e-3, 1)
    axes.set_ylim(1e-3, 1)


def _error(axes: "Axes", found: Curves) -> None:
    panel(axes, "Mean error at ε = 0.1, by true count", x="true count", y="mean |error|")
    for name, color in _ERRORS.items():
        line(axes, found["error", name], color)
        words = _WORDS.get(name, name)
        label(axes, (UPPER + 0.6, found["error", name][-1][1]), words, color, va="center")
    axes.set_xlim(0, UPPER + 10)
    axes.set_xticks(range(0, UPPER + 1, 5))
    axes.spines["bottom"].set_bounds(0, UPPER)
    axes.set_ylim(0, 11.5)


FIGURE = Figure(
    name="redrawn-count",
    redraws="document 003, figure 2.2, with two further panels",
    caption=(
        "Geometric noise, drawn again until the count is between 0 and 30. Top left, as "
        "printed: the document takes noise at ε′ = 0.0086 to keep ε = 0.1, and gets a "
        "nearly uniform law. Top right, corrected: redrawing costs exactly ln M more than "
        "ε′. M is the largest ratio of the normalizing sums of two neighbors. So noise at "
        "ε′ = 0.0533 costs ε = 0.1 in total. Bottom left: the printed noise is not only "
        "wasteful. Left of the dots (ε = 0.160, 0.086, 0.034, 0.011), the printed noise "
        "loses more than the document promises, up to twice as much. (The document's "
        "bound M e^ε is too small for noise below ε = 0.199, 0.155, 0.080, 0.033.) Bottom "
        "right: at the same ε, remapping the clamped count beats redrawing. No ε-private "
        "mechanism has a smaller mean error, on average over all counts, than the orange "
        "mechanism. No ε-private mechanism has a smaller largest error than the green "
        "mechanism (6.23)."
    ),
    curves=curves,
    draw=draw,
)
