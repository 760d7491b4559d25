"""Whatever is given in the place of something else: three lines, nothing of its content, no charge.

Each public verb is called as it should be, but with one argument of another kind. It may take it, or
refuse it with an error of ours; it never raises another one, never quotes what may hold data, charges
nothing and leaves no file.
"""

import inspect
import os
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import discreet as dp
from discreet.errors import DiscreetError

CANARY = "zebrafish"
ROWS = [{"ward": CANARY, "cost": 7.0}] * 12


class Odd:
    """An object whose text is data, as that of a data frame is."""

    def __repr__(self):
        return f"{CANARY}\n{CANARY}"

    __str__ = __repr__


def declared():
    return dp.table(
        ROWS,
        unit="row",
        columns={"cost": dp.bounds(0, 9, step=1)},
        keys={"ward": ["A", "B"]},
        name="t",
    )


def planned():
    return dp.plan(declared(), dp.count(by="ward"), dp.mean("cost"), spend=dp.zcdp("1/50"))


def keys_from(value):
    return dp.keys(value)


def planned_from(table, question, **how):
    return dp.plan(table, question, **how)


def things():
    """Everything that somebody could hand to anything."""
    frame = pd.DataFrame(ROWS)
    plan = planned()
    return {
        "None": None, "a flag": True, "zero": 0, "a number": 3, "a large number": 10**400,
        "a float": 1.5, "not a number": float("nan"), "text": "x", "no text": "", "NUL": "a\0b",
        "half a character": "\ud800", "long text": "x" * 5000, "bytes": b"x", "a list": [],
        "rows": ROWS, "cells": [CANARY] * 12, "a list of lists": [[CANARY]], "a dict": {},
        "a dict of cells": {CANARY: CANARY}, "a set": {CANARY}, "a range": range(3),
        "an object": Odd(), "a function": len, "a class": dict, "a generator": (x for x in ROWS),
        "a frame": frame, "a series": frame["ward"], "numbers": frame["cost"],
        "an array": np.array([CANARY]), "an array of one": np.array([7.0]), "a Polars frame": pl.DataFrame(ROWS),
        "a Polars series": pl.DataFrame(ROWS)["ward"],
        "a table": declared(), "a question": dp.count(), "a verb": dp.count, "a kind of question": type(dp.count()),
        "bounds": dp.bounds(0, 1), "a unit": dp.unit("u"), "a loss": dp.pure(1), "a plan": plan,
        "a release": dp.rehearse(plan), "a ledger": dp.ledger("book"), "a path": Path("nowhere"),
    }  # fmt: skip


