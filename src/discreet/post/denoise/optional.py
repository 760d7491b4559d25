"""The libraries that only denoising needs, asked for where they are first used.

Rules of this module:
- a library that is not there is the caller's to install: the message holds the line to type.
"""

from importlib import import_module
from types import ModuleType

from ...errors import InputError


def needed(name: str) -> ModuleType:
    """Return a library of the extra `denoise`.

    Raises:
        InputError: it is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            f"denoising needs {name.split('.', maxsplit=1)[0]}, which is not installed.",
            why="the core of discreet stays small; the denoisers' libraries are an extra",
            fix="type: python -m pip install scipy PyWavelets",
        ) from None
