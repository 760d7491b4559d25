"""The loss of one question, beside which a plan shares out what is left.

Rules of this module:
- it is of one number and one kind, so that it adds up with those of others;
- it stands in the place of a weight and of a wanted error, and never beside them.
"""

from collections.abc import Mapping

from ..errors import InputError, as_given
from ..fix import leave_out, write
from ..privacy.loss import Loss, is_loss, loss_of

_OWN = {"pure": "epsilon", "zcdp": "rho", "gdp": "mu2"}  # kinds of loss of one number


def own_loss(spend: object, weight: int, within: object) -> Loss:
    """Return the loss of one question, as it was handed over or as a plan file has it.

    Raises:
        InputError: it is none of one number above 0, or a weight or a wanted error is beside it.
    """
    if isinstance(spend, Mapping) and len(spend) == 1 and {*spend} <= {*_OWN.values()}:
        ((name, text),) = spend.items()
        kind = next(kind for kind, number_ in _OWN.items() if number_ == name)
        spend = loss_of({"kind": kind, name: text})
    if not is_loss(spend) or spend.kind not in _OWN or spend.is_zero():
        raise InputError(
            f"spend = {as_given(spend)} is no loss that a question can spend.",
            kind="not-a-loss",
            why="questions have losses of one number above 0, in epsilon, rho or mu2, which add up",
            fix=(leave_out("spend"), write(weight=2)),
            at="spend",
        )
    if weight != 1 or within is not None:
        other = "weight" if weight != 1 else "within"
        raise InputError(
            f"spend and {other} are both given.",
            kind="settings-clash",
            why="a loss of its own gives the error; a wanted error gives the loss; weights share "
            "out what is left",
            fix=(leave_out("spend"), leave_out(other)),
            at="spend",
        )
    return spend
