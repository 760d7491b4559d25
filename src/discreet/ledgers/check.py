"""What a ledger file must look like, to the byte.

Rules of this module:
- it reads bytes that SQLite handed out, and never opens the file: closing a second handle would
  drop the locks of this whole process;
- every byte of the file is either made again from the entries and compared, or must be zero;
- nothing here writes.

One place carries no content and is not compared: once a table is three levels deep, which takes
some 10,000 entries, the free space of its inner pages, where SQLite leaves old page numbers.
`blind_bytes` counts it.

Source: the file format at sqlite.org/fileformat2.html. The book only ever appends, so each page is
filled from its end without gaps, and the list of free pages stays empty.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

Value = int | str | bytes | None
Part = tuple[int, int]  # of the file: where bytes of a record begin and end
Row = tuple[int, list[Part]]  # the row's number and where its bytes lie

PAGE_SIZE = 8192  # the least in which the first page holds the tables and triggers whole
_LOCK_PAGE = 0x40000000 // PAGE_SIZE + 1  # SQLite keeps this page for locks, unused
_LEAF, _INNER = 13, 5
_MIN_LOCAL = (PAGE_SIZE - 12) * 32 // 255 - 23


@dataclass(frozen=True, slots=True)
class Padded:
    """A stored row that ends in zeros: a room is mostly empty, and may be long."""

    content: bytes
    zeros: int


Record = tuple[int, bytes] | tuple[int, Padded]  # the row's number and its stored bytes


class _Unsound(Exception):  # noqa: N818 - it is a finding, which never leaves this module
    """The file cannot be followed any further."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The numbers in the file's header that belong to our layout.

    Args:
        application: the number that marks a file as a ledger.
        version: the version of the layout.
        schema: how many statements made the layout.
        writes: how many transactions have written, each of them known.
    """

    application: int
    version: int
    schema: int
    writes: int


def faults_of_image(
    image: bytes, marks: Marks, tables: Sequence[tuple[int, Sequence[Record]]]
) -> list[str]:
    """Return what is wrong with the bytes of a ledger file, as sentences.

    Args:
        image: the whole file.
        marks: what its header must say.
        tables: for each table its root page and the records it must hold, in order.
    """
    problems = list(_header_faults(image, marks))
    seen: set[int] = set()
    if len(image) % PAGE_SIZE:
        return [*problems, "the file does not end with a page"]
    try:
        for root, records in tables:
            rows = zip_longest(_walk(image, root, 0, seen), records)
            if {_is_record(image, row, expected) for row, expected in rows} - {True}:  # all seen
                problems.append(f"the table at page {root} holds other bytes than its entries")
    except (_Unsound, IndexError) as error:
        return [*problems, str(error) or "a page points outside itself"]
    unused = set(range(1, len(image) // PAGE_SIZE + 1)) - seen - {_LOCK_PAGE}
    return problems + [f"page {page} belongs to nothing" for page in sorted(unused)[:9]]


def _is_record(image: bytes, row: Row | None, expected: Record | None) -> bool:
    """Tell whether a row holds a record, without a copy of either."""
    if row is None or expected is None or row[0] != expected[0]:
        return False
    record_ = expected[1]
    content, zeros = (
        (record_, 0) if isinstance(record_, bytes) else (record_.content, record_.zeros)
    )
    at = 0
    for start, end in row[1]:
        part = content[at : at + end - start]
        if image[start:end] != part.ljust(end - start, b"\0"):
            return False
        at += end - start
    return at == len(content) + zeros


def blind_bytes(image: bytes, roots: Sequence[int]) -> int:
    """Return how many bytes of a sound file are not compared, because they carry no content.

    Args:
        image: the whole file.
        roots: the root page of each table.
    """
    blind, pages = 0, [(root, 0) for root in roots]
    while pages:
        page, depth = pages.pop()
        start, head = (page - 1) * PAGE_SIZE, 100 if page == 1 else 0
        content = image[start : start + PAGE_SIZE]
        if content[head] != _INNER:
            continue
        count = _number(content, head + 3, 2)
        cells = [_number(content, head + 12 + 2 * index, 2) for index in range(count)]
        below = [_number(content, cell, 4) for cell in cells]
        pages += [(child, depth + 1) for child in (*below, _number(content, head + 8, 4))]
        used = sum(4 + _read_varint(content, cell + 4)[1] for cell in cells)
        blind += bool(depth) * (PAGE_SIZE - head - 12 - 2 * count - used)
    return blind


def last_writer(image: bytes) -> int:
    """Return the version number of the SQLite library that wrote last, by the file's header."""
    return _number(image, 96, 4)


