"""Lines of CSV: cut by us, and once more by plain Python, letter by letter."""

import random

import pytest

from discreet.aggregate import Aggregate
from discreet.engine.csv import cut, lines
from discreet.engine.duckdb.connect import opened
from discreet.schema import CsvOptions, table
from discreet.schema.csv_options import csv_options
from discreet.statistic.count import count

NAMES = ["a", "b", "c", "d"]
LETTERS = [b'a,"\n', b"ab,;\t\"'\r\n\x1a\x1f\x00 ", b'a,"\r\n\xff\xc3\xa9\xef\xbf\xbd NA']
CELLS = [
    "a",
    "",
    '"x"',
    '"a,b"',
    '""""',
    "NA",
    " b ",
    "12345678901234567",
    '"\n"',
    "é",
    "\x1a",
    "''",
]
OPTIONS = [
    {}, {"quote": "'"}, {"quote": ""}, {"missing": []}, {"missing": ["", "NA"]}, {"trim": True},
    {"trim": True, "quote": "'"}, {"multiline": True}, {"multiline": True, "missing": ["NA"]},
]  # fmt: skip


def rows_of(text: str, end: str, csv: CsvOptions) -> list[str]:
    """The rows: lines, or what quotation marks hold together."""
    if not csv.multiline:
        found = text.split(end)
        return found[:-1] if found[-1] == "" else found
    found, start, place, is_open = [], 0, 0, False
    while place < len(text):
        is_open ^= text[place] == csv.quote
        if not is_open and text.startswith(end, place):
            found.append(text[start:place])
            start = place = place + len(end)
        else:
            place += 1
    return [*found, text[start:]] if start < len(text) else found


def cells_of(row: str, separator: str, csv: CsvOptions) -> list[str] | None:
    """The cells of a row, read from the left; None if one leaves a quotation mark open.

    A mark that begins a cell opens it, and the next one that is not doubled closes it; any other is
    a letter. In rows of several lines, and where blanks are trimmed, any mark opens and closes.
    """
    found, is_open, place, quote = [""], False, 0, csv.quote
    while place < len(row):
        letter = row[place]
        if csv.multiline or csv.trim:
            is_open ^= letter == quote
        elif letter == quote and is_open and row[place + 1 : place + 2] == quote:
            found[-1] += letter
            place += 1
        elif letter == quote and (is_open or not found[-1]):
            is_open = not is_open
        if letter == separator and not is_open:
            found.append("")
        else:
            found[-1] += letter
        place += 1
    return None if is_open else found


def said(cell: str, csv: CsvOptions) -> str | None:
    """What a cell says."""
    cell = cell.strip(" \t") if csv.trim else cell
    quote = csv.quote
    if quote and len(cell) > 1 and cell[0] == cell[-1] == quote:
        cell = cell[1:-1].replace(2 * quote, quote)
    return None if cell in csv.missing or "\x1a" in cell or "\ufffd" in cell else cell


def plainly(data: bytes, separator: str, end: str, csv: CsvOptions, longest: int) -> list[tuple]:
    """The rows of a file without its header."""
    found = []
    for line in rows_of(data.decode("utf-8", "replace"), end, csv):
        row = line.removesuffix("\r") if end == "\n" else line
        if not row or len(row.encode()) > longest:
            continue
        cells = cells_of(row, separator, csv)
        if cells is not None and len(cells) == len(NAMES):
            found.append(tuple(said(cell, csv) for cell in cells))
    return found


def ours(path, csv: CsvOptions) -> list[tuple]:
    """The rows, through the header, the blocks, the stream and the query."""
    found = table(path, unit="row", keys={name: ["a"] for name in NAMES}, csv=csv.plain())
    asked: tuple[Aggregate, ...] = tuple(a for n in NAMES for a in count(n).aggregates(found))
    source = opened(found, asked)
    try:
        source.hand_over()
        cells = ", ".join(source.cell("value", name).sql(dialect="duckdb") for name in NAMES)
        query = f"SELECT {cells} FROM (SELECT * FROM {source.table.sql(dialect='duckdb')}) AS s"
        return source.connection.execute(query).fetchall()
    finally:
        source.close()


