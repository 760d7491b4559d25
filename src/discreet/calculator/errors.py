"""What the calculator refuses, with the true reason, and what to type instead.

Rules of this module:
- a fix names what `calculator` takes; the command line shows it as options (`app.options`).
"""

from ..errors import InputError
from ..fix import Fix, write

ONE: Fix = (write(releases=1), write(law="geometric"))


def delta_missing(law: str) -> InputError:
    """Return the error that an epsilon of a Gaussian stands alone."""
    return InputError(
        f"{law} noise keeps an epsilon only beside a delta, and none is said.",
        why="whatever its size, more than epsilon is lost with some chance, and delta limits that",
        fix=write("too", delta="1e-6"),
    )


def epsilon_missing(law: str) -> InputError:
    """Return the error that there is no epsilon for the size of the noise to follow from."""
    return InputError(
        f"{law} noise needs an epsilon, and none is said.",
        why="the size of the noise follows from it",
        fix=write("too", epsilon="0.1"),
    )


def bounds_missing(law: str) -> InputError:
    """Return the error that a bounded count has no bounds."""
    return InputError(
        f"{law} noise needs the public bounds of the count, and none are said.",
        why="they limit which errors can happen, and which count is the worst",
        fix=write("too", bounds=(0, 100)),
    )


def no_size(law: str, wanted: str, size: str, *, says: str = "has no") -> InputError:
    """Return the error that a law is not sized by what was asked for."""
    return InputError(
        f"{law} noise {says} {wanted}.", why=f"its size is its {size}", fix=f"ask for {size}"
    )