def calls():
    """Each verb with arguments that are right, in a folder with a ledger and a saved release."""
    plan, release = planned(), dp.load("saved")
    found = {
        "table": (dp.table, {"source": "x.csv", "unit": "row", "columns": {}, "keys": {}, "neighbors": "replace", "name": "t", "csv": {"trim": True}, "vouched": "so it is", "rows": 9, "units": None}),
        "unit": (dp.unit, {"column": "u", "max_rows": 1}),
        "bounds": (dp.bounds, {"lower": 0, "upper": 1, "step": 1, "missing": 0}),
        "keys": (keys_from, {"value": ["A"]}),
        "count": (dp.count, {"by": "ward", "max_groups": 1, "max_rows_per_group": 1, "weight": 1}),
        "count_units": (dp.count_units, {"by": "ward", "max_groups": 1, "max_rows_per_group": 1, "weight": 1}),
        "choose": (dp.choose, {"by": "ward", "most": "cost"}),
        "top_k": (dp.top_k, {"by": "ward", "k": 1, "most": "cost"}),
        "sum": (dp.sum, {"column": "cost", "by": "ward"}),
        "mean": (dp.mean, {"column": ["cost", "age"], "by": "ward", "ball": 3}),
        "variance": (dp.variance, {"column": "cost", "by": "ward", "max_groups": 1, "max_rows_per_group": 1, "weight": 1}),
        "std": (dp.std, {"column": "cost", "by": "ward", "max_groups": 1, "max_rows_per_group": 1, "weight": 1}),
        "histogram": (dp.histogram, {"column": "cost", "by": "ward", "bins": 3}),
        "covariance": (dp.covariance, {"column": ["cost", "age"], "by": "ward"}),
        "correlation": (dp.correlation, {"column": ["cost", "age"], "by": "ward"}),
        "regression": (dp.regression, {"column": "cost", "on": ["age"], "by": "ward"}),
        "quantile": (dp.quantile, {"column": "cost", "at": ["0.1", "0.9"], "by": "ward", "bins": 9, "method": "curve"}),
        "median": (dp.median, {"column": "cost", "by": "ward", "bins": 9, "method": "curve"}),
        "middle": (dp.middle, {"column": "cost", "share": "0.5", "by": "ward", "bins": 9}),
        "iqr": (dp.iqr, {"column": "cost", "by": "ward", "bins": 9}),
        "share_below": (dp.share_below, {"column": "cost", "at": [3], "by": "ward", "bins": 9}),
        "publish": (dp.publish, {"at_least": 9, "within": None, "round_to": 5, "coverage": "rate", "most": 5}),
        "publish narrow": (dp.publish, {"within": "25%", "round_to": 5, "coverage": "rate"}),
        "plan published": (lambda **how: dp.plan(declared(), dp.count(), spend=dp.zcdp(1), **how), {"publish": {"at_least": 9}}),
        "keys in a file": (dp.keys, {"file": "keys.csv", "column": "k", "other": "o"}),
        "pure": (dp.pure, {"epsilon": 1}),
        "zcdp": (dp.zcdp, {"rho": 1, "delta": "1e-6"}),
        "approx": (dp.approx, {"epsilon": 1, "delta": "1e-6"}),
        "plan": (planned_from, {"table": declared(), "question": dp.count(), "spend": dp.zcdp(1), "alpha": "0.05", "share": False}),
        "plan within": (lambda **how: dp.plan(declared(), dp.count(), **how), {"within": 3, "kind": "zcdp"}),
        "sum planned": (lambda column, by: dp.plan(declared(), dp.sum(column, by=by), spend=dp.zcdp(1)), {"column": "cost", "by": "ward"}),
        "mean planned": (lambda column: dp.plan(declared(), dp.mean(column), spend=dp.zcdp(1)), {"column": "cost"}),
        "histogram planned": (lambda column, bins: dp.plan(declared(), dp.histogram(column, bins=bins), spend=dp.zcdp(1)), {"column": "cost", "bins": 3}),
        "ledger": (dp.ledger, {"path": "book", "budget": dp.zcdp(1), "subject": "t"}),
        "new ledger": (dp.ledger, {"path": "other", "budget": dp.zcdp(1), "subject": "t"}),
        "run": (dp.run, {"plan": plan, "ledger": "book", "request": "r", "who": "w", "why": "y", "progress": None}),
        "rehearse": (dp.rehearse, {"plan": plan}),
        "load": (dp.load, {"path": "saved"}),
        "verify": (dp.verify, {"release": "saved", "ledger": "book"}),
        "denoise": (dp.denoise, {"release": release, "how": "raw", "known": (), "totals": None, "interval": "raw", "progress": None}),
        "save": (release.save, {"path": "again"}),
        "save cleaned": (lambda path: dp.denoise(release, "raw").save(path), {"path": "again.csv"}),
        "plot": (release.plot, {"name": "count by ward", "about": None}),
        "item": (release.__getitem__, {"name": "count by ward"}),
        "column": (release.table().column, {"name": "value"}),
        "gdp": (dp.gdp, {"mu2": 1, "delta": "1e-6"}),
        "about": (dp.about, {"labels": {"ward": "Ward"}, "notes": ["n"], "title": "t"}),
        "levels": (dp.levels, {"columns": ["town", "ward"], "rows": [["T", "A"], ["T", "B"]], "file": None}),
        "cube": (dp.cube, {"by": ["ward"], "levels": None, "known": None, "clean": False, "weight": 1, "within": None, "where": "cost > 1"}),
        "tables": (dp.tables, {"by": [["ward"]], "levels": None, "known": None, "clean": False, "weight": 1, "within": None, "where": "cost > 1", "contrasts": True}),
        "join": (dp.join, {"source": "x.csv", "gives": ["age"], "key": "id", "name": "x", "on": "u", "how": "inner", "csv": None}),
        "owner": (dp.owner, {"source": "x.csv", "gives": ["u"], "key": "id", "name": "x", "on": "visit", "csv": None}),
        "derived": (dp.derived, {"expression_": "cost + 1", "bounds": dp.bounds(0, 9, step=1), "keys": None}),
        "unknown": (dp.unknown, {"max_groups": 3, "longest": 80, "share": "0.5", "other": "o", "missing": None, "of": ()}),
        "group_sizes": (dp.group_sizes, {"column": "film", "at_least": [1, 9], "max_groups": 2, "weight": 1, "within": None}),
        "stated": (dp.stated, {"column": "cost", "by": "ward", "sensitivity": 3, "protects": "one household", "numbers": 1}),
        "find_keys": (dp.find_keys, {"table": declared(), "column": "ward", "spend": dp.approx(1, "1e-6"), "ledger": "book", "request": "k"}),
        "sql": (dp.sql, {"text": "SELECT COUNT(*) FROM " + declared().name, "table": declared()}),
        "forecast": (dp.forecast, {"plan": plan, "units": 9, "keys": 3, "each": 2, "exponent": 1, "sizes": None}),
    }  # fmt: skip
    for name, more in MORE.items():
        found[name] = (found[name][0], found[name][1] | more)
    return found