def random_file(rnd: random.Random) -> tuple[bytes, str, str, CsvOptions]:
    end, separator = rnd.choice(["\n", "\r\n"]), rnd.choice([",", ";", "\t"])
    csv = csv_options({**rnd.choice(OPTIONS), "separator": separator})
    if rnd.random() < 0.4:
        letters = rnd.choice(LETTERS)
        return bytes(rnd.choice(letters) for _ in range(rnd.randint(0, 60))), separator, end, csv
    lines = [
        separator.join(rnd.choice(CELLS) for _ in range(rnd.choice([4, 4, 4, 3, 5])))
        for _ in range(rnd.randint(0, 8))
    ]
    return (end.join(lines) + rnd.choice(["", end])).encode(), separator, end, csv


@pytest.mark.exhaustive("lines of CSV")
@pytest.mark.claim("C39")
@pytest.mark.parametrize("part", range(8))
def test_lines_are_cut_as_letter_by_letter(part, tmp_path, monkeypatch):
    """80 random files each, in blocks of any size, with lines that are too long among them."""
    rnd = random.Random(part)
    for _ in range(80):
        data, separator, end, csv = random_file(rnd)
        longest = rnd.choice([7, 20, 2_000_000])
        monkeypatch.setattr(lines, "_BLOCK", rnd.choice([1, 2, 3, 7, 64, 1 << 18]))
        for module in (lines, cut):
            monkeypatch.setattr(module, "LONGEST", longest)
        path = tmp_path / "a.csv"
        path.write_bytes((separator.join(NAMES) + end).encode() + data)

        assert ours(path, csv) == plainly(data, separator, end, csv, longest), data


ENDS = {"LF": b"\n", "CR LF": b"\r\n"}
DAMAGE = {
    "an open quote": b'A,"1',
    "a quote alone": b'"',
    "a carriage return": b"A\rA,1",
    "two of them": b"A,1\r\r",
    "a cell too few": b"A",
    "cells too many": b"A,1,1,1",
    "nothing": b"",
    "no text": b"\xff\xfe,\xff",
    "a NUL": b"\x00,\x00",
    "three million letters": b"A" * 3_000_000,
    "three million quotes": b'"' * 3_000_001,
}


