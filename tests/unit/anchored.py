"""Pay from a ledger's file: a charge, and its answer."""

from discreet.ledgers.file import Ledger
from discreet.ledgers.rules import ChargeRequest
from discreet.privacy.loss import Loss, zcdp


def pay(ledger: Ledger, request: str, loss: Loss | None = None, *, answered: bool = True):
    """Charge a request, and store an answer."""
    cost = zcdp("1/1000") if loss is None else loss
    charge = ledger.file.reserve(ChargeRequest(request=request, plan="p", loss=cost, events=[]))
    if answered:
        ledger.file.settle(charge, f"answer to {request}")
    return charge
