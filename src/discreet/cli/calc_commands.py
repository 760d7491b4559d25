"""The commands that calculate and compare noise; they read no data.

Rules of this module:
- every number comes from `discreet.calculator`; a float is only shown.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import InputError, shown
from ..text import Sheet
from .output import Screen

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

    given: dict[str, Any] = {name: value for name, value in known.items() if value is not None}
    if bounds is not None:
        given["bounds"] = _bounds(bounds)
    found = _asked(lambda: explain(wanted, law, given))
    screen.say(str(found))
    naive, step = found.naive, found.step
    return CalcReply(
        wanted=wanted,
        law=law,
        answer=found.text,
        convention=str(given.get("convention", "gt")),
        meaning=found.meaning,
        source=found.source,
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
            why="the ending says how to draw it, and it can be .png or .svg",
            fix="write --plot error.svg",
        )
    found = _asked(lambda: compared(**known))
    screen.show(_sheet(found))
    if plot is not None:
        with screen.working("Drawing"):
            _draw(found, plot)
        screen.say(f"Wrote {shown(plot)}.")
    moves = found.moves
    return CompareReply(
        sensitivity={
            "l1": text_of(moves.l1),
            "l2_squared": text_of(moves.l2_squared),
            "linf": text_of(moves.linf),
            "coordinates": str(moves.coordinates),
        },
        budget=_budget(found),
        alpha=text_of(found.alpha),
        laws=[_line(choice) for choice in found.choices],
        why=found.why,
        saved=None if plot is None else str(plot),
    )


def _asked(question: Callable[[], Answer]) -> Answer:
    """Answer; what is refused says what to type here, in place of Python."""
    from ..plan_file.in_file import as_options, in_words

    with in_words(as_options):
        return question()


def _sheet(found: "Comparison") -> Sheet:
    from ..exact.number import text_of

    several = found.moves.coordinates > 1
    budget = ", ".join(f"{name} = {value}" for name, value in _budget(found).items())
    title = f"Noise that keeps {budget}, with errors at alpha = {text_of(found.alpha)}"
    columns = ["law", "noise", "error", *(["all together"] if several else []), "deviation"]
    return Sheet(
        title=title,
        columns=(*columns, "pays for"),
        rows=tuple(_row(choice, several=several) for choice in found.choices),
        above=(_moved(found),),
        below=("", found.why),
        right=("error", "all together", "deviation"),
    )


def _moved(found: "Comparison") -> str:
    from ..exact.number import text_of

    moves = found.moves
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


def _budget(found: "Comparison") -> dict[str, str]:
    from ..exact.number import text_of

    budget = found.budget
    parts = {"epsilon": budget.epsilon, "delta": budget.delta, "rho": budget.rho}
    return {name: text_of(value) for name, value in parts.items() if value is not None}


def _draw(found: "Comparison", place: Path) -> None:
    from ..report.look import png_of, svg_of
    from .compare_plot import drawn

    picture = drawn(found)
    try:
        place.write_bytes(png_of(picture) if place.suffix.lower() == ".png" else svg_of(picture))
    except OSError as error:
        raise InputError(
            f"the picture cannot be written to {shown(place)}.",
            why=str(error.strerror).lower(),
            fix="write --plot error.svg",
        ) from None


def _bounds(text: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(":"))
    if len(parts) != 2:
        raise InputError(
            f"bounds = {shown(text)} is not a lower and an upper count.",
            why="a clamped count needs public bounds",
            fix="write --bounds 0:30",
        )
    return parts
