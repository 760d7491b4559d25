"""Every statistic of the register, in every form: its numbers are there, and nothing is made up."""

from io import BytesIO
from itertools import islice

import openpyxl
import pytest

import discreet as dp
from discreet.document.accessors import numbered
from discreet.document.marks import WORDS
from discreet.errors import InputError
from discreet.report.forms import marked, wide
from discreet.report.sdmx_csv import sdmx_table
from discreet.report.workbook import workbook
from discreet.statistic.catalog import LISTED
from e2e.test_every_kind_is_read_again import asked, declared
from unit.report.test_workbook import check_guidance

pytestmark = pytest.mark.claim("C565")
MOST = 5  # examples of a statistic that are laid out
FLAGS = {"flags": [{"from": "1%", "flag": "E", "words": "caution", "status": "U"}]}
ABOUT = dp.about(reliability=FLAGS)


def documents(name, *, unknown):
    """Rehearsals of the examples of a statistic, one question each; what is refused is left out."""
    table, spend = declared(unknown=unknown), dp.zcdp("0.7", delta="1e-6")
    beside = [dp.count(by=["film"], max_groups=2)] if unknown else []
    for question in islice(asked(name, table), MOST):
        try:
            yield dp.rehearse(dp.plan(table, question, *beside, spend=spend)).document
        except InputError:
            continue


def named(document):
    """Return the names of a structure for whatever a release holds."""
    names = {}
    for released in document.statistics:
        for axis in released.answer.axes:
            inner = {"column": "column", "level": "at", "bin": "bin"}
            names[inner.get(axis.kind, axis.name)] = inner.get(axis.kind, axis.name).upper()
    codes = {"column": {}, "film": {f"film {n}": f"F{n}" for n in range(9)}}
    for released in document.statistics:
        for row in released.answer.rows:
            for cell in row:
                if isinstance(cell, str):
                    codes["column"][cell] = "C" + "".join(filter(str.isalnum, cell))
                    codes["film"].setdefault(cell, "F" + "".join(filter(str.isalnum, cell)))
    statistic = {label: f"Q{n}" for n, label in enumerate(numbered([s.label for s in document.statistics]))}  # fmt: skip
    return {
        "structure": "ABC:ALL(1.0)",
        "dimensions": names,
        "codes": {**codes, "statistic": statistic},
    }


def check_forms(document):
    every = [marked(document, place, ABOUT) for place in range(len(document.statistics))]
    there = [n.value for numbers in every for n in numbers if n.mark not in WORDS]
    rows = [row for released in document.statistics for row in released.answer.rows]
    assert there == [row[-3] for row in rows if row[-3] is not None]
    side = wide(document, ABOUT)
    values = [v for c in side.columns if c.endswith(" value") for v in side.column(c)]
    assert sorted(map(float, there)) == sorted(float(v) for v in values if v is not None)
    side.to_pandas()
    book = openpyxl.load_workbook(BytesIO(workbook(document, ABOUT)))
    check_guidance(book)
    table = sdmx_table(document, dp.about(reliability=FLAGS, sdmx=named(document)))
    keys = [name for name in table.columns if name in {"STATISTIC", *named(document)["dimensions"].values()}]  # fmt: skip
    cells = [tuple(row[name] for name in keys) for row in table]
    assert len({*cells}) == len(cells) == sum(map(len, every))


@pytest.mark.parametrize("unknown", [False, True], ids=["listed keys", "keys to find"])
@pytest.mark.parametrize("name", [*LISTED])
@pytest.mark.exhaustive("forms of each kind")
def test_each_statistic_has_every_form(name, unknown):
    """Each number once, each gap with its reason, one row of SDMX-CSV for each observation."""
    for document in documents(name, unknown=unknown):
        check_forms(document)
