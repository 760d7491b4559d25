"""Every noise law by its name; a new law is one line here.

Rules of this module:
- a name, once written to a ledger, never changes its meaning.
"""

from collections.abc import Mapping

from ..errors import InputError, shown
from .discrete_gaussian import DiscreteGaussian
from .discrete_laplace import DiscreteLaplace
from .law import Law

LAWS: dict[str, type[DiscreteLaplace] | type[DiscreteGaussian]] = {
    "discrete_laplace": DiscreteLaplace,
    "discrete_gaussian": DiscreteGaussian,
}


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
    if name not in LAWS:
        raise InputError(
            f"there is no noise law {shown(name)!r}.",
            why=f"the laws are {', '.join(sorted(LAWS))}",
            fix="read this record with the version of discreet that wrote it",
        )
    try:
        return LAWS[name](**parameters)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(
            f"{name} does not take {shown(', '.join(sorted(parameters)))}.",
            why="each law has its own parameters",
            fix="read this record with the version of discreet that wrote it",
        ) from None
