"""Each ending that is read, in Python, in a plan file and by `discreet init`: the integers of Parquet.

The endings are those of the code that reads (`poison/formats.py`): a new one is tried unasked.
"""

import datetime as dt
import json
import re
from importlib.util import find_spec

import pandas as pd
import pytest
from poison import files as poison
from poison import formats

import discreet as dp
from discreet.cli.cli import main
from discreet.engine.select_engine import engine_for
from discreet.plan_file.plan_file import read_plan_file
from engine.sources import opened

for package in ("python_calamine", "fastavro", "pyreadstat", "xlsxwriter", "xlwt", "odf"):
    pytest.importorskip(package)

ROWS = pd.DataFrame(
    {
        "u": [f"p{n % 9}" for n in range(40)],
        "k": [n % 3 + 1 for n in range(40)],
        "v": [n * 0.5 - 4 for n in range(40)],
        "s": pd.Series(["a", "é", "b", "a b"] * 10, dtype=object),
        "d": pd.Series([dt.date(2020, 1, 1 + n % 3) for n in range(40)], dtype=object),
    }
)
ENDINGS = [*formats.WRITERS]
UNIT, ASKED = '{ column = "u", max_rows = 3 }', '[[ask]]\nstatistic = "count"\n'
ANSWERS = {
    "columns": {"v": '{ lower = -3, upper = 9, step = "0.5" }'},
    "keys": {"k": "[1, 2]", "s": '["a", "é"]', "d": '["2020-01-01", "2020-01-03"]'},
}
LINES = "".join(
    f"[{head}]\n" + "".join(f"{name} = {said}\n" for name, said in some.items())
    for head, some in ANSWERS.items()
)


def in_python(path):
    fixed = formats.layout(path)
    return dp.table(
        path,
        unit=dp.unit("u", max_rows=3),
        columns={"v": dp.bounds(-3, 9, step="0.5")},
        keys={"k": [1, 2], "s": ["a", "é"], "d": ["2020-01-01", "2020-01-03"]},
        csv=None if fixed is None else {"fixed": fixed},
    )


def in_a_file(path):
    fixed = formats.layout(path)
    layout = (
        "" if fixed is None else f"[data.csv]\nfixed = {json.dumps(fixed).replace(':', ' =')}\n"
    )
    draft = path.parent / "written.toml"
    draft.write_text(
        f'[data]\nsource = "{path.name}"\nunit = {UNIT}\n{layout}{LINES}[spend]\nrho = "1"\n{ASKED}'
    )
    return read_plan_file(draft).plan.table


def as_drafted(path):
    """Take away the # of the lines that are wanted, and answer their question marks."""
    draft = path.parent / "drafted.toml"
    assert main(["init", str(path), "--out", str(draft)]) in (None, 0)
    text = (
        draft.read_text().replace('unit = "?"', f"unit = {UNIT}").replace('rho = "?"', 'rho = "1"')
    )
    for head, some in ANSWERS.items():
        before, begin, after = text.partition(f"[{head}]\n")
        here, end, rest = after.partition("\n\n")
        for name, said in some.items():
            here, count = re.subn(rf"(?m)^# {name} = .*$", f"{name} = {said}", here)
            assert count == 1
        text = before + begin + here + end + rest
    draft.write_text(re.sub(r"(?m)^ledger = .*$", "", text))
    return read_plan_file(draft).plan.table


def vectors(table):
    asked = [
        dp.count("k"), dp.count("s"), dp.count("d"), dp.sum("v", by="k"), dp.variance("v"), dp.quantile("v", "1/2"),
        dp.count_units("k"), dp.histogram("v", bins=4), dp.count(where="v > 1.25 AND s = 'é'"),
        dp.count(where="year(d) = 2020 AND day(d) > 1"), dp.count(where="k IN (1, 3)"),
    ]  # fmt: skip
    aggregates = tuple(one for question in asked for one in question.aggregates(table))
    return opened(engine_for(table.source).prepare(table, aggregates).count(7))


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet") / "t.parquet"
    ROWS.to_parquet(path)
    return vectors(in_python(path))


@pytest.mark.claim("C603")
def test_each_ending_that_is_read_has_a_writer_here():
    """Or a reason why it has none; and each kind goes through the harness of types."""
    read = {ending for endings in formats.KINDS.values() for ending in endings}
    tried = {ending for ending, _ in poison.FILES.values()}

    assert read - {*ENDINGS} == {*formats.UNWRITTEN}
    assert all(tried & {*endings} for kind, endings in formats.KINDS.items() if kind not in formats.OWN_HARNESS)  # fmt: skip


@pytest.mark.exhaustive("every format")
@pytest.mark.claim("C603")
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_counts_as_parquet_does_however_it_is_named(ending, wanted, tmp_path, capsys):
    """In Python, in a plan file that was written, and in one that was drafted and answered."""
    if ending.endswith(".zst") and find_spec("zstandard") is None:
        pytest.skip("pip install zstandard")
    path = formats.written(ending, ROWS, tmp_path)

    assert vectors(in_python(path)) == wanted
    assert vectors(in_a_file(path)) == wanted
    if formats.layout(path) is None:
        assert vectors(as_drafted(path)) == wanted
    capsys.readouterr()


CELLS = [("whole", 0.5), ("whole", 2.0**60), ("text", "x" * 3_000), ("text", None), ("days", None)]


@pytest.mark.exhaustive("every format")
@pytest.mark.claim("C603")
@pytest.mark.parametrize("name", poison.FILES)
def test_a_cell_that_changes_a_type_moves_no_more_than_its_unit(name):
    """The harness of types, of each program that writes such files; a role each."""
    roles = [*poison.ROLES]
    place = [*poison.FILES].index(name)

    for number, (kind, cell) in enumerate(CELLS):
        role = roles[(place * 5 + number * 11) % len(roles)]
        assert poison.difference(name, kind, cell, role) is None
