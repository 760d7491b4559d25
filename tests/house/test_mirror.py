"""Where a unit test lies says what it tests: `tests/unit/<room>/test_<file>.py`.

What a file does in more than one way may have more than one file of tests, `test_<file>_<what>.py`.
Tests of claims, pages and the house lie in `tests/house`.
"""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNIT, SOURCE = ROOT / "tests" / "unit", ROOT / "src" / "discreet"
APART: dict[str, str] = {}  # what bears no name of its room, and why
MOST_APART = 0  # lower it whenever it falls


def misplaced(unit, source):
    """Return the tests that no file of their room has given its name, and rooms that are no packages."""
    for path in sorted(unit.rglob("test_*.py")):
        room = source / path.relative_to(unit).parent
        names = {file.stem for file in room.glob("*.py")} - {"__init__"}
        mine = path.stem.removeprefix("test_")
        if not any(mine == name or mine.startswith(f"{name}_") for name in names):
            yield path.relative_to(unit).as_posix()
        if not (path.parent / "__init__.py").exists():  # or two files of one name were one module
            yield f"{path.parent.relative_to(unit).as_posix()}/__init__.py"


def test_each_unit_test_bears_the_name_of_a_file_in_its_room():
    assert {*misplaced(UNIT, SOURCE)} == {*APART}
    assert all(APART.values())
    assert len(APART) <= MOST_APART


@pytest.mark.parametrize(
    ("test", "is_right"),
    [
        ("test_fix.py", True),
        ("ledgers/test_book.py", True),
        ("ledgers/test_book_chain.py", True),
        ("test_book.py", False),
        ("ledgers/test_bookish.py", False),
        ("ledgers/test_chain.py", False),
        ("rooms/test_book.py", False),
    ],
)
def test_a_test_in_another_place_is_seen(test, is_right, tmp_path):
    """The check has power."""
    for name in (
        "unit/__init__.py",
        "unit/ledgers/__init__.py",
        "unit/rooms/__init__.py",
        f"unit/{test}",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for name in ("fix.py", "ledgers/book.py"):
        (tmp_path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / name).touch()

    assert ([*misplaced(tmp_path / "unit", tmp_path / "src")] == []) == is_right


def test_a_room_that_is_no_package_is_seen(tmp_path):
    for name in ("unit/ledgers/test_book.py", "src/ledgers/book.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()

    assert [*misplaced(tmp_path / "unit", tmp_path / "src")] == ["ledgers/__init__.py"]
