"""`discreet calc` and `discreet compare`: noise calculated and compared; no data is read.

Rules of this module:
- every number comes from `discreet.calculator`; a float is only shown.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from ..errors import InputError, shown
from ..text import Sheet
from .output import Job, Json, Screen

if TYPE_CHECKING:
    from ..calculator.compare import Comparison
    from ..calculator.laws.choice import LawChoice
    from .json_replies import CalcReply, ChoiceLine, CompareReply


Answer = TypeVar("Answer")

_KINDS = (".png", ".svg")


def run_calc(
    screen: Screen, wanted: str, law: str, known: Mapping[str, str | None], *, bounds: str | None
) -> "CalcReply":
    """Say an answer, what it means, where it comes from, and what the naive formula says."""
    from ..calculator import explain
    from .json_replies import CalcReply, NaiveLine, StepLine

    inputs: dict[str, Any] = {name: value for name, value in known.items() if value is not None}
    if bounds is not None:
        inputs["bounds"] = _bounds(bounds)
    explained = _asked(lambda: explain(wanted, law, inputs))
    screen.say(str(explained))
    naive, step = explained.naive, explained.step
    return CalcReply(
        wanted=wanted,
        law=law,
        answer=explained.text,
        convention=str(inputs.get("convention", "gt")),
        meaning=explained.meaning,
        source=explained.source,
        next=None
        if step is None
        else StepLine(accuracy=step.accuracy, name=step.name, value=step.value),
        naive=None
        if naive is None
        else NaiveLine(formula=naive.formula, answer=naive.value, why=naive.why),
    )


def run_compare(screen: Screen, known: Mapping[str, Any], *, plot: Path | None) -> "CompareReply":
    """Show every law that keeps a budget, best first, and why; draw it if asked."""
    from ..calculator import compare as compared
    from ..exact.number import text_of
    from .json_replies import CompareReply

    if plot is not None and plot.suffix.lower() not in _KINDS:
        raise InputError(
            f"{shown(plot.name)} is not a picture that is written.",
            kind="cannot-write",
            why="the ending says how to draw it, and it can be .png or .svg",
            fix="write --plot error.svg",
        )
    comparison = _asked(lambda: compared(**known))
    screen.show(_sheet(comparison))
    if plot is not None:
        with screen.working("Drawing"):
            _draw(comparison, plot)
        screen.say(f"Wrote {shown(plot)}.")
    moves = comparison.moves
    return CompareReply(
        sensitivity={
            "l1": text_of(moves.l1),
            "l2_squared": text_of(moves.l2_squared),
            "linf": text_of(moves.linf),
            "coordinates": str(moves.coordinates),
        },
        budget=_budget(comparison),
        alpha=text_of(comparison.alpha),
        laws=[_line(choice) for choice in comparison.choices],
        why=comparison.why,
        saved=None if plot is None else str(plot),
    )


def _asked(question: Callable[[], Answer]) -> Answer:
    """Answer; what is refused says what to type here, in place of Python."""
    from ..plan_file.in_file import as_options, in_words

    with in_words(as_options):
        return question()


def _sheet(comparison: "Comparison") -> Sheet:
    from ..exact.number import text_of

    several = comparison.moves.coordinates > 1
    budget = ", ".join(f"{name} = {value}" for name, value in _budget(comparison).items())
    title = f"Noise that keeps {budget}, with errors at alpha = {text_of(comparison.alpha)}"
    columns = ["law", "noise", "error", *(["all together"] if several else []), "deviation"]
    return Sheet(
        title=title,
        columns=(*columns, "pays for"),
        rows=tuple(_row(choice, several=several) for choice in comparison.choices),
        above=(_moved(comparison),),
        below=("", comparison.why),
        right=("error", "all together", "deviation"),
    )


def _moved(comparison: "Comparison") -> str:
    from ..exact.number import text_of

    moves = comparison.moves
    norms = f"l1 = {text_of(moves.l1)}, l2^2 = {text_of(moves.l2_squared)}"
    numbers = "one number" if moves.coordinates == 1 else f"{moves.coordinates} numbers"
    return f"One unit moves {numbers} by at most {norms}, linf = {text_of(moves.linf)}."


def _row(choice: "LawChoice", *, several: bool) -> tuple[str, ...]:
    errors = [choice.error, choice.together] if several else [choice.error]
    shown_errors = [str(e) if isinstance(e, int) else f"{float(e):.4g}" for e in errors]
    return (choice.law, choice.noise, *shown_errors, f"{choice.deviation:.4g}", choice.paid)


def _line(choice: "LawChoice") -> "ChoiceLine":
    from .json_replies import ChoiceLine

    return ChoiceLine(
        law=choice.law,
        noise=choice.noise,
        error=str(choice.error),
        together=str(choice.together),
        deviation=choice.deviation,
        paid=choice.paid,
    )


def _budget(comparison: "Comparison") -> dict[str, str]:
    from ..exact.number import text_of

    budget = comparison.budget
    parts = {"epsilon": budget.epsilon, "delta": budget.delta, "rho": budget.rho}
    return {name: text_of(value) for name, value in parts.items() if value is not None}


def _draw(comparison: "Comparison", place: Path) -> None:
    from ..report.look import png_of, svg_of
    from .compare_plot import drawn

    picture = drawn(comparison)
    try:
        place.write_bytes(png_of(picture) if place.suffix.lower() == ".png" else svg_of(picture))
    except OSError as error:
        raise InputError(
            f"the picture cannot be written to {shown(place)}.",
            kind="cannot-write",
            why=str(error.strerror).lower(),
            fix="write --plot error.svg",
        ) from None


def _bounds(text: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(":"))
    if len(parts) != 2:
        raise InputError(
            f"bounds = {shown(text)} is not a lower and an upper count.",
            kind="bounds-wrong",
            why="a clamped count needs public bounds",
            fix="write --bounds 0:30",
        )
    return parts


EXAMPLE = "discreet calc accuracy geometric --epsilon 1 --alpha 0.05"
COMPARISON = "discreet compare --epsilon 1 --delta 1e-6 --l1 1"


def _number(name: str, words: str, metavar: str = "NUMBER") -> Any:
    return typer.Option(f"--{name}", metavar=metavar, help=words)


Alpha = Annotated[str | None, _number("alpha", "The chance of a larger error.")]
Epsilon = Annotated[str | None, _number("epsilon", "Pure loss, or epsilon with --delta.")]
Delta = Annotated[str | None, _number("delta", "The delta beside an epsilon.")]
Rho = Annotated[str | None, _number("rho", "Instead, a zCDP loss.")]


def calc(
    wanted: Annotated[
        str,
        typer.Argument(
            metavar="WANTED",
            help="accuracy, epsilon, rho, mu2, delta, sigma, sigma2, scale or tail.",
        ),
    ],
    law: Annotated[
        str,
        typer.Argument(
            metavar="LAW",
            help="geometric, laplace, gaussian, discrete_gaussian, clamped_geometric or"
            " truncated_geometric; none for what a rho implies.",
        ),
    ] = "",
    *,
    alpha: Alpha = None,
    accuracy: Annotated[str | None, _number("accuracy", "The error that is promised.")] = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    mu2: Annotated[str | None, _number("mu2", "Instead, a Gaussian loss.")] = None,
    sigma: Annotated[str | None, _number("sigma", "The Gaussian's deviation.")] = None,
    sigma2: Annotated[
        str | None, _number("sigma2", "The discrete Gaussian's variance parameter.")
    ] = None,
    scale: Annotated[str | None, _number("scale", "The geometric's or Laplace's scale.")] = None,
    sensitivity: Annotated[
        str | None, _number("sensitivity", "How far one unit moves the answer; else 1.")
    ] = None,
    convention: Annotated[
        str | None,
        _number("convention", "gt: an error above a is a miss (the default); ge: a, too.", "gt|ge"),
    ] = None,
    coordinates: Annotated[
        str | None, _number("coordinates", "How many numbers keep it together.", "COUNT")
    ] = None,
    releases: Annotated[
        str | None, _number("releases", "How many releases are added up.", "COUNT")
    ] = None,
    chance: Annotated[
        str | None, _number("chance", "That what is beside the noise fails: finding keys.")
    ] = None,
    bounds: Annotated[
        str | None, _number("bounds", "Public bounds of a count, as 0:30.", "LOWER:UPPER")
    ] = None,
    truth: Annotated[
        str | None, _number("truth", "A made-up true count, not the worst.", "COUNT")
    ] = None,
    norm: Annotated[
        str | None,
        _number("norm", "Of several errors: max, the largest (the default); l2.", "max|l2"),
    ] = None,
    rule: Annotated[
        str | None,
        _number("rule", "A closed form: classical, tight, pinsker, vinterbo.", "NAME"),
    ] = None,
    as_json: Json = False,
) -> Job:
    """Compute noise, accuracy and privacy before any plan.

    The command prints the answer, its meaning, its source, and the result of the naive formula. No
    data is read. A delta needs --epsilon; an epsilon without --accuracy needs --delta.

    \b
    discreet calc accuracy geometric --epsilon 1 --alpha 0.05
    discreet calc accuracy clamped_geometric --epsilon 0.1 --alpha 0.05 --bounds 0:30
    discreet calc accuracy gaussian --sigma 4 --alpha 0.05 --coordinates 10 --norm l2
    discreet calc accuracy discrete_gaussian --sigma 4 --alpha 0.05 --releases 10
    discreet calc epsilon geometric --accuracy 10 --alpha 0.05
    discreet calc epsilon geometric --epsilon 0.1 --releases 100 --delta 1e-6
    discreet calc sigma gaussian --epsilon 1 --delta 1e-6
    discreet calc epsilon --rho 1/2 --delta 1e-6
    discreet calc delta gaussian --sigma 4 --epsilon 1
    discreet calc tail geometric --accuracy 3 --epsilon 1
    """

    known = {
        "alpha": alpha,
        "accuracy": accuracy,
        "epsilon": epsilon,
        "delta": delta,
        "rho": rho,
        "mu2": mu2,
        "sigma": sigma,
        "sigma2": sigma2,
        "scale": scale,
        "sensitivity": sensitivity,
        "convention": convention,
        "coordinates": coordinates,
        "releases": releases,
        "chance": chance,
        "truth": truth,
        "norm": norm,
        "rule": rule,
    }
    return Job(lambda screen: run_calc(screen, wanted, law, known, bounds=bounds), as_json)


def compare(
    *,
    alpha: Annotated[str, _number("alpha", "The chance of a larger error.")] = "0.05",
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    l1: Annotated[str | None, _number("l1", "How far one unit moves all numbers in sum.")] = None,
    l2: Annotated[str | None, _number("l2", "... in the root of the sum of squares.")] = None,
    linf: Annotated[str | None, _number("linf", "... each of them.")] = None,
    coordinates: Annotated[
        str, _number("coordinates", "How many numbers there are.", "COUNT")
    ] = "1",
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw error against the budget (png, svg)."),
    ] = None,
    as_json: Json = False,
) -> Job:
    """Compare all noise laws that keep a budget, the best law first, with reasons.

    No data is read. Give the sensitivities that you know; discreet bounds the other sensitivities.

    \b
    discreet compare --epsilon 1 --delta 1e-6 --l1 1 --coordinates 1000
    discreet compare --epsilon 1 --delta 1e-6 --linf 1 --coordinates 20 --plot error.svg
    discreet compare --rho 1/50 --l1 2 --linf 1
    """

    known = {
        "alpha": alpha,
        "epsilon": epsilon,
        "delta": delta,
        "rho": rho,
        "l1": l1,
        "l2": l2,
        "linf": linf,
        "coordinates": coordinates,
    }
    return Job(lambda screen: run_compare(screen, known, plot=plot), as_json)
