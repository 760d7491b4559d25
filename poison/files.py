"""A row more that changes a type, a width or a code of a file of another program: nothing hangs on it."""

import datetime as dt
import json
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from . import other_files
from .cases import Share
from .dtypes import DECLARED, ROLES, ROWS, Cells, _said, outcome, wrong
from .harness import Found
from .other_files import rows_of

_PACKED = (".zsav", ".xlsx", ".xls", ".ods", ".duckdb", ".orc")  # no bytes of a cell stand in them
BROKEN = "QZQZ"  # in whose place bytes are put that are no text
_BYTES = {"broken UTF-8": b"\xc3\x28\x81\xff", "Windows-1252": b"\xe9\xe9\xe9\xe9"}
_DAY = dt.date(2020, 1, 1)
USUAL: dict[str, Cells] = {  # cells of ordinary rows, a kind of column each
    "whole": [1, 2, 3, 4], "broken": [0.5, 1.0, 2.5, 1.0], "text": ["a", "b", "é", "1"], "digits": ["1", "2", "01", "1.0"],
    "days": [_DAY, _DAY.replace(day=2), _DAY, _DAY], "moments": [dt.datetime(2020, 1, 1, 10)] * 4, "nothing": [None] * 4,
}  # fmt: skip
MORE: dict[str, Cells] = {  # what one row more may hold, by what its column holds
    "numbers": [None, 0.5, -0.0, 5, 101, 127, 40_000, 2**31, 2**53, 2.0**60, 1e300, float("inf"), float("nan"), -99],
    "texts": [None, "", "x", "x" * 300, "x" * 3_000, " ", *_BYTES, "2020-01-01", "1e400"],
    "days": [None, dt.date(1583, 1, 1), dt.date(9999, 12, 31)],
    "moments": [None, dt.datetime(1583, 1, 1), dt.datetime(9999, 12, 31, 23)],
}  # fmt: skip
_KIND = {"text": "texts", "digits": "texts", "days": "days", "moments": "moments"}


def _narrow(frame: pd.DataFrame) -> pd.DataFrame:
    """The narrowest type that holds each column, as the programs choose it."""
    return frame.apply(
        lambda x: pd.to_numeric(x, downcast="integer") if x.dtype.kind in "iuf" else x
    )


def by_pandas(frame: pd.DataFrame, path: Path) -> None:
    """Stata's file as pandas writes it: int8 where that does, else int16, int32, double; strL."""
    times = {
        name: "td" if _is_day(frame[name]) else "tc" for name in frame if _is_time(frame[name])
    }
    made = _narrow(frame.assign(**{name: pd.to_datetime(frame[name]) for name in times}))
    long = [
        name
        for name in made
        if made[name].map(lambda x: isinstance(x, str) and len(x) > 2000).any()
    ]
    texts = {
        name: made[name].fillna("")
        for name in made
        if made[name].map(lambda x: isinstance(x, str)).any()
    }
    made.assign(**texts).to_stata(
        path, write_index=False, version=118, convert_dates=times, convert_strl=long
    )


def _is_time(column: Any) -> bool:
    return bool(column.map(lambda x: isinstance(x, dt.date) and x is not pd.NaT).any())


def _is_day(column: Any) -> bool:
    return not column.map(lambda x: isinstance(x, dt.datetime)).any()


def _by_pyreadstat(call: str, **how: Any) -> Callable[[pd.DataFrame, Path], None]:
    def write(frame: pd.DataFrame, path: Path) -> None:
        import pyreadstat

        getattr(pyreadstat, call)(frame, path, **how)

    return write


def labelled(frame: pd.DataFrame, path: Path) -> None:
    """A file of SPSS whose numbers are codes of one codebook, which no row changes."""
    import pyreadstat

    book = {0: "x", 1: "a", 2: "1", 3: "é", 5: "", 101: "2020-01-01", -99: "12a"}
    labels = {name: book for name in frame if frame[name].dtype.kind in "iuf"}
    pyreadstat.write_sav(frame, path, variable_value_labels=labels)


_WIDTH = 40  # letters of a column of fixed width; more are cut off by who writes it


def fixed_width(frame: pd.DataFrame, path: Path) -> None:
    """Lines without separators, as SAS's PUT writes them; their layout stands beside them."""
    cells = [[("" if cell is None else str(cell)) for cell in row] for row in rows_of(frame)]
    lines = ["".join(cell[:_WIDTH].ljust(_WIDTH) for cell in row) for row in cells]
    path.write_text("".join(f"{line}\n" for line in lines))
    layout = {name: [n * _WIDTH + 1, (n + 1) * _WIDTH] for n, name in enumerate(frame)}
    path.with_suffix(".json").write_text(json.dumps(layout))


