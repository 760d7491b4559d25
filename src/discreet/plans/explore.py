"""A page to explore a plan: one HTML file, no data, nothing fetched.

Rules of this module:
- what adds up is worked out here, on the safe side; the page adds whole numbers, and looks epsilon
  up at the next loss above, so that none on the page is below its own;
- a plan of (epsilon, delta) may have noise of both laws, and its prices do not add up: the page
  then has the account of both itself, and is given the noise of each error in each law;
- what a person has written goes into the page as data, and never as markup.

Decisions 32, 52.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING
from fractions import Fraction
from hashlib import sha256
from html import escape
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, shown, visible
from ..exact.number import decimal_of, few_up, in_digits, rounded, text_of
from ..fix import call, leave_out, python_of
from ..paths import taken
from ..privacy import risk
from ..privacy.loss import NAMES, Kind, Loss
from ..schema import protection
from .curve import PARTS, Curve, CurvePoint, points
from .price import Act, added, at_delta, noise_of
from .shared_vectors import factor_of_shared, room_of, together
from .show import meaning_of, plus_minus, warnings_of
from .two_laws import parts_of
from .unknown import refuse_page
from .within import ROWS

if TYPE_CHECKING:
    from .line import Line
    from .plan import Plan

_DELTAS = (Fraction(1, 10**6), Fraction(1, 10**9))
_STEP = Fraction(1_019, 1000)  # of two losses of the table: epsilon is concave in both
_FALSE_YES = Fraction(1, 100)
_DIGITS, _WIDTH, _SHARP = 4, 6, 9
_OWN = ("within", "weight", "rows")  # what the page itself writes
_MARK, _HEAD = b'<meta name="generator" content="discreet explore">', 2_000
_ROOM = Fraction(1_001, 1_000)
_HERE = Path(__file__).with_name("explorer")
_SCRIPTS = ("account.js", "explorer.js")
_BOTH: tuple[Kind, ...] = ("gdp", "pure")  # the laws of a plan of (epsilon, delta), by their losses
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def write_page(plan: "Plan", path: Path, left: Loss | None) -> None:
    """Write the page of a plan.

    Raises:
        InputError: there is something else, or the system refuses.
    """
    own = next((line.asked.label for line in plan.lines if line.asked.ask.spend), None)
    if own is not None:
        raise InputError(
            f"{own} has a loss of its own.",
            kind="not-explorable",
            why="on the page errors are moved, and their losses follow",
            fix=leave_out("spend", of="ask"),
        )
    page = page_of(plan, left)
    try:
        free = not path.exists() or _is_page(path)
        if free:
            path.write_text(page, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        raise InputError(
            f"{shown(path)} cannot be written.",
            kind="cannot-write",
            why=f"the operating system says: {getattr(error, 'strerror', None) or 'no such name'}",
            fix="give a place that can be written",
        ) from None
    if not free:
        raise taken(
            path,
            why="what no exploration has written is not written over",
            fix="give another place, or take that one away",
        )


def _is_page(path: Path) -> bool:
    """Tell whether a file is a page that was written here."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _MARK in file.read(_HEAD)


def page_of(plan: "Plan", left: Loss | None = None) -> str:
    """Return the page of a plan as HTML.

    Args:
        plan: what is explored.
        left: what is left in its ledger, where the page shall say so.

    Raises:
        InputError: it is a plan over keys that nobody knows.
    """
    refuse_page(plan.findings)
    script = "\n".join(_HERE.joinpath(name).read_text("utf-8") for name in _SCRIPTS)
    words = {
        "TITLE": escape(visible(plan.table.name)),
        "STYLE": _HERE.joinpath("explorer.css").read_text("utf-8"),
        "HASH": b64encode(sha256(script.encode()).digest()).decode(),
        "FACTS": json.dumps(_facts(plan, left), ensure_ascii=True).replace("<", "\\u003c"),
        "SCRIPT": script,
        "BOARD": "\n".join(
            f"<tr><th scope=row>{escape(visible(name))}</th><td>{escape(visible(fact))}</td></tr>"
            for name, fact in _board(plan, left)
        ),
    }
    text = _HERE.joinpath("explorer.html").read_text("utf-8")
    return _PLACE.sub(lambda match: words[match[1]], text)


