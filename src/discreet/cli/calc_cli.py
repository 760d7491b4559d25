"""`discreet calc` and `discreet compare`: the words of whoever chooses the noise."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .words import Job, Json

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
    """How much noise, how much accuracy, how much privacy.

    Says the answer, what it means, where it comes from, and what the naive formula says. No data
    is read. A delta is answered at --epsilon, an epsilon without --accuracy at --delta.

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
    from . import calc_commands as room

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
    return Job(lambda screen: room.run_calc(screen, wanted, law, known, bounds=bounds), as_json)


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
    """Which noise: every law that keeps a budget, best first, and why.

    No data is read. Of the sensitivity, say what you know; the rest is bounded from it.

    \b
    discreet compare --epsilon 1 --delta 1e-6 --l1 1 --coordinates 1000
    discreet compare --epsilon 1 --delta 1e-6 --linf 1 --coordinates 20 --plot error.svg
    discreet compare --rho 1/50 --l1 2 --linf 1
    """
    from . import calc_commands as room

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
    return Job(lambda screen: room.run_compare(screen, known, plot=plot), as_json)