PAID = {"publish": {"at_least": 3}, "spend": None}
LIMITS = PAID | {
    "max_groups": 1,
    "max_rows_per_group": 1,
    "weight": 1,
    "within": 3,
    "where": "cost > 1",
}
MORE = {  # what questions take beside
    "table": {"table": None},
    "join": {"table": None},
    "owner": {"table": None},
    **{name: {"spend": None} for name in ("cube", "tables", "group_sizes")},
    "unit": {"sampling": "native"},
    "denoise": {"ordered": None, "graph": None, "prior": None, "radius": None, "penalty": None},
    **{
        name: {"pure": None, "chance": None, "trust_locks": ""} for name in ("ledger", "new ledger")
    },
    "count": {
        "rows": None,
        "within": 3,
        "together": True,
        "where": "cost > 1",
        "between": (0, 9),
        "remap": True,
        "distinct": None,
        **PAID,
    },
    "count_units": PAID | {"rows": None, "within": 3, "together": True, "where": "cost > 1"},
    **dict.fromkeys(("correlation", "regression"), LIMITS | {"rows": 9}),
    "covariance": LIMITS | {"rows": 9, "sample": True},
    "stated": LIMITS | {"rows": 9},
    **dict.fromkeys(
        ("choose", "top_k"),
        LIMITS | {"rows": 9, "sensitivity": 3, "protects": "one household"},
    ),
    **dict.fromkeys(("quantile", "median", "share_below"), LIMITS | {"rows": 9}),
    **dict.fromkeys(("middle", "iqr"), LIMITS | {"rows": 9, "method": "curve"}),
    "variance": PAID
    | {"together": True, "within": 3, "rows": 9, "where": "cost > 1", "sample": True},
    "std": PAID | {"together": True, "within": 3, "rows": 9, "where": "cost > 1", "sample": True},
}

VERBS = {
    "table": 11, "unit": 3, "bounds": 4, "keys": 1, "count": 13, "count_units": 10, "choose": 12, "top_k": 13, "sum": 2, "mean": 3, "variance":
    12, "std": 12, "histogram": 3, "covariance": 11, "correlation": 10, "regression": 11, "quantile": 13, "median": 12, "middle": 13, "iqr": 12,
    "share_below": 12, "publish": 5, "publish narrow": 3, "plan published": 1, "keys in a file": 3, "pure": 1, "zcdp": 2, "approx": 2, "plan": 5, "plan within": 2,
    "sum planned": 2, "mean planned": 1, "histogram planned": 2, "ledger": 6, "new ledger": 6, "run": 6, "rehearse": 1, "load": 1, "verify": 2,
    "denoise": 11, "save": 1, "save cleaned": 1, "plot": 2, "item": 1, "column": 1, "gdp": 2, "about": 3, "levels": 3, "cube": 8, "tables": 9,
    "join": 8, "owner": 7, "derived": 3, "unknown": 6, "group_sizes": 6, "find_keys": 5, "stated": 13, "sql": 2, "forecast": 6,
}  # fmt: skip
HOLDS_DATA = {
    "rows",
    "an object",
    "a frame",
    "a series",
    "an array",
    "a Polars frame",
    "a Polars series",
}
PUBLIC = {
    "keys",
    "columns",
    "by",
    "column",
    "value",
}  # names and keys are declared, and may be quoted


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dp.ledger("book", budget=dp.zcdp(1), subject="t")
    dp.rehearse(planned()).save("saved")
    (tmp_path / "keys.csv").write_text("k\nA\nB\n")
    return tmp_path


def spent():
    book = dp.ledger("book").book()
    return [row.state for row in book.rows()]


def raw(verb, given, *, sealed):
    """What is wrong with the answer to a call: an error of another kind, or one that quotes."""
    try:
        verb(**given)
    except DiscreetError as error:
        said = f"{error}{error.__notes__ if hasattr(error, '__notes__') else ''}"
        cause = f"{error.__cause__}" if not error.__suppress_context__ or error.__cause__ else ""
        if sealed and CANARY in said + cause:
            return f"quotes what may be data: {said}"
        if len(str(error).split("\n")) != 3:
            return f"is not three lines: {error}"
    except Exception as error:  # noqa: BLE001 - what must not be raised
        return f"{type(error).__name__}: {str(error)[:90]}"
    return None


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C18")
@pytest.mark.claim("C09")
@pytest.mark.parametrize("name", VERBS)
def test_another_kind_of_thing_is_refused_in_three_lines(name, folder):
    """Each argument of each verb, everything that could be given in its place."""
    verb, good = calls()[name]
    assert len(good) == VERBS[name]
    before, faults = spent(), {}

    for argument in good:
        for kind, value in things().items():
            if argument == "progress" and callable(value):
                continue  # what it raises is its own
            sealed = kind in HOLDS_DATA and argument not in PUBLIC
            fault = raw(verb, {**good, argument: value}, sealed=sealed)
            if fault:
                faults[argument, kind] = fault

    assert faults == {}
    charged = spent()
    assert name == "run" or charged == before


def test_every_verb_of_the_page_is_in_the_list(folder):
    """A new verb must be tried here, too, with each of its arguments."""
    tried = {name.split()[0] for name in VERBS}
    public = {name: getattr(dp, name) for name in dp.__all__}
    verbs = {name for name, one in public.items() if callable(one) and not isinstance(one, type)}

    assert verbs <= tried
    for name in sorted(verbs - {"keys", "plan", "sum", "mean", "histogram", "about"}):
        assert set(inspect.signature(getattr(dp, name)).parameters) == set(calls()[name][1])
    assert os.getcwd() == str(folder)
