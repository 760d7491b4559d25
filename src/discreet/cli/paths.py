"""Paths that people type, asked without an exception.

Rules of this module:
- a path that the system refuses, because it is too long for example, names nothing.
"""

from itertools import count
from pathlib import Path


def there(path: Path) -> bool:
    """Tell whether there is anything at a path."""
    try:
        return path.exists()
    except OSError:
        return False


def free_name(path: Path) -> Path:
    """Return a path like this one at which there is nothing yet."""
    if path.name in ("", ".."):
        path /= "new.release"
        if not there(path):
            return path
    names = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return next(name for name in names if not there(name))


def can_be(path: Path) -> bool:
    """Tell whether the system could take a path, in a folder that is there."""
    try:
        path.lstat()
    except FileNotFoundError:
        return path.absolute().parent.is_dir()
    except (OSError, ValueError):
        return False
    return True
