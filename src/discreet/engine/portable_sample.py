"""The portable choice of rows, in Python: what `sql.portable` has every engine of SQL compute.

Rules of this module:
- a hash looks at the salt and at one unit's own content; it need not be secret, only even.
"""

from ast import literal_eval
from functools import lru_cache
from hashlib import md5

AGAIN = 2**62  # what is hashed, too, where rows were limited once already: no step is so large
_MARK = "\0"  # of what `reading.unit_of` says of neither text nor a number
_KEPT = 100_000  # units whose digests are remembered


def portable(salt: int, unit: object, *content: object) -> str:
    """Return the hash by which rows of a unit are chosen alike by every engine.

    Args:
        salt: a whole number below 2^64.
        unit: as `reading.unit_of` writes it.
        content: whole numbers, or None.

    Example:
        >>> portable(5, "ann", 2, None)
        '2ec7c1b9d2a75c799b3cf0a05a300d67'
    """
    parts = ["n" if part is None else str(part) for part in content]
    return _md5("|".join([*parts, _digest(salt, str(unit))]))


@lru_cache(maxsize=_KEPT)
def _digest(salt: int, unit: str) -> str:
    return _md5(f"{salt:020d}{_as_engines_read(unit)}")


def _as_engines_read(unit: str) -> str:
    """Return the text of a unit in a column that has a type, where no mark is needed."""
    if unit.startswith(f"{_MARK}str "):
        return str(literal_eval(unit.removeprefix(f"{_MARK}str ")))
    return unit.removeprefix(_MARK)


def _md5(text: str) -> str:
    return md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