def _facts(plan: "Plan", left: Loss | None) -> dict[str, Any]:
    """Return all that the page knows, as plain data."""
    has_delta = plan.spend.kind == "approx" and plan.spend.delta > 0
    kind: Kind = "approx" if has_delta else plan.lines[0].share.kind
    kinds = _BOTH if has_delta else (kind,)
    curves = [points(plan.goal(line), line, kinds) for line in plan.lines]
    asked = [_question(plan, *pair, kinds) for pair in zip(plan.lines, curves, strict=True)]
    return {
        "kind": kind,
        "together": plan.together,
        "loss": NAMES[kind][0],
        "parts": PARTS,
        "deltas": [] if kind == "pure" else [text_of(delta) for delta in _deltas(plan)],
        **({} if has_delta else _tables(plan, kind, asked)),
        "questions": asked,
        "blocks": [*_blocks(plan, curves, ("gdp", "zcdp") if has_delta else (kind,))],
        "left": None if left is None else left_of(left),
    }


def _tables(plan: "Plan", kind: Kind, asked: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return epsilon, and the chance of a true yes, by the loss in which the page adds up."""
    ends = (sum(question["prices"][end] for question in asked) for end in (-1, 0))
    losses = [Loss(kind, (size,)) for size in _losses(*(Fraction(end, PARTS) for end in ends))]
    deltas = [] if kind == "pure" else _deltas(plan)
    return {
        "losses": [ceil(number * PARTS) for loss in losses for number in loss.numbers],
        "epsilons": {text_of(d): [_epsilon(loss, d) for loss in losses] for d in deltas},
        "yes": [_up(100 * risk.true_yes_up(loss, _FALSE_YES), 3) for loss in losses],
    }


def left_of(left: Loss) -> dict[str, str]:
    """Return what is left in a ledger for questions, each number as it is typed."""
    left = left.ideal
    return {"kind": left.kind, **{name: text_of(number) for name, number in left.named.items()}}


def _blocks(
    plan: "Plan", curves: Sequence[Curve], kinds: Sequence[Kind]
) -> Iterator[dict[str, Any]]:
    """Yield the questions that may have one vector, and what makes a price of its least.

    The price is the least of `joining` times a factor, which rounding moves by less than 1/1,000.
    """
    if not plan.share or plan.together or kinds == ("pure",):
        return
    goals = [curve[at].goal for curve, at in curves]
    for places in together(goals, range(len(goals))):
        factors = [factor_of_shared(goals, places, kind) for kind in kinds]
        shapes = {n: [room_of(point.goal, point.allowed) for point in curves[n][0]] for n in places}
        if all(factors):
            yield {
                "places": places,
                "replaces": plan.table.neighbors == "replace",
                "factors": [_up(_ROOM * factor, _SHARP) for factor in factors if factor],
                "widths": [shapes[n][0].width for n in places],
                "rooms": [[_up(shape.half, _SHARP) for shape in shapes[n]] for n in places],
            }


def _question(plan: "Plan", line: "Line", pair: Curve, kinds: Sequence[Kind]) -> dict[str, Any]:
    """Return one question: its errors with their prices, and how it is typed."""
    statistic = line.asked
    curve, at = pair
    plain = {name: value for name, value in statistic.plain().items() if name not in _OWN}
    expected = statistic.expected(plan.table, line.laws, plan.level(line))
    per_row = expected.per_row
    rows = statistic.ask.rows or (ROWS if per_row else None)
    if rows is not None:
        plain["rows"] = rows
    options = {name: value for name, value in plain.items() if name != "statistic"}
    return {
        "label": visible(statistic.label),
        "rows": rows if per_row else None,
        "of": expected.of,
        "alpha": _up(plan.level(line)),  # for a picture alone
        "typed": [point.typed for point in curve],
        "widths": [_up(point.half_width, _WIDTH) for point in curve],
        **_costs(curve, kinds),
        **({"alone": _alone(plan, curve)} if len(plan.lines) == 1 < len(kinds) else {}),
        "at": at,
        "wanted": statistic.ask.within is not None,
        "python": visible(python_of(call(f"discreet.{plain['statistic']}", **options))[:-1]),
        "toml": [f"{name} = {_toml(value)}" for name, value in plain.items()],
    }


def _costs(curve: Sequence[CurvePoint], kinds: Sequence[Kind]) -> dict[str, Any]:
    """Return what each error costs, or its noise in each of several laws."""
    if len(kinds) == 1:
        return {"prices": [point.price for point in curve]}
    return {"noise": [[_noise(acts) for acts in point.noise] for point in curve]}


def _alone(plan: "Plan", curve: Sequence[CurvePoint]) -> dict[str, list[str]]:
    """Return the least epsilon of each error: a vector alone may have an exact curve of its own."""
    return {
        text_of(delta): [
            _up(
                min(loss.epsilon for acts in point.noise if (loss := at_delta(acts, delta))), _WIDTH
            )
            for point in curve
        ]
        for delta in _deltas(plan)
    }


def _noise(acts: Sequence[Act]) -> list[str]:
    """Return noise as numbers, rounded up: what it costs in mu2, rho and pure loss (0: none), the
    mu2 of what is Gaussian, and of each Laplace loss its rate and l1.
    """
    added_up = [added(acts, kind) for kind in ("gdp", "zcdp", "pure")]
    costs = [loss.numbers[0] if loss else Fraction(0) for loss in added_up]
    own, laplace = noise_of(acts) or (costs[0], [])
    rates = [n for scale, l1 in laplace for n in (1 / scale, Fraction(l1))]  # exact: rationals
    return [_up(number, _SHARP) for number in (*costs, own, *rates)]


def _deltas(plan: "Plan") -> list[Fraction]:
    """Return the chances at which the page can say epsilon, the plan's own first."""
    own = [plan.spend.delta] if plan.spend.named.get("delta") else []
    return list(dict.fromkeys([*own, *_DELTAS]))


def _losses(least: Fraction, most: Fraction) -> list[Fraction]:
    """Return losses from the least to the most that the page can add up to, close together."""
    losses = [least]
    while losses[-1] < most:
        losses.append(few_up(losses[-1] * _STEP))
    return losses


def _epsilon(loss: Loss, delta: Fraction) -> str:
    composed = at_delta([loss], delta)
    return _up(composed.epsilon if composed else Fraction(0))


def _up(number: Fraction, digits: int = _DIGITS) -> str:
    """Return a number for people and for a picture, rounded up."""
    decimal = decimal_of(number, digits, ROUND_CEILING)
    with in_digits(digits):
        return f"{decimal.normalize():f}"


def _toml(value: object) -> str:
    """Return a value of a question as a plan file writes it; JSON's texts are TOML's."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in text)


def _board(plan: "Plan", left: Loss | None) -> Iterator[tuple[str, str]]:
    """Return the facts of the plan in two columns, for a board that decides on it."""
    yield "Data", plan.table.name
    yield "Who is protected", protection(plan.table)
    yield "Privacy loss, in all", str(plan.cost)
    yield "What it allows", "; ".join(warnings_of(plan)) or meaning_of(plan)
    delta = plan.cost.named.get("delta")
    for line, part in zip(plan.lines, parts_of(plan.lines, delta), strict=True):
        expected = line.statistic.expected(plan.table, line.laws, plan.level(line))
        half = plus_minus(expected, line.statistic.ask.rows)
        yield line.statistic.label, f"{half}; {rounded(100 * part, 2)} % of the loss"
    what = "Any of all intervals misses" if plan.together else "An interval by itself misses"
    yield what, f"with probability at most {text_of(plan.alpha)}"
    if left is not None:
        yield "Left in its ledger, before", str(left)
    yield "Digest of the plan", plan.digest
