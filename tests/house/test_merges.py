"""Record 148 says of each file that was to be merged and stands why it does."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "docs" / "decisions" / "0148-files-left-apart-and-files-that-came.md"
ROW = re.compile(r"^\| `([\w/]+\.py)` \| `([\w/]+\.py)` \| (.+) \|$", re.MULTILINE)
TOGETHER = re.compile(r"together (\d+) lines")
MOST = 500  # lines of a file, as in tools/house.py


def left_apart():
    return ROW.findall(RECORD.read_text("utf-8"))


def lines(name):
    return len((ROOT / "src" / "discreet" / name).read_text("utf-8").splitlines())


def test_each_file_that_is_left_apart_stands_with_a_reason():
    """A row of a file that is gone, or merged, is stale."""
    rows = left_apart()

    assert len(rows) == 21
    assert len({file for file, _, _ in rows}) == 21
    assert all(lines(file) and lines(into) for file, into, _ in rows)
    assert all(why.strip() for _, _, why in rows)


def test_what_is_too_long_to_be_one_file_is():
    """The reason holds today; two files that shrink under the limit are to be one."""
    long = [(file, into) for file, into, why in left_apart() if TOGETHER.search(why)]

    assert len(long) == 5
    assert all(lines(file) + lines(into) > MOST for file, into in long)
