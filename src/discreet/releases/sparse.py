"""The noise of a sparse vector: which cells it lifts over the threshold, before data is read.

Rules of this module:
- it is loaded for a plan that has such a step (`Plan.steps`), before the charge, and else never;
- which cells pass without a row, and with what, is drawn over all public cells: it knows no data;
- the secret of all other cells' noise is drawn with it; a cell's noise follows from it and the
  cell's number.

Decision 101.
"""

from functools import partial

from ..aggregate import Sparse
from ..entropy import Keyed
from ..noise.law import CoinSource, Law, Streams
from ..noise.threshold import Lifted, below
from .draws import SparseNoise


def drawn_sparsely(
    law: Law, sparse: Sparse, cells: int, coins: CoinSource, secrets: Streams | None = None
) -> SparseNoise:
    """Return the noise of a vector of so many cells, of which those that reach a threshold count.

    Args:
        law: the noise of each cell.
        sparse: what is told.
        cells: how many public ones there are.
        coins: secret bytes.
        secrets: by which the noise of cells with rows is named; fresh ones without.
    """
    return SparseNoise(
        cells=cells,
        threshold=sparse.threshold,
        lifted=Lifted(law, sparse.threshold).drawn(cells, coins),
        below=partial(below, law, sparse.threshold, secrets or Keyed()),
    )
