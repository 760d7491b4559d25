"""release.json: its schema, and everything that is not one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from discreet.document.check import checked_document
from discreet.document.document import document_of, json_schema
from discreet.errors import InputError
from unit.report_documents import LOSSES, hostile, small

SCHEMA = Path(__file__).parents[3] / "docs" / "release-schema.json"
Change = Callable[[dict[str, Any]], object]


def put(*path: str | int, to: Any) -> Change:
    """Return a change that sets one place of the document."""

    def change(plain: dict[str, Any]) -> None:
        inner: Any = plain
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = to

    change.__name__ = f"{'.'.join(map(str, path))}={to!r}"[:60]
    return change


def drop(*path: str | int) -> Change:
    """Return a change that removes one place of the document."""

    def change(plain: dict[str, Any]) -> None:
        inner: Any = plain
        for step in path[:-1]:
            inner = inner[step]
        del inner[path[-1]]

    change.__name__ = f"without {'.'.join(map(str, path))}"
    return change


FIELDS = tuple(small().model_dump())
FIRST: tuple[str | int, ...] = ("statistics", 0)
VECTOR: tuple[str | int, ...] = (*FIRST, "vectors", 0)
ROW: tuple[str | int, ...] = (*FIRST, "answer", "rows", 0)
MEAN: tuple[str | int, ...] = ("statistics", 3, "answer")
TABLE: tuple[str | int, ...] = ("plan", "table")
CHANGES = (
    *(drop(name) for name in FIELDS),
    put("extra", to=1),
    put("format", to="discreet-release/1"),
    put("kind", to="draft"),
    put("kind", to="rehearsal"),
    put("ledger", to=None),
    put("ledger", "seq", to="3"),
    put("ledger", "seq", to=3.0),
    drop("ledger", "hash"),
    put("software", to="discreet"),
    put("request", to=""),
    put("created", to="yesterday"),
    put("created", to="2026-01-04T09:00:00"),
    put("title", to="other"),
    put("title", to=7),
    put("digest", to="ab"),
    put("digest", to="G" * 64),
    put("alpha", to="0"),
    put("alpha", to="2/3"),
    put("alpha", to="1/0"),
    put("alpha", to=0.05),
    put("convention", to="These numbers are always right."),
    put("protection", "sentence", to="Nobody is protected."),
    put("protection", "neighbors", to="both"),
    put("protection", "unit", to=[]),
    put("protection", "loss", to={}),
    put("protection", "loss", "rho", to="1/49"),
    put("protection", "loss", "rho", to="-1"),
    put("protection", "loss", "kind", to="exec"),
    put("protection", "loss", "kind", to="pure"),
    put("plan", to={}),
    put("plan", "extra", to=1),
    drop("plan", "table"),
    put("plan", "spend", to=None),
    put(*TABLE, "name", to=None),
    put(*TABLE, "keys", "ward", to=[]),
    put(*TABLE, "keys", "ward", to=["A", "A"]),
    put(*TABLE, "keys", "ward", to=["A", 1, True]),
    put(*TABLE, "keys", "ward", to="ABC"),
    put(*TABLE, "keys", "ward", to=["A", "B", "\ud800"]),
    drop(*TABLE, "keys", "ward"),
    put(*TABLE, "columns", "cost", "upper", to="-1"),
    put(*TABLE, "columns", "cost", "step", to="0"),
    put(*TABLE, "columns", "cost", "step", to="x"),
    drop(*TABLE, "columns", "cost"),
    put(*TABLE, "unit", "max_rows", to=0),
    put(*TABLE, "neighbors", to=["add_remove"]),
    put("statistics", to=[]),
    drop("statistics", 0),
    put(*FIRST, "label", to="another"),
    put(*FIRST, "question", to={}),
    put(*FIRST, "question", "statistic", to="__import__"),
    put(*FIRST, "question", "by", to=["nowhere"]),
    put(*FIRST, "vectors", to=[]),
    put(*VECTOR, "cells", to=2),
    put(*VECTOR, "noisy", to=[1, 2]),
    put(*VECTOR, "noisy", to=[1, 2, 3.5]),
    put(*VECTOR, "noisy", to=["1", "2", "3"]),
    put(*VECTOR, "noise", to={}),
    put(*VECTOR, "noise", "law", to="none"),
    put(*VECTOR, "noise", "sigma2", to="0"),
    put(*VECTOR, "sensitivity", to={}),
    put(*VECTOR, "sensitivity", "l1", to="0"),
    put(*VECTOR, "sensitivity", "l1", to="inf"),
    put(*FIRST, "answer", "columns", to=["value", "low", "high"]),
    put(*FIRST, "answer", "columns", to=["ward", "low", "value", "high"]),
    put(*FIRST, "answer", "rows", to=[]),
    put(*FIRST, "answer", "axes", to=[]),
    put(*FIRST, "answer", "axes", 0, "kind", to="bin"),
    put(*FIRST, "answer", "axes", 0, "name", to="year"),
    put(*FIRST, "answer", "measure", to="mean"),
    put(*FIRST, "answer", "measure", to="cells"),
    put(*FIRST, "answer", "adds_up", to=False),
    put(*FIRST, "answer", "rows_within", to=1.0),
    put(*MEAN, "adds_up", to=True),
    put(*MEAN, "measure", to="rows"),
    put(*MEAN, "rows_within", to=None),
    put(*MEAN, "rows", 0, 1, to=None),
    put(*MEAN, "rows", 0, 1, to="7"),
    drop(*ROW),
    put(*ROW, to=["A", 1, 0]),
    put(*ROW, to=[1, 1, 0, 2]),
    put(*ROW, to=[None, 1, 0, 2]),
    put(*ROW, to=["A", "1", 0, 2]),
    put(*ROW, to=["A", True, 0, 2]),
    put(*ROW, to=["A", 1, None, 2]),
    put(*ROW, to=["A", 1, 3, 2]),
    put(*ROW, to=["A", 1, 0, 10**301]),
    put(*ROW, to=["A", [1], 0, 2]),
)
TEXTS = (
    "",
    "null",
    "[]",
    "{}",
    "=1+1",
    "[" * 100_000,
    "1" * 10_000,
    "\ufeff{}",
    small().text()[:-1],
    small().text() + "x",
    small().text().replace('"low"', '"low","low"'),
    small().text().replace('"noisy":[', '"noisy":[NaN,'),
    small().text().replace('"kind":"release"', '"kind":"rehearsal","kind":"release"'),
    small().text().replace("64588,64516", "64588,-1e999"),
    small().text().replace("64588,64516", "64588,NaN"),
)


def test_the_published_schema_is_the_schema():
    """docs/release-schema.json says what the code accepts."""
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == json_schema()


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_a_release_follows_the_schema_and_is_read_back(loss):
    """The text is canonical, ASCII and bit for bit what is read."""
    for document in (small(loss=loss), small(loss=loss, rehearsal=True), hostile()):
        text = document.text()

        jsonschema.validate(json.loads(text), json_schema())
        assert text.isascii()
        assert checked_document(text) == document
        assert checked_document(text).text() == text


@pytest.mark.exhaustive
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: ascii(change.__name__))
def test_a_changed_document_is_refused(change):
    """InputError with three lines, whatever was changed."""
    plain = json.loads(small().text())
    change(plain)

    with pytest.raises(InputError) as caught:
        checked_document(json.dumps(plain))
    assert len(str(caught.value).split("\n")) == 3


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text[:12]))
def test_a_text_that_is_no_release_is_refused(text):
    """Neither broken JSON nor JSON that says two things passes, and nothing of it is quoted."""
    with pytest.raises(InputError) as caught:
        checked_document(text)
    assert "64588" not in str(caught.value)


def test_there_are_enough_changes():
    """The table of changes stays large."""
    assert len(CHANGES) + len(TEXTS) > 60


def test_an_unknown_field_is_refused_by_the_document_itself():
    """Also what a ledger stored is read strictly."""
    with pytest.raises(InputError):
        document_of(json.dumps({**json.loads(small().text()), "extra": 1}))
