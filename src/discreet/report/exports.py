"""Numbers of a release as a file, in one of the forms that offices publish.

Rules of this module:
- nothing is written over, and nothing into a saved release: a strange file there does not verify.

Decision 130.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import get_args

from ..document.document import Document
from ..document.headings import labelled
from ..document.regular import csv_blocks
from ..document.tidy import Tidy
from ..errors import InputError, as_given, shown
from ..fix import write
from ..paths import taken
from ..schema import About
from .bundle import NAME, write_new
from .forms import Form, wide
from .workbook import workbook

FILES = {"excel": ".xlsx", "long": ".csv", "wide": ".csv", "sdmx-csv": ".csv"}


def table_in(document: Document, form: object, about: About) -> Tidy:
    """Return a release as one table of this form.

    Raises:
        InputError: there is no such form, or SDMX has no name for a part of it.
    """
    if form == "long":
        return labelled(document, about)
    if form == "wide":
        return wide(document, about)
    if form == "sdmx-csv":
        from .sdmx_csv import sdmx_table

        return sdmx_table(document, about)
    raise InputError(
        f"form = {as_given(form)} is no form of the table.",
        kind="unknown-choice",
        why=f"there are {', '.join(get_args(Form))}",
        fix=tuple(write(form=known) for known in get_args(Form)),
    )


def export(
    document: Document, path: Path, form: str | None, about: About, also: Iterable[Document] = ()
) -> Path:
    """Write a release as a file, and return its path.

    Args:
        document: the release.
        path: the file; `.xlsx` is a workbook, `.csv` the long table unless a form says otherwise.
        form: "long", "wide", "sdmx-csv" or "excel"; None for what the ending says.
        about: the publisher's words.
        also: numbers that were derived of it, for a workbook.
    """
    form = form or ("excel" if path.suffix.lower() == ".xlsx" else "long")
    check_place(path, form)
    if form == "excel":
        return written(path, [workbook(document, about, also)])
    table = table_in(document, form, about)
    if form == "sdmx-csv":
        from .sdmx_csv import sdmx_blocks

        return written_text(path, sdmx_blocks(table))
    return written_text(path, csv_blocks(table))


def check_place(path: Path, form: str) -> None:
    """Refuse a file of another kind, one that is there, and one in a saved release."""
    if form not in FILES or path.suffix.lower() != FILES[form]:
        known = form if form in FILES else "excel"
        raise InputError(
            f"{shown(path.name)} is no file for the form {shown(str(form))}.",
            kind="cannot-write",
            why=f"there are {', '.join(f'{name} ({ending})' for name, ending in FILES.items())}",
            fix=f"write {shown(path.with_suffix(FILES[known]).name)}, as form {known}"
            if path.name
            else f"write tables{FILES[known]}",
        )
    if os.path.lexists(path) or (path.parent / NAME).exists():
        raise taken(
            path,
            why="nothing is written over, and a release with a strange file does not verify",
            fix="name a file that is not there, outside of the release",
        )


def written(path: Path, content: Iterable[bytes]) -> Path:
    """Write a file that is not there yet; what cannot be written whole is taken away again."""
    try:
        write_new(path, content)
    except OSError as error:
        if not isinstance(error, FileExistsError):
            with suppress(OSError):
                path.unlink()
        raise InputError(
            f"{shown(path)} cannot be written.",
            kind="cannot-write",
            why=str(error.strerror or error),
            fix="name another place",
        ) from None
    return path


def written_text(path: Path, parts: Iterable[str]) -> Path:
    """Write a text in UTF-8, part by part, as `written` does."""
    return written(path, (part.encode("utf-8") for part in parts))