def forms_of(path: Path) -> dict[str, Any] | None:
    """How the cells of a file are written: by its layout, or as its name says that it is declared."""
    if path.suffix == ".dat":
        return {"fixed": json.loads(path.with_suffix(".json").read_text())}
    return DECLARED if path.stem.startswith("forms") else None


FILES: dict[str, tuple[str, Callable[[pd.DataFrame, Path], None]]] = {
    "fixed width": (".dat", fixed_width),
    "sav": (".sav", _by_pyreadstat("write_sav")), "zsav": (".zsav", _by_pyreadstat("write_sav", compress=True)),
    "labelled": (".sav", labelled), "dta": (".dta", _by_pyreadstat("write_dta")), "dta 8": (".dta", _by_pyreadstat("write_dta", version=8)),
    "dta by pandas": (".dta", by_pandas), **other_files.FILES, **other_files.TYPED,
}  # fmt: skip


def written(name: str, frame: pd.DataFrame, folder: Path, stem: str = "t") -> Path:
    """A file of a frame; a marked text of four letters becomes four bytes of another kind."""
    ending, write = FILES[name]
    path = folder / f"{stem}{ending}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write(frame.replace(dict.fromkeys(_BYTES, BROKEN)), path)
    for kind, some in _BYTES.items():
        if ending not in _PACKED and (frame == kind).any().any():
            raw = path.read_bytes()
            assert raw.count(BROKEN.encode()) == 1
            path.write_bytes(raw.replace(BROKEN.encode(), some))
    return path


def beside(source: Path, columns: dict[str, Any]) -> Path:
    """Another table, in a file of the same kind beside a file."""
    name = next(name for name, (ending, _) in FILES.items() if ending == source.suffix)
    return written(name, pd.DataFrame(columns), source.parent, f"{source.stem} other")


def frame_of(cells: Cells, *, typed: bool = True) -> pd.DataFrame:
    """Ordinary rows and perhaps one more, of which x is the column that changes.

    Args:
        cells: those of x.
        typed: whether pandas chooses its type by them.
    """
    rows = range(len(cells))
    units = [f"p{n % 7}" for n in rows[:ROWS]] + ["q"] * (len(cells) - ROWS)
    plain = {"u": units, "k": ["12a"[n % 3] for n in rows], "v": [n % 5 for n in rows]}
    column = pd.Series(
        cells, dtype=None if typed and all(isinstance(x, (int, float)) for x in cells) else object
    )
    return pd.DataFrame({**plain, "x": column})


IN_FORMS = {f"{name} in forms": name for name in ("sav", "dta by pandas", "xlsx by openpyxl", "sqlite", "json lines", "orc")}  # fmt: skip


def cases() -> Iterator[tuple[str, str, object]]:
    """Each program, each kind of column, and each cell that one row more may hold there."""
    for name in (*FILES, *IN_FORMS):
        for kind in USUAL:
            for cell in MORE[_KIND.get(kind, "numbers")]:
                yield name, kind, cell


def difference(name: str, kind: str, cell: object, role: str) -> str | None:
    """What is wrong between a file of ordinary rows and a file with one row more."""
    stem = "forms" if name in IN_FORMS else "t"
    name = IN_FORMS.get(name, name)
    usual = [USUAL[kind][n % 4] for n in range(ROWS)]
    outcomes = []
    for cells in (usual, [*usual, cell]):
        with tempfile.TemporaryDirectory() as folder:
            try:
                typed = name not in (*other_files.BY_CELL, "fixed width")  # 1.0 is no 1 as text
                path = written(name, frame_of(cells, typed=typed), Path(folder), stem)
            except Exception:
                return None  # no program writes such a file
            outcomes.append(outcome(path, role))
    if name not in other_files.TYPED and not outcomes[0][0].startswith("answered"):
        return f"{outcomes[0][0]}, though it is declared"
    return wrong(*outcomes)


def program_files(share: Share) -> Iterator[Found]:
    """Each of these in each role: alike, and within what is declared."""
    for name, kind, cell in cases():
        for role in ROLES:
            case = f"{name}, {kind} as {role}, {_said(cell)}"
            if share.has(case):
                what = difference(name, kind, cell, role)
                if what:
                    yield Found("P5", case, what)
