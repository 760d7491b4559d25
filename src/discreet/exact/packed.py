"""Convolutions of whole numbers as products of very long ones, which FLINT multiplies fast.

Rules of this module:
- every number is a whole one of 64 bits, and no sum runs over: whoever asks keeps the bound.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any


def packed_product(vector: Sequence[int], kernel: Sequence[int]) -> list[int]:
    """Return a convolution with numbers of at least 0, as a product of two very long numbers.

    Each number takes 64 bits of one. The sum of the vector times the largest entry must stay below
    2^62: then no sum on the way reaches 2^63, so that none runs over into the next. The kernel is
    lifted by its least entry, so that none is negative; what that adds is the sum of the numbers
    that it lies over, and is taken away.
    """
    import numpy as np

    least, lifted = _lifted(tuple(kernel))
    size, numbers = len(vector) + len(kernel) - 1, np.array(vector, dtype="<i8")
    made = int(_packed(numbers) * lifted).to_bytes(8 * (size + 1), "little")
    sums = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(numbers, out=sums[1 : len(vector) + 1])
    sums[len(vector) + 1 :] = sums[len(vector)]
    over = sums[1:].copy()
    over[len(kernel) :] -= sums[1 : size - len(kernel) + 1]
    found: list[int] = (np.frombuffer(made, dtype="<i8")[:size] + least * over).tolist()
    return found


@lru_cache(maxsize=8)
def _lifted(kernel: tuple[int, ...]) -> tuple[int, Any]:
    """Return the least entry of a kernel, or 0, and the kernel less that, packed."""
    import numpy as np

    least = min(0, *kernel)
    return least, _packed(np.array(kernel, dtype="<i8") - least)


def _packed(numbers: Any) -> Any:
    """Return a long number that has each of these as 64 of its bits."""
    from flint import fmpz

    return fmpz(int.from_bytes(numbers.tobytes(), "little"))
