"""Every noise law by its name; a new law is one line here.

Rules of this module:
- a name, once written to a ledger, never changes its meaning;
- plans take the first law here that costs their kind of loss. A law that shall only be read, drawn
  and cleaned stands behind it; one that is put before it changes the noise of every plan, so that
  releases of the same plans made before no longer verify.
"""

from collections.abc import Mapping

from ..errors import InputError, InternalError, shown
from ..privacy.loss import Loss
from .discrete_gaussian import DiscreteGaussian
from .discrete_laplace import DiscreteLaplace
from .law import Law
from .selection import Choosing, ExponentialMechanism, PermuteAndFlip

_ALL: tuple[type[Law], ...] = (
    DiscreteLaplace,
    DiscreteGaussian,
)
LAWS: dict[str, type[Law]] = {law.name: law for law in _ALL}
CHOICES: dict[str, type[Choosing]] = {
    law.name: law for law in (PermuteAndFlip, ExponentialMechanism)
}


def law_for(loss: Loss, *, l1: int, l2_squared: int, chooses: bool = False) -> Law:
    """Return the noise that makes a vector which one unit moves so far cost exactly this loss."""
    return law_in(loss.kind, chooses=chooses).calibrated(loss, l1=l1, l2_squared=l2_squared)


def law_in(kind: str, *, chooses: bool = False) -> type[Law]:
    """Return the law, or the choice, that plans take for a kind of loss."""
    listed: Mapping[str, type[Law]] = CHOICES if chooses else LAWS
    for law in listed.values():
        if kind in (law.costs, *law.also):
            return law
    raise InternalError(
        f"no noise costs a loss of kind {kind}.",
        kind="internal-fault",
        why="an (epsilon, delta) spend is shared as Gaussian, zCDP or pure loss",
        fix="please report it, with the plan",
    )


def law_of(plain: Mapping[str, str]) -> Law:
    """Return the law that `plain()` wrote.

    Raises:
        InputError: no law has this name, or its parameters are not this law's.

    Example:
        >>> law_of({"law": "discrete_laplace", "scale": "10/3"}).plain()
        {'law': 'discrete_laplace', 'scale': '10/3'}
    """
    parameters = {name: text for name, text in plain.items() if name != "law"}
    name = plain.get("law", "")
    law = LAWS.get(name) or CHOICES.get(name)
    if law is None:
        raise InputError(
            f"there is no noise law {shown(name)!r}.",
            kind="unknown-choice",
            why=f"the laws are {', '.join(sorted(LAWS))}",
            fix="read this record with the version of discreet that wrote it",
        )
    try:
        return law(**parameters)
    except TypeError:
        raise InputError(
            f"{name} does not take {shown(', '.join(sorted(parameters)))}.",
            kind="wrong-call",
            why="each law has its own parameters",
            fix="read this record with the version of discreet that wrote it",
        ) from None
