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
    if given not in ([], ["delta"], ["rho"], ["mu2"], ["epsilon"], ["epsilon", "delta"]):
        raise here.error(
            f"{' and '.join(given)} are given.",
            why="a plan spends rho, mu2, epsilon, or epsilon with delta, or what its errors cost",
            fix=_remedy(given),
        )
    if given in ([], ["delta"]) and not all_wanted:
        raise here.error(
            f"{' and '.join(given) or 'nothing'} is given.",
            why="a plan spends rho, mu2, epsilon, or epsilon with delta, or says within in each "
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
    kept = [["rho"], ["mu2"], ["epsilon", "delta"] if "delta" in given else ["epsilon"]]
    ways = [[name for name in given if name not in ones] for ones in kept if {*ones} <= {*given}]
    return f"remove {', or remove '.join(' and '.join(names) for names in ways)}"


def _spend(part: SpendPart, here: Place) -> Loss:
    with here.named():
        if part.rho is not None:
            return zcdp(part.rho)
        if part.mu2 is not None:
            return gdp(mu2=part.mu2)
        epsilon = part.epsilon or 0
        return pure(epsilon) if part.delta is None else approx(epsilon, part.delta)
