"""A large release is made of millions of objects and no cycles: garbage is looked for afterwards.

Each time Python's collector has seen so many new objects, it goes through all that are there. While
a million numbers are read that takes longer than reading them, and finds nothing.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collected_later() -> Iterator[None]:
    """Leave cycles of objects until the end, where they are looked for at all."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
