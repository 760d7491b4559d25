"""Batches of columns on their way into an engine: Arrow's C stream interface, from Python's side.

An engine that reads the Arrow stream interface pulls batches from here one by one, so that a file
is never in memory as a whole. It is written with `ctypes` because a stream that is made lazily
needs callbacks, which no small package gives; the layout is Arrow's own, which does not change.

Rules of this module:
- columns of text and of truth values, nothing else; what their bytes mean is not asked here;
- memory that was handed out stays alive until the engine gives it back;
- an error while batches are made ends the stream with a number; its words stay here.

Source: https://arrow.apache.org/docs/format/CStreamInterface.html
"""

import ctypes
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

_NULLABLE = 2
_FAILED = 5  # EIO
_ROW = b"+s"  # a table is a column of rows


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A column of text.

    Attributes:
        valid: bool, one a row; False where the text is missing.
        views: uint32, 4 a row: the length; then the text if it has at most 12 bytes, else its first
            four, a 0, and where in `data` it begins.
        data: uint8, UTF-8.
    """

    valid: NDArray[np.bool_]
    views: NDArray[np.uint32]
    data: NDArray[np.uint8]

    def buffers(self) -> list[NDArray[Any]]:
        """Return what Arrow's layout of views consists of."""
        sizes = np.array([len(self.data)], dtype=np.int64)
        return [np.packbits(self.valid, bitorder="little"), self.views, self.data, sizes]


@dataclass(frozen=True, slots=True, eq=False)
class Flags:
    """A column of truth values, none missing."""

    values: NDArray[np.bool_]

    def buffers(self) -> list[NDArray[Any]]:
        """Return what Arrow's layout of bits consists of."""
        every = np.full((len(self.values) + 7) // 8, 255, dtype=np.uint8)
        return [every, np.packbits(self.values, bitorder="little")]


FORMATS = {Texts: b"vu", Flags: b"b"}


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some rows: how many, and their columns."""

    length: int
    columns: tuple[Texts | Flags, ...]


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_EndSchema = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))
_EndArray = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))
_EndStream = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))
_GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))
_GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))
_GetError = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))

_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", _EndSchema),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", _EndArray),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", _GetSchema),
    ("get_next", _GetNext),
    ("get_last_error", _GetError),
    ("release", _EndStream),
    ("private_data", ctypes.c_void_p),
]

_numbers = count(1)
_lent: dict[int, object] = {}  # what an engine holds, by the number that it gives back


def _lend(*kept: object) -> int:
    number = next(_numbers)
    _lent[number] = kept
    return number


def _schema_ended(schema: Any) -> None:
    _lent.pop(schema.contents.private_data or 0, None)
    schema.contents.release = _EndSchema()


def _array_ended(array: Any) -> None:
    _lent.pop(array.contents.private_data or 0, None)
    array.contents.release = _EndArray()


def _stream_ended(stream: Any) -> None:
    _lent.pop(stream.contents.private_data or 0, None)
    stream.contents.release = _EndStream()


_end_schema, _end_array = _EndSchema(_schema_ended), _EndArray(_array_ended)
_end_stream = _EndStream(_stream_ended)


@dataclass(frozen=True, slots=True, eq=False)
class BatchStream:
    """A table whose batches are made anew for each scan.

    Attributes:
        columns: the name of each column, and what it holds.
        batches: makes the batches of one scan.
    """

    columns: Mapping[str, type[Texts | Flags]]
    batches: Callable[[], Iterator[Batch]]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return a new stream as a capsule; the schema that is wished for is not looked at."""
        del requested_schema
        batches = self.batches()
        formats = {name.encode(): FORMATS[kind] for name, kind in self.columns.items()}

        def get_schema(_stream: Any, out: Any) -> int:
            return _done(lambda: _fill_schema(out.contents, formats))

        def get_next(_stream: Any, out: Any) -> int:
            return _done(lambda: _fill_next(out, batches))

        stream = _Stream(
            _GetSchema(get_schema), _GetNext(get_next), _GetError(lambda _stream: None), _end_stream
        )
        stream.private_data = _lend(stream)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = (
            ctypes.py_object,
            [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
        )
        return new(ctypes.addressof(stream), b"arrow_array_stream", None)


def _done(fill: Callable[[], None]) -> int:
    """Return 0, or that it failed: whatever is raised would be taken for the end of the data."""
    try:
        fill()
    except BaseException:  # noqa: BLE001 - its words may quote the data
        return _FAILED
    return 0


def _fill_next(out: Any, batches: Iterator[Batch]) -> None:
    batch = next(batches, None)
    ctypes.memset(out, 0, ctypes.sizeof(_Array))  # without a release: the end
    if batch is not None:
        _fill_array(out.contents, batch)


def _fill_schema(out: Any, formats: Mapping[bytes, bytes]) -> None:
    parts = [
        _Schema(format=kind, name=name, flags=_NULLABLE, release=_end_schema)
        for name, kind in formats.items()
    ]
    children = (ctypes.POINTER(_Schema) * len(parts))(*map(ctypes.pointer, parts))
    ctypes.memset(ctypes.addressof(out), 0, ctypes.sizeof(_Schema))
    out.format, out.name, out.n_children, out.children = _ROW, b"", len(parts), children
    out.private_data = _lend(parts, children, formats)
    out.release = _end_schema


def _fill_array(out: Any, batch: Batch) -> None:
    parts, kept = [], []
    for column in batch.columns:
        buffers = [np.ascontiguousarray(part) for part in column.buffers()]
        pointers = (ctypes.c_void_p * len(buffers))(*(part.ctypes.data for part in buffers))
        parts.append(
            _Array(
                length=batch.length,
                null_count=-1,
                n_buffers=len(buffers),
                buffers=pointers,
                release=_end_array,
            )
        )
        kept.append((buffers, pointers))
    children = (ctypes.POINTER(_Array) * len(parts))(*map(ctypes.pointer, parts))
    nothing = (ctypes.c_void_p * 1)()
    out.length, out.n_buffers, out.n_children = batch.length, 1, len(parts)
    out.buffers, out.children = nothing, children
    out.private_data = _lend(parts, children, nothing, kept)
    out.release = _end_array
