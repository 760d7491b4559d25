"""A file is read whole or not at all: no device, no pipe, no byte beyond the limit."""

import os

import pytest

from discreet.document.regular import RefusedFile, csv_blocks, regular, why_not
from discreet.document.rows import laid_out
from discreet.document.tidy import Tidy


@pytest.mark.parametrize("size", [0, 1, 99, 100])
def test_a_file_up_to_the_limit_is_read_whole(size, tmp_path):
    """Through a link, too."""
    (tmp_path / "a").write_bytes(b"x" * size)
    (tmp_path / "link").symlink_to("a")

    assert regular(tmp_path / "link", 100) == b"x" * size


@pytest.mark.parametrize("size", [101, 2**40])
def test_a_longer_one_is_refused(size, tmp_path):
    """By its length alone, without reading it."""
    with open(tmp_path / "a", "wb") as file:
        file.truncate(size)

    with pytest.raises(RefusedFile, match="longer than 100 bytes"):
        regular(tmp_path / "a", 100)


def test_what_has_no_end_is_no_file(tmp_path):
    """A device; and a pipe, which is not waited for."""
    os.mkfifo(tmp_path / "pipe")

    for path in (tmp_path / "pipe", os.devnull, "/dev/zero"):
        with pytest.raises(RefusedFile, match="a device or a pipe"):
            regular(path, 100)


@pytest.mark.parametrize("name", ["nowhere", ".", "a\0b", "x" * 5_000])
def test_what_the_system_refuses_is_told_in_its_words(name, tmp_path):
    """As a clause."""
    with pytest.raises((OSError, ValueError)) as caught:
        regular(tmp_path / name, 100)
    assert why_not(caught.value).startswith("the operating system says: ")
    assert why_not(RefusedFile("it is too blue")) == "it is too blue"


@pytest.mark.parametrize("text", ["a", "", "=1+1", "'", "''=1", 'a"b', "a;=b", "a\nb", "\u200b-1"])
def test_a_column_of_one_text_is_written_as_beside_others(text):
    """It is guarded once for all its rows; `None` beside it ends that way, and stays apart."""
    alone, mixed, gaps = (
        "".join(csv_blocks(Tidy("t", ("a", "b"), ("text", "whole"), [(x, 1) for x in column])))
        for column in ([text] * 3, [text, text, text, "other"], [text, None, text])
    )
    head, *rows = alone.split(",1\r\n")

    assert mixed == alone + '"other",1\r\n'
    assert rows == [rows[0], rows[0], ""]
    assert gaps == f'{head},1\r\n"",1\r\n{rows[0]},1\r\n'


def test_columns_of_different_lengths_are_not_laid_out():
    """Neither the shorter nor the longer one is cut."""
    for other in ([1], [1, 2, 3]):
        with pytest.raises(ValueError, match="size"):
            laid_out([[1, 2], other], ",")