@pytest.mark.exhaustive("lines of CSV")
@pytest.mark.claim("C39")
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("line", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_line_costs_itself_alone(line, end, tmp_path):
    """P0b: wherever it stands, all other rows are there."""
    good = [b"A,1"] * 20
    for place in (0, 10, 20):
        path = tmp_path / "a.csv"
        path.write_bytes(end.join([b"a,b", *good[:place], line, *good[place:], b""]))
        found = table(path, unit="row", keys={"a": ["A"]})
        source = opened(found, count("a").aggregates(found))
        source.hand_over()
        query = f"SELECT count(*) FROM {source.table.sql(dialect='duckdb')} WHERE x0 = 'A'"

        assert source.connection.execute(query).fetchall() in ([(20,)], [(21,)])
        source.close()


@pytest.mark.exhaustive("lines of CSV")
@pytest.mark.claim("C39")
@pytest.mark.parametrize("block", [1, 7, 32, 33, 34, 35, 64])
@pytest.mark.parametrize("tail", [b"\n" + b"u0,B", b"\r\nu0,B"])
def test_a_line_that_is_cut_ends_no_row_of_its_own(tail, block, tmp_path, monkeypatch):
    """CR LF: what is left of a line that is too long must not meet a line feed further on."""
    monkeypatch.setattr(lines, "LONGEST", 10)
    monkeypatch.setattr(cut, "LONGEST", 10)
    monkeypatch.setattr(lines, "_BLOCK", block)
    for length in range(20, 50):
        long = b"x" * length + b"\r" + b"y" * 9
        path = tmp_path / "a.csv"
        path.write_bytes(b"a,b\r\np,A\r\n" + long + tail + b"\r\np,A\r\n")
        found = table(path, unit="row", keys={"b": ["A", "B"]})
        source = opened(found, count("b").aggregates(found))
        source.hand_over()
        query = f"SELECT x0 FROM {source.table.sql(dialect='duckdb')} ORDER BY x0"
        rows = [row[0] for row in source.connection.execute(query).fetchall()]
        source.close()

        assert rows == (["A", "A", "B"] if tail.startswith(b"\r") else ["A", "A"])


@pytest.mark.claim("C351")
@pytest.mark.parametrize("last", ["d", '"d"', '"d, ""x"""'])
@pytest.mark.parametrize("how", [{}, {"trim": True}, {"multiline": True}, {"quote": ""}])
def test_lines_in_cr_lf_among_those_in_lf_are_read_as_these(how, last, tmp_path):
    """With the last line, too, whose LF is not there; alone, a carriage return is a letter."""
    csv, path = csv_options(how), tmp_path / "a.csv"
    row = f"1,2,3,{last}"
    ends = ("\n", "\r\n", "\n", "\r\n", "\r")
    path.write_bytes("".join([f"{','.join(NAMES)}\n", *(row + end for end in ends)]).encode())
    alone = tmp_path / "b.csv"
    alone.write_bytes(f"{','.join(NAMES)}\n{row}\n".encode())

    assert ours(path, csv) == ours(alone, csv) * len(ends)
    path.write_bytes(f"{','.join(NAMES)}\n1,2,a\rb,4\n".encode())
    assert ours(path, csv) == [("1", "2", "a\rb", "4")]


@pytest.mark.claim("C351")
@pytest.mark.exhaustive("lines of CSV")
@pytest.mark.parametrize("part", range(12))
def test_one_line_of_any_bytes_changes_no_other_row(part, tmp_path, monkeypatch):
    """20 files each, with all line ends in them: one line more, anywhere, is itself alone."""
    rnd = random.Random(100 + part)
    letters = b'a,"\r\n\xff\x1a;'
    for _ in range(20):
        monkeypatch.setattr(lines, "_BLOCK", rnd.choice([1, 2, 3, 7, 64, 1 << 18]))
        end = rnd.choice([b"\n", b"\r\n"])
        csv = csv_options({"separator": ",", **rnd.choice([{}, {"quote": ""}, {"trim": True}])})
        texts = [bytes(rnd.choices(letters, k=rnd.randint(0, 12))) for _ in range(3)]
        texts += [f"{n},b,c,d".encode() + rnd.choice([b"", b"\r"]) for n in range(3)]
        texts.append(bytes(rnd.choices(letters, k=9)))
        more, *wanted = (text.replace(end, b"_") for text in rnd.sample(texts, len(texts)))
        read = []
        for listed in (wanted, [more], [*wanted[:2], more, *wanted[2:]]):
            (path := tmp_path / "a.csv").write_bytes(
                end.join([",".join(NAMES).encode(), *listed, b""])
            )
            read.append(ours(path, csv))
        before, own, after = (sorted(map(str, rows)) for rows in read)

        assert after == sorted(before + own), (wanted, more)


@pytest.mark.claim("C245")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_mark_that_begins_no_cell_is_a_letter(end, tmp_path):
    """As four other readers have it: the row is read, and no other line is another one for it."""
    lines = [
        ('1,2,3,5" pipe', ("1", "2", "3", '5" pipe')),
        ('6" pipe,8" pipe,x,y', ('6" pipe', '8" pipe', "x", "y")),
        ('a 5",b,c,d', ('a 5"', "b", "c", "d")),
        ('"a, 5""",b,c,d', ('a, 5"', "b", "c", "d")),
        ('a,"b",c",d', ("a", "b", 'c"', "d")),
        ('"open,b,c,d', None),
        ('a,b,c,"d', None),
        ("w,x,y,z", ("w", "x", "y", "z")),
    ]
    path = tmp_path / "a.csv"
    path.write_bytes(end.join([",".join(NAMES), *(line for line, _ in lines), ""]).encode())

    assert ours(path, CsvOptions()) == [row for _, row in lines if row is not None]


def test_the_comparison_sees_a_planted_fault(tmp_path, monkeypatch):
    """It has power: where quotation marks are not looked at, files differ."""
    monkeypatch.setattr(cut, "is_quoted", lambda data, _quote: data * 0)
    monkeypatch.setattr(cut, "_read_again", lambda *parts: parts[3])
    rnd = random.Random(0)
    differ = 0
    for _ in range(60):
        data, separator, end, csv = random_file(rnd)
        path = tmp_path / "a.csv"
        path.write_bytes((separator.join(NAMES) + end).encode() + data)
        differ += ours(path, csv) != plainly(data, separator, end, csv, 2_000_000)

    assert differ > 3
