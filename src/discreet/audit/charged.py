"""A run is charged what it costs: made-up rows are released twice, into ledgers of each kind.

A real ledger must tell as spent, after one release, no less than the price, which replay
compares with what moves; and twice as much after two.

Rules of this module:
- the ledgers, and what is remembered of them, lie in a folder that is gone when the audit ends.

Decision 132.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import BudgetError, DiscreetError, EngineError, LedgerError
from ..ledgers.file import Ledger, create
from ..paths import remembered_in
from ..plans.plan import Plan
from ..privacy.loss import Loss, approx
from ..releases.open_ledger import ledger
from ..releases.run import run
from .compare import KINDS
from .sources import as_they_are, placed
from .worlds import FAMILIES, Layout, pair_of

_CALM = FAMILIES.index("calm")
_WORD = "made-up rows of an audit"
_WIDE, _CHANCE = 100, Fraction(1, 10)


def undercharged(plan: Plan, layout: Layout) -> tuple[list[str], str]:
    """Return in which kinds of ledgers two releases were charged, and what was charged too little.

    Args:
        plan: the plan that was asked, with its unknown keys unknown.
        layout: of its made-up tables.
    """
    seen, prices = list[str](), {kind: plan.price(kind) for kind in KINDS}
    with (
        placed("memory") as place,
        TemporaryDirectory(prefix="discreet-audit-") as folder,
        remembered_in(folder),
    ):
        table = place(layout, pair_of(layout, _CALM).before, as_they_are)
        here = replace(plan, table=table.without_found() if plan.findings else table)
        for kind, price in prices.items():
            if price is None:
                continue
            try:
                book = _book(Path(folder, f"{kind}.ledger"), price)
                spent = [_after(here, book, name) for name in ("one", "two")]
            except (BudgetError, LedgerError, EngineError):  # replay says of an engine what it is
                continue
            except DiscreetError as error:
                return seen, f"a release into a ledger of {kind} failed: {error.what}"
            seen.append(kind)
            if what := _too_little(spent, price):
                return seen, what
    return seen, ""


def _too_little(spent: Sequence[Loss], price: Loss) -> str:
    """Return what was charged too little after one release and after two, in words; "" for none."""
    for of, many in zip(spent, (1, 2), strict=True):
        pairs = zip(of.numbers, price.numbers, strict=True)
        if any(charged < many * number for charged, number in pairs):
            return f"a ledger was charged {of} for {many} times {price}"
    return ""


def _book(path: Path, price: Loss) -> Ledger:
    """Return a new ledger that holds a price three times."""
    named = price.named
    if price.kind == "purses":
        pure = 1 + ceil(3 * named["pure"])
        budget = approx(pure + _WIDE, _CHANCE)
        return ledger(path, budget=budget, pure=pure, chance=_CHANCE / 2, trust_locks=_WORD)
    numbers = [_CHANCE if name == "delta" else 1 + ceil(3 * n) for name, n in named.items()]
    budget = Loss(price.kind, tuple(map(Fraction, numbers)))
    return create(path, budget=budget, id=price.kind, trust_locks=_WORD)


def _after(plan: Plan, book: Ledger, request: str) -> Loss:
    """Return what stands spent after one more release."""
    run(plan, ledger=book, request=request)
    return book.spent()
