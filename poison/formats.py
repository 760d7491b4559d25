"""Every ending of a file that is read, and what writes such a file: tests go by it.

Rules of this module:
- the endings are those of the code that reads (`engine.files`): whoever adds one there must add
  here what writes it, or say why nothing can; `tests/engine/test_every_format.py` tries all, unasked;
- a kind has one writer here at least that goes through the harness of types (`files.FILES`).
"""

import bz2
import gzip
import json
import lzma
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from discreet.engine import files as read
from discreet.engine.formats.listed import FORMATS
from discreet.schema.fixed_width import ENDINGS as FIXED

from . import files, other_files

Write = Callable[[pd.DataFrame, Path], None]


def _plain(frame: pd.DataFrame, path: Path, separator: str) -> None:
    frame.to_csv(path, index=False, sep=separator)


def _parquet(frame: pd.DataFrame, path: Path) -> None:
    frame.to_parquet(path, engine="pyarrow")


def _feather(frame: pd.DataFrame, path: Path) -> None:
    frame.to_feather(path)


def _zst(raw: bytes) -> bytes:
    import pyarrow as pa

    return bytes(pa.Codec("zstd").compress(raw, asbytes=True))


PACKED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": _zst,
}  # fmt: skip


def _packed(frame: pd.DataFrame, path: Path, inner: str) -> None:
    """Write what stands in a packed file, and pack it."""
    plain = path.with_name(f"plain{inner}")
    WRITERS[inner](frame, plain)
    raw, ending = plain.read_bytes(), path.suffix
    plain.unlink()
    if ending == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(plain.name, raw)
    else:
        path.write_bytes(PACKED[ending](raw))


_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": ","}
_BY_KIND: dict[str, Write] = {
    "parquet": _parquet, "arrow": _feather, "orc": other_files.orc, "duckdb": other_files.duckdb_file,
    "fixed": files.fixed_width, "sqlite": other_files.sqlite(""), "avro": other_files.avro,
    "json": other_files.json_lines,
}  # fmt: skip
_BY_ENDING: dict[str, Write] = {
    **{ending: write for ending, write in files.FILES.values() if ending in (".sav", ".zsav")},
    ".dta": files.by_pandas, ".xlsx": other_files.xlsx_by_xlsxwriter, ".xls": other_files.xls,
    ".xlsm": other_files.xlsx_by_xlsxwriter, ".ods": other_files.ods,
    **{end: partial(_plain, separator=sign) for end, sign in _SEPARATORS.items()},
}  # fmt: skip
UNWRITTEN = {
    ".sas7bdat": "SAS alone writes it; pyreadstat's sample is read in test_statistical_files"
}
KINDS: dict[str, tuple[str, ...]] = {  # each kind that is read, with its endings
    "csv": read._CSV, "parquet": read._PARQUET, "arrow": read._ARROW, "orc": read._ORC,
    "duckdb": read._DUCKDB, "fixed": FIXED, **{name: form.endings for name, form in FORMATS.items()},
}  # fmt: skip
OWN_HARNESS = ("csv", "parquet", "arrow")  # whose cells other groups of poison try


def _writer(kind: str, ending: str) -> Write | None:
    last = Path(f"t{ending}").suffix
    if last == ".zip" or last in PACKED:
        return partial(_packed, inner=ending.removesuffix(last) or ".csv")
    return _BY_ENDING.get(ending) or _BY_KIND.get(kind)


WRITERS: dict[str, Write] = {}
for _kind, _endings in KINDS.items():
    for _ending in _endings:
        _found = _writer(_kind, _ending)
        if _found is not None and _ending not in UNWRITTEN:
            WRITERS[_ending] = _found


def written(ending: str, frame: pd.DataFrame, folder: Path) -> Path:
    """A file of a frame."""
    path = folder / f"t{ending}"
    WRITERS[ending](frame, path)
    return path


def layout(path: Path) -> dict[str, list[int]] | None:
    """The columns of a file of fixed width; None of all others."""
    held = path.with_suffix(".json")
    return json.loads(held.read_text()) if path.suffix in FIXED else None
