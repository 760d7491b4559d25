"""Paths that people type, asked without an exception.

Rules of this module:
- a path that the system refuses, because it is too long for example, names nothing.
"""

from pathlib import Path


def there(path: Path) -> bool:
    """Tell whether there is anything at a path."""
    try:
        return path.exists()
    except OSError:
        return False


def can_be(path: Path) -> bool:
    """Tell whether the system could take a path, in a folder that is there."""
    try:
        path.lstat()
    except FileNotFoundError:
        return path.absolute().parent.is_dir()
    except (OSError, ValueError):
        return False
    return True
