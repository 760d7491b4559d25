"""Evidence against chances that are known: how often something came, of how many times.

Each look has a chance that is certain while the law is right. Against it stand other chances, by
their odds. The mean of all likelihood ratios has a mean of at most 1 whenever one looks, so that it
reaches a million at most once in a million times (Ville 1939), however many looks there are.

Decision 132.
"""

from collections.abc import Sequence
from typing import Any

_ODDS = (1 / 20, 1 / 4, 4 / 5, 5 / 4, 4, 20)
_SURE = 1e-6  # a chance that is nearer to 0 or 1 is not looked at


class Bets:
    """Counts of looks, and the evidence that some chance of them is another one."""

    __slots__ = ("_lost", "_won", "chances", "hits", "trials")

    def __init__(self, chances: Sequence[float]) -> None:
        import numpy as np

        self.chances = p = np.array(chances, dtype=np.float64)
        self.hits, self.trials = np.zeros(len(p)), np.zeros(len(p))
        odds = np.array(_ODDS)[:, None]
        looked_at = (p > _SURE) & (p < 1 - _SURE)
        safe = np.where(looked_at, p, 0.5)
        rival = safe * odds / (1 - safe + safe * odds)
        self._won = np.where(looked_at, np.log(rival / safe), 0.0)
        self._lost = np.where(looked_at, np.log((1 - rival) / (1 - safe)), 0.0)

    def add(self, hits: Any, trials: Any) -> None:
        """Count how often each look came, and of how many times."""
        self.hits += hits
        self.trials += trials

    def evidence(self) -> tuple[float, int]:
        """Return ln of the evidence, and the look with the most of it."""
        import numpy as np

        if not len(self.chances):
            return 0.0, 0
        logs = self.hits * self._won + (self.trials - self.hits) * self._lost
        top = float(logs.max())
        return top + float(np.log(np.exp(logs - top).mean())), int(logs.max(axis=0).argmax())
