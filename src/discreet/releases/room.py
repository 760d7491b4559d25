"""How much room an answer may take in the ledger, from the plan alone.

Rules of this module:
- nothing here sees data: the room is public, like the plan;
- it is the length that every release of the plan keeps (`plans/size.py`), but for noise that is as
  rare as 2^-100 a number; what does not fit then is stored behind, as far as the disk goes. Nothing
  is ever cut.
"""

from dataclasses import replace

from ..plans.plan import Plan
from ..plans.size import SUPPOSED, bytes_up


def room_of(plan: Plan, *texts: str) -> int:
    """Return how many bytes to keep free for the answer to a plan.

    Args:
        plan: what is released; of keys to be found there are some, and what more take is stored
            behind.
        texts: what else the document quotes: the request, the ledger's subject and id.
    """
    if plan.findings:
        return room_of(replace(plan.supposed(SUPPOSED), findings=()), *texts)
    return bytes_up(plan, *texts)
