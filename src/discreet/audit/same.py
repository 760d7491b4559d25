"""What must be the same, or apart, whatever the data: saved bytes, and public lists.

Rules of this module:
- files are known by their paths and numbers; no file is opened.
"""

from collections.abc import Iterator
from os import PathLike, fspath
from os.path import realpath
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import InputError
from ..plans.plan import Plan
from ..releases.document import compose
from ..releases.release import Release
from ..schema.public_list import refuse_lists
from .replay import Replayed

_WHEN = "2026-01-01T00:00:00+00:00"


def declared_apart(plan: Plan) -> Iterator[str]:
    """Yield which public list, or which facts, lie in the data."""
    try:
        refuse_lists(plan.table)
    except InputError as error:
        yield error.what
    first = _files(plan.table.source)
    lists = {of.path: name for name, of in plan.table.lists.items() if of.path}
    for path, name in lists.items():
        sources = (plan.table.source, *(join.source for join in plan.table.joins))
        if any(realpath(path) in _files(source) for source in sources):
            yield f"the keys of {name} are listed in a file of the data"
    for join in plan.table.joins:
        if join.kind == "owner" and first & _files(join.source):
            yield f"{join.name} names owners, and is the table whose rows they own"


def _files(source: object) -> frozenset[str]:
    parts = source if isinstance(source, (list, tuple)) else [source]
    return frozenset(realpath(fspath(p)) for p in parts if isinstance(p, (str, PathLike)))


def saved_apart(plan: Plan, both: Replayed) -> str | None:
    """Return which saved file hangs on the unit where the released numbers are the same."""
    if both.before.plan is None or both.after.plan is None or plan.findings:
        return None
    noisy = both.before.noisy
    texts = [
        compose(each, noisy, request="audit", created=_WHEN, ledger=None)
        for each in (both.before.plan, both.after.plan)
    ]
    if texts[0].text() != texts[1].text():
        return "the document of a release hangs on the unit, with the same numbers"
    with TemporaryDirectory(prefix="discreet-audit-") as folder:
        saved = [
            Release(text).save(Path(folder) / f"{at}.release") for at, text in enumerate(texts)
        ]
        files = [{path.name: path.read_bytes() for path in place.iterdir()} for place in saved]
    apart = [name for name in files[0] if files[0][name] != files[1].get(name)]
    return f"{', '.join(apart)} hangs on the unit, with the same numbers" if apart else None