def record(values: Sequence[Value]) -> bytes:
    """Return the bytes in which SQLite stores a row.

    Example:
        >>> record([None, 7, "ab"]).hex()
        '04000111076162'
    """
    types, bodies = zip(*map(_encoded, values), strict=True)
    listed = b"".join(map(_varint, types))
    size = len(listed) + 1
    if size > 127:
        raise ValueError("a row of the ledger has few columns")
    return _varint(size) + listed + b"".join(bodies)


def padded(body: bytes, room: int) -> Padded:
    """Return the bytes in which SQLite stores a room: a gap, and an answer with zeros behind it.

    Example:
        >>> padded(b"ab", 4)
        Padded(content=b'\\x03\\x00\\x14ab', zeros=2)
    """
    listed = _varint(0) + _varint(12 + 2 * room)
    return Padded(_varint(len(listed) + 1) + listed + body, room - len(body))


def _encoded(value: Value) -> tuple[int, bytes]:
    if value is None:
        return 0, b""
    if isinstance(value, bytes):
        return 12 + 2 * len(value), value
    if isinstance(value, str):
        text = value.encode()
        return 13 + 2 * len(text), text
    if value in (0, 1):
        return 8 + value, b""
    for kind, size in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (6, 8)):
        if -(1 << (8 * size - 1)) <= value < 1 << (8 * size - 1):
            return kind, value.to_bytes(size, "big", signed=True)
    raise ValueError("a number in the ledger has at most 64 bits")


