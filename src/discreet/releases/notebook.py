"""Progress in a notebook: a bar, as a terminal has one, while data is read or numbers are cleaned.

Rules of this module:
- it is loaded in a notebook alone, and only if nobody else listens;
- as in a terminal nobody is told of what ends soon;
- the bar is one output of the cell, put in place of itself, and empty at the end;
- it shows percent, seconds and names of questions, and nothing of the data.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from html import escape
from importlib import import_module
from time import monotonic
from typing import Any

from ..engine import progress

_MODULE = "ipykernel"


def reading() -> Any:
    """Return what shows how far a count is, in a notebook; elsewhere nothing.

    Returns: a context in which the engines tell it.
    """
    return _reading() if is_notebook() else nullcontext()


def is_notebook() -> bool:
    """Tell whether this program is the kernel of a notebook."""
    return _MODULE in sys.modules and getattr(_shell(), "kernel", None) is not None


@contextmanager
def bar() -> Iterator[Callable[[str, int | None, int], None]]:
    """Give a function that shows words, how much is done and of how much; then take it away."""
    library: Any = import_module("IPython.display")
    handles: list[Any] = []

    def show(words: str, done: int | None, of: int) -> None:
        value = "" if done is None else f' value="{done}"'
        text = escape(words)
        page = library.HTML(f'<progress max="{of}"{value} aria-label="{text}"></progress> {text}')
        if handles:
            handles[0].update(page)
        else:
            handles.append(library.display(page, display_id=True))

    try:
        yield show
    finally:
        if handles:
            handles[0].update(library.HTML(""))


@contextmanager
def _reading() -> Iterator[None]:
    with bar() as show:

        def tell(percent: int | None, seconds: float) -> None:
            known = "" if percent is None else f"{percent} %, "
            show(f"Counting: {known}{seconds:.0f} s", percent, 100)

        with progress.listening(tell):
            yield


@contextmanager
def cleaning() -> Iterator[Callable[[str, int, int], None] | None]:
    """Give a function that shows which denoiser is tried, in a notebook; elsewhere None."""
    if not is_notebook():
        yield None
        return
    start = monotonic()
    with bar() as show:

        def tell(name: str, place: int, count: int) -> None:
            if monotonic() - start >= progress.PATIENCE:
                show(f"Cleaning, {place} of {count}: {name}", place - 1, count)

        yield tell


def _shell() -> object:
    library: Any = import_module("IPython")
    shell: object = library.get_ipython()
    return shell
