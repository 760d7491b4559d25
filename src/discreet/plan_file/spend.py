"""What a plan file's [spend] says: a loss, or the errors wanted."""

from typing import Any

from ..privacy.loss import Loss, approx, pure, zcdp
from .location import Place
from .schema import SpendPart


def terms_of(part: SpendPart, place: Place) -> dict[str, Any]:
    """Return what the plan costs, or the errors that it must keep."""
    here = place.at("spend")
    given = [n for n in ("rho", "epsilon", "delta", "within") if getattr(part, n) is not None]
    if given not in (["rho"], ["epsilon"], ["epsilon", "delta"], ["within"]):
        raise here.error(
            f"{' and '.join(given) or 'nothing'} {'are' if given[1:] else 'is'} given.",
            why="a plan spends rho, or epsilon, or epsilon with delta, or what its errors cost",
            fix=_remedy(given, here),
        )
    if part.within is not None:
        return {"within": part.within, "kind": part.kind}
    return {"spend": _spend(part, here)}


def _remedy(given: list[str], here: Place) -> str:
    """Return what to write, or which of the names to remove."""
    if not given:
        return here.at("rho").under('rho = "?", or epsilon = "?", or within = "?"')
    if given == ["delta"]:
        return here.at("epsilon").under('epsilon = "?"')
    kept = [["rho"], ["epsilon", "delta"] if "delta" in given else ["epsilon"], ["within"]]
    ways = [[name for name in given if name not in ones] for ones in kept if {*ones} <= {*given}]
    return f"remove {', or remove '.join(' and '.join(names) for names in ways)}"


def _spend(part: SpendPart, here: Place) -> Loss:
    with here.named():
        if part.rho is not None:
            return zcdp(part.rho)
        epsilon = part.epsilon or 0
        return pure(epsilon) if part.delta is None else approx(epsilon, part.delta)