def _header_faults(image: bytes, marks: Marks) -> Iterator[str]:
    """Compare the first hundred bytes of the file; the last four are compared with a record."""
    expected = b"".join(
        (
            b"SQLite format 3\0",
            (PAGE_SIZE % 65535).to_bytes(2, "big"),  # 65536 is written as 1
            bytes((1, 1, 0, 64, 32, 32)),
            _four(marks.writes, len(image) // PAGE_SIZE, 0, 0, marks.schema, 4, 0, 0, 1),
            _four(marks.version, 0, marks.application),
            bytes(20),
            _four(marks.writes),
        )
    )
    writes = _number(image, 24, 4)
    if writes != marks.writes or writes != _number(image, 92, 4):
        yield (
            f"the file was written {writes} times, its entries account for {marks.writes}: "
            "something else wrote into it, or took entries away"
        )
    elif image[:96] != expected:
        yield "the first hundred bytes of the file were changed"


def _walk(image: bytes, page: int, depth: int, seen: set[int]) -> Iterator[Row]:
    """Yield the records of a table in order, and refuse any byte that is not accounted for."""
    start = _claim(image, page, seen)
    content = image[start : start + PAGE_SIZE]
    head = 100 if page == 1 else 0
    inner = content[head] == _INNER
    if content[head] not in (_LEAF, _INNER) or depth > 8:
        raise _Unsound(f"page {page} is not a page of a table")
    count = _number(content, head + 3, 2)
    listed = head + (12 if inner else 8)
    cells = [_number(content, listed + 2 * index, 2) for index in range(count)]
    first = _number(content, head + 5, 2) or PAGE_SIZE
    if inner:
        yield from _walk_inner(image, (page, depth), cells, seen)
        used = [(cell, cell + 4 + _read_varint(content, cell + 4)[1]) for cell in cells]
    else:
        used = []
        for cell in cells:
            row, parts, end = _cell(image, page, cell, seen)
            used.append((cell, end))
            yield row, parts
    if not (inner and depth):
        _refuse_gaps(content, page, (head, listed + 2 * count, first), sorted(used))


def _walk_inner(
    image: bytes, place: tuple[int, int], cells: Sequence[int], seen: set[int]
) -> Iterator[Row]:
    page, depth = place
    start = (page - 1) * PAGE_SIZE
    for cell in cells:
        last = 0
        for row, parts in _walk(image, _number(image, start + cell, 4), depth + 1, seen):
            last = row
            yield row, parts
        if last != _read_varint(image, start + cell + 4)[0]:
            raise _Unsound(f"page {page} divides its rows at another place than they are")
    head = 100 if page == 1 else 0
    yield from _walk(image, _number(image, start + head + 8, 4), depth + 1, seen)


def _cell(image: bytes, page: int, cell: int, seen: set[int]) -> tuple[int, list[Part], int]:
    """Return a leaf cell's row number, where its record lies, and where it ends in its page."""
    start = (page - 1) * PAGE_SIZE
    size, used = _read_varint(image, start + cell)
    row, more = _read_varint(image, start + cell + used)
    if _varint(size) + _varint(row) != image[start + cell : start + cell + used + more]:
        raise _Unsound(f"page {page} writes a number in an unusual way")
    at = cell + used + more
    if size <= PAGE_SIZE - 35:
        return row, [(start + at, start + at + size)], at + size
    local = _MIN_LOCAL + (size - _MIN_LOCAL) % (PAGE_SIZE - 4)
    if local > PAGE_SIZE - 35:
        local = _MIN_LOCAL
    here = (start + at, start + at + local)
    following = _number(image, start + at + local, 4)
    return row, [here, *_overflow(image, following, size - local, seen)], at + local + 4


def _overflow(image: bytes, page: int, size: int, seen: set[int]) -> list[Part]:
    parts = []
    while size > 0:
        start = _claim(image, page, seen)
        taken = min(size, PAGE_SIZE - 4)
        parts.append((start + 4, start + 4 + taken))
        if any(image[start + 4 + taken : start + PAGE_SIZE]):
            raise _Unsound(f"page {page} holds bytes behind its content")
        page, size = _number(image, start, 4), size - taken
    if page != 0:
        raise _Unsound(f"page {page} follows the end of a record")
    return parts


def _refuse_gaps(
    content: bytes, page: int, frame: tuple[int, int, int], used: Sequence[tuple[int, int]]
) -> None:
    """Refuse free blocks, fragments, overlaps, and anything but zeros in the free space."""
    head, free, first = frame
    edges = [first, *(end for _, end in used)]
    starts = [*(start for start, _ in used), PAGE_SIZE]
    if edges != starts or free > first or any(content[free:first]):
        raise _Unsound(f"page {page} holds bytes that belong to no entry")
    if _number(content, head + 1, 2) or content[head + 7]:
        raise _Unsound(f"page {page} lists free space that a growing book does not have")


def _claim(image: bytes, page: int, seen: set[int]) -> int:
    if page in seen or not 1 <= page <= len(image) // PAGE_SIZE:
        raise _Unsound(f"page {page} is used twice or does not exist")
    seen.add(page)
    return (page - 1) * PAGE_SIZE


def _number(content: bytes, at: int, size: int) -> int:
    return int.from_bytes(content[at : at + size], "big")


def _four(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(4, "big") for number in numbers)


def _read_varint(content: bytes, at: int) -> tuple[int, int]:
    """Return a number of SQLite's variable length, and how many bytes it takes."""
    number = 0
    for index in range(8):
        byte = content[at + index]
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            return number, index + 1
    return number << 8 | content[at + 8], 9


def _varint(number: int) -> bytes:
    if number >= 1 << 56:
        raise _Unsound("a number in the file is too large")
    parts = [number & 0x7F]
    while number := number >> 7:
        parts.append(number & 0x7F | 0x80)
    return bytes(reversed(parts))
