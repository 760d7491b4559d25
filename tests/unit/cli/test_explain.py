"""`discreet explain` explains a kind of error, lists them, and names those that are near."""

import json
import os
import pty
import sys
from contextlib import suppress

import pytest

from discreet.cli.cli import main
from discreet.cli.explain import explanations


def test_a_kind_is_explained_with_its_example(capsys):
    """Paragraphs fill the line, code is set in, and links say their pages."""
    assert main(["explain", "Unit_Unclear"]) == 0

    text = capsys.readouterr().out
    assert text.startswith("unit-unclear\n\ndiscreet must know who is protected")
    assert '\n    dp.table("people.csv", unit="persons")\n' in text
    assert "(docs/unit-bounds-keys.md)" in " ".join(text.split())
    assert max(map(len, text.split("\n"))) <= 100
    assert "`" not in text


def test_all_kinds_are_listed_by_chapter(capsys):
    """Without a kind; under --json as one list."""
    assert main(["explain"]) == 0
    text = capsys.readouterr().out
    assert main(["explain", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)

    assert answer["kinds"] == [*explanations()]
    assert all(kind in text for kind in answer["kinds"])
    assert "Ledgers\n  over-budget, " in text


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("bound-missing", "bounds-missing"),
        ("overbudget", "over-budget"),
        ("budget", "over-budget"),
        ("delta", "delta-missing"),
    ],
)
def test_an_unknown_kind_names_those_near_it(typed, near, capsys):
    """As a refusal, which has a kind itself."""
    assert main(["explain", typed, "--json"]) == 2

    answer = json.loads(capsys.readouterr().out)
    assert answer["kind"] == "unknown-choice"
    assert answer["fix"] == f"type: discreet explain {near}"


def test_a_kind_like_none_is_sent_to_the_list(capsys):
    """It names nothing that it does not resemble."""
    assert main(["explain", "zzzzz"]) == 2
    assert capsys.readouterr().err.endswith("fix: type: discreet explain\n")


@pytest.mark.claim("C553")
def test_a_failure_has_three_lines_and_its_kind_stands_in_the_object(capsys, tmp_path):
    """In a pipe nothing is added; a program reads the kind."""
    missing = str(tmp_path / "none.toml")

    assert main(["plan", missing]) == 2
    assert len(capsys.readouterr().err.strip().split("\n")) == 3
    assert main(["plan", missing, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["kind"] == "no-such-file"


@pytest.mark.claim("C553")
def test_a_terminal_is_told_how_to_have_it_explained(monkeypatch, tmp_path):
    """A fourth line, on a terminal alone."""
    parent, child = pty.openpty()
    with os.fdopen(child, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        assert main(["plan", str(tmp_path / "none.toml")]) == 2
    written = b""
    with suppress(OSError):  # its end, once the other side is closed; a read brings a part
        while part := os.read(parent, 10_000):
            written += part
    os.close(parent)

    assert written.decode().rstrip().endswith("more: discreet explain no-such-file")
