"""What a plan file's [spend] says: a loss, or the errors wanted."""

from typing import Any

from ..privacy.loss import Loss, approx, gdp, pure, zcdp
from .location import Place
from .schema import SpendPart


def terms_of(part: SpendPart, place: Place, *, all_wanted: bool) -> dict[str, Any]:
    """Return what the plan costs, or how the errors are priced that it must keep.

    Args:
        part: what is written.
        place: the file.
        all_wanted: whether each question has a wanted error, so that no loss is needed.
    """
    here = place.at("spend")
    given = [n for n in ("rho", "mu2", "epsilon", "delta") if getattr(part, n) is not None]
    if len({*given} - {"delta"}) > 1:
        raise here.error(
            f"{' and '.join(given)} are given.",
            why="a plan spends one of rho, mu2 and epsilon, with or without delta, or what its "
            "errors cost",
            fix=_remedy(given),
        )
    if given in ([], ["delta"]) and not all_wanted:
        raise here.error(
            f"{' and '.join(given) or 'nothing'} is given.",
            why="a plan spends rho, mu2 or epsilon, with or without delta, or says within in each "
            "question",
            fix=here.at("epsilon").under('epsilon = "?"')
            if given
            else here.at("rho").under('rho = "?", or epsilon = "?", or within = "?"'),
        )
    if given in ([], ["delta"]):
        return {"kind": part.kind, "delta": part.delta}
    return {"spend": _spend(part, here), "kind": part.kind}


def _remedy(given: list[str]) -> str:
    """Return which of the names to remove."""
    kept = [name for name in given if name != "delta"]
    ways = [[name for name in kept if name != one] for one in kept]
    return f"remove {', or remove '.join(' and '.join(names) for names in ways)}"


def _spend(part: SpendPart, here: Place) -> Loss:
    with here.named():
        if part.rho is not None:
            return zcdp(part.rho, delta=part.delta)
        if part.mu2 is not None:
            return gdp(mu2=part.mu2, delta=part.delta)
        epsilon = part.epsilon or 0
        return pure(epsilon) if part.delta is None else approx(epsilon, part.delta)
