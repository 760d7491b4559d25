"""SDMX-CSV 2.0: its columns, codes and statuses, as the field guide has them."""

import csv
from io import BytesIO, StringIO

import duckdb
import pandas as pd
import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.report.sdmx_csv import sdmx_blocks, sdmx_table
from unit.report.test_forms import FLAGS, ruled
from unit.report_documents import made, one, small

pytestmark = pytest.mark.claim("C567")
NAMES = {
    "structure": "ABC:WARDS(1.0.0)",
    "dimensions": {"k": "WARD", "s": "SEX", "bin": "BAND"},
    "codes": {"k": {"=1+1": "C"}},
    "constants": {"FREQ": "A", "TIME_PERIOD": "2000"},
}
FLAGGED = {"by": "half_width", "flags": [{**FLAGS["flags"][0], "status": "U"}]}


def written(document, names=NAMES, **words):
    about = dp.about(sdmx=names, **words)
    return "".join(sdmx_blocks(sdmx_table(document, about)))


def rows_of(text):
    return [*csv.DictReader(StringIO(text, newline=""), strict=True)]


def test_the_columns_are_those_of_the_field_guide():
    """Structure, its identification and the action come first; then dimensions, measure, attributes."""
    head, first, *_ = written(ruled(), reliability=FLAGGED).split("\r\n")

    assert head.split(",") == [
        *("STRUCTURE", "STRUCTURE_ID", "ACTION"),
        *("STATISTIC", "WARD", "SEX", "BAND", "FREQ", "TIME_PERIOD"),
        *("OBS_VALUE", "LOWER_BOUND", "UPPER_BOUND", "ROWS", "OBS_STATUS", "RELIABILITY"),
    ]
    assert first.split(",")[:9] == [
        *("dataflow", "ABC:WARDS(1.0.0)", "I"),
        *("COUNT_BY_K_AND_S", "a", "f", "_T", "A", "2000"),
    ]


def test_each_observation_has_a_row_of_its_own():
    """No two rows have the same dimensions; the numbers are those of the release."""
    document = ruled()
    rows = rows_of(written(document))
    keys = [tuple(row[name] for name in ("STATISTIC", "WARD", "SEX", "BAND")) for row in rows]
    values = [float(row["OBS_VALUE"]) for row in rows if row["OBS_VALUE"]]

    assert len({*keys}) == len(rows) == 10 + 6 + 5
    assert values == [row[-3] for s in document.statistics for row in s.answer.rows]
    assert ("HISTOGRAM_X_BY_S", "_T", "m", "3T6") in keys


def test_what_is_not_shown_or_not_known_is_empty_and_says_so():
    """Q is suppressed, O missing, U the office's own: none of them is 0."""
    rows = rows_of(written(ruled(), reliability=FLAGGED))
    hidden = [row for row in rows if row["OBS_STATUS"] == "Q"]
    few = rows_of(
        written(
            one(dp.mean("x", by="k"), size=2), {**NAMES, "dimensions": {"k": "WARD"}, "codes": {}}
        )
    )

    assert len(hidden) == 7 + 5
    assert {(row["OBS_VALUE"], row["LOWER_BOUND"], row["UPPER_BOUND"]) for row in hidden} == {
        ("", "", "")
    }
    assert {row["OBS_STATUS"] for row in rows if row["RELIABILITY"] == "E"} == {"U"}
    assert {(row["OBS_VALUE"], row["OBS_STATUS"]) for row in few} == {("", "O")}


def test_groups_of_other_rows_and_of_missing_cells_have_the_codes_of_sdmx():
    """_O and _U, and _T for all; a declared code goes before."""
    rows = rows_of(written(ruled()))
    assert {row["WARD"] for row in rows} == {"a", "b", "C", "_U", "_O", "_T"}
    own = {**NAMES, "codes": {"k": {"=1+1": "C", "rest": "OTH"}}}
    assert {row["WARD"] for row in rows_of(written(ruled(), own))} >= {"OTH", "_U"}


def test_totals_of_a_cube_are_totals():
    """And every cell of it is an observation."""
    table = dp.table([], unit="row", keys={"k": ["a", "b"], "s": ["f", "m"]}, name="wards")
    document = made(dp.plan(table, dp.cube(["k", "s"]), spend=dp.zcdp(1)))
    rows = rows_of(written(document, {**NAMES, "dimensions": {"k": "WARD", "s": "SEX"}}))

    assert {(row["WARD"], row["SEX"]) for row in rows} >= {("_T", "_T"), ("a", "_T"), ("_T", "m")}
    assert len(rows) == 9


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"codes": {}}, "no code of SDMX"),
        ({"dimensions": {"k": "WARD", "s": "SEX"}}, "bin has no dimension"),
        ({"dimensions": {**NAMES["dimensions"], "ward": "X"}}, "no column of this release"),
        (
            {"codes": {**NAMES["codes"], "statistic": {"mean x by k": "COUNT_BY_K_AND_S"}}},
            "two questions have one code",
        ),
    ],
)
def test_what_the_agency_did_not_name_is_refused(change, what):
    """A code that nobody declared is none of the agency's."""
    with pytest.raises(InputError, match=what):
        written(ruled(), {**NAMES, **change})


def test_without_a_structure_there_is_no_file():
    """It says what to declare."""
    with pytest.raises(InputError, match="no data structure is named"):
        sdmx_table(small(), dp.about())


def test_duckdb_and_pandas_read_it(tmp_path):
    """A number is a number, and a gap is none."""
    path = tmp_path / "wards.csv"
    path.write_text(written(ruled()), "utf-8", newline="")
    frame = pd.read_csv(path)
    query = "SELECT sum(OBS_VALUE), count(*) FROM read_csv(?)"
    sums = duckdb.connect().execute(query, [str(path)]).fetchone()

    assert frame["OBS_VALUE"].isna().sum() == 12
    assert sums[1] == len(frame) == 21
    assert sums[0] == pytest.approx(frame["OBS_VALUE"].sum())


@pytest.mark.slow
def test_a_reader_of_sdmx_reads_it():
    """sdmx1 finds the dimensions, the measure and the attributes of each observation."""
    pytest.importorskip("sdmx")
    from sdmx.model import common, v30
    from sdmx.reader.csv import Reader

    text = written(ruled(), reliability=FLAGGED)
    head = text.split("\r\n")[0].split(",")
    structure = v30.DataStructureDefinition(id="WARDS", version="1.0.0")
    for name in head[3:9]:
        structure.dimensions.append(common.Dimension(id=name))
    structure.measures.append(v30.Measure(id="OBS_VALUE"))
    for name in head[10:]:
        structure.attributes.append(common.DataAttribute(id=name))
    (data,) = Reader().convert(BytesIO(text.encode()), structure=structure).data

    assert data.action == common.ActionType["information"]
    assert len(data.obs) == 21
    assert str(data.obs[4].key).startswith("(STATISTIC=COUNT_BY_K_AND_S, WARD=C, SEX=f")
