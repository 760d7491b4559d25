"""Files of SPSS, Stata and SAS: the integers of the same table elsewhere, and no cell moves another."""

import datetime as dt
import lzma
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from poison import files as poison

import discreet as dp
from discreet.engine.formats import statistical
from discreet.engine.one_source import place_of
from discreet.engine.select_engine import engine_for
from discreet.errors import EngineError, InputError

pytest.importorskip("pyreadstat", reason="pip install pyreadstat")
VECTORS = Path(__file__).parents[1] / "vectors" / "statistical"
# Written by SPSS, Stata and SAS themselves: the test data of pyreadstat (Apache License 2.0).
BY_PROGRAMS = ["sample.sav", "sample.zsav", "sample.dta", "sample.sas7bdat", "sample_bincompressed.sas7bdat"]  # fmt: skip
SAMPLE = [  # the same table, as its own CSV file says it
    ("a", 1.1, dt.date(2018, 5, 6), dt.datetime(2018, 5, 6, 10, 10, 10), 1, 1, dt.time(10, 10, 10)),
    ("b", 1.2, dt.date(1880, 5, 6), dt.datetime(1880, 5, 6, 10, 10, 10), 2, 2, dt.time(23, 10, 10)),
    ("c", -1000.3, dt.date(1960, 1, 1), dt.datetime(1960, 1, 1), 1, 3, dt.time(0, 0, 0)),
    ("d", -1.4, dt.date(1583, 1, 1), dt.datetime(1583, 1, 1), 2, 1, dt.time(16, 10, 10)),
    ("e", 1000.3, None, None, 1, 1, None),
]
NAMES = ["mychar", "mynum", "mydate", "dtime", "mylabl", "myord", "mytime"]


def unpacked(name, folder):
    path = folder / name
    path.write_bytes(lzma.decompress((VECTORS / f"{name}.xz").read_bytes()))
    return path


def vectors(source):
    """What is counted of the table in every role."""
    table = dp.table(
        source,
        name="t",
        unit=dp.unit("mychar", max_rows=2),
        columns={"mynum": dp.bounds(-2000, 2000, step="0.1"), "mydate": dp.bounds("1800-01-01", "2020-01-01")},
        keys={"mylabl": [1, 2, 3], "mydate": ["1960-01-01", "2018-05-06"], "mytime": ["10:10:10", "00:00:00"]},
    )  # fmt: skip
    asked = [
        dp.count("mylabl"), dp.count("mydate"), dp.count("mytime"), dp.sum("mynum", by="mylabl"),
        dp.quantile("mydate", "1/2"), dp.count_units("mylabl"), dp.count(where="hour(dtime) = 10"),
        dp.count(where="mynum > 1.15"), dp.count(where="mychar = 'b'"), dp.count(where="myord IS NULL OR myord = 3"),
    ]  # fmt: skip
    aggregates = tuple(one for question in asked for one in question.aggregates(table))
    return [v.opened_by_the_door() for v in engine_for(source).prepare(table, aggregates).count(7)]


@pytest.mark.claim("C405")
@pytest.mark.parametrize("name", BY_PROGRAMS)
def test_a_file_counts_as_its_table_does_in_a_frame_of_objects(name, tmp_path):
    """Numbers, codes, texts, days, moments and times of day, as SPSS, Stata and SAS wrote them."""
    frame = pd.DataFrame(SAMPLE, columns=NAMES, dtype=object)

    assert vectors(unpacked(name, tmp_path)) == vectors(frame)


@pytest.mark.claim("C405")
def test_several_files_are_one_table(tmp_path):
    """Their rows follow one another; a column that one of them lacks is missing there."""
    pd.DataFrame({"k": [1, 2], "s": ["x", "y"]}).to_stata(tmp_path / "a.dta", write_index=False)
    pd.DataFrame({"k": [2.5, np.nan, 2]}).to_stata(tmp_path / "b.dta", write_index=False)
    table = dp.table(f"{tmp_path}/*.dta", name="t", unit="row", keys={"k": [1, 2], "s": ["x"]})

    asked = [dp.count("k"), dp.count("s"), dp.count(), dp.count(where="s IS NULL")]
    found = [opened(table, one) for one in asked]
    assert found == [[(1, 2)], [(1,)], [(5,)], [(3,)]]


def opened(table, question):
    aggregates = question.aggregates(table)
    prepared = engine_for(table.source).prepare(table, aggregates)
    return [vector.opened_by_the_door() for vector in prepared.count(7)]


PAIRS = [
    ("dta by pandas", "whole", 101), ("dta by pandas", "whole", 0.5), ("dta by pandas", "whole", None),
    ("sav", "text", "broken UTF-8"), ("dta", "text", "broken UTF-8"), ("dta by pandas", "text", "x" * 3_000),
    ("sav", "text", "Windows-1252"), ("zsav", "days", dt.date(9999, 12, 31)), ("sav", "whole", 2.0**60),
]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C406")
@pytest.mark.parametrize("role", poison.ROLES)
def test_a_cell_that_changes_a_type_or_a_width_moves_no_more_than_one_unit(role):
    """Answered with it and without, and within the declared sensitivity, in each role."""
    assert [poison.difference(*pair, role) for pair in PAIRS] == [None] * len(PAIRS)


@pytest.mark.exhaustive
@pytest.mark.claim("C406")
@pytest.mark.parametrize("role", ["a unit", "a key of texts", "a text of a filter"])
@pytest.mark.parametrize("name", ["sav", "dta", "dta by pandas"])
def test_bytes_that_are_no_text_stop_nothing(name, role):
    """They are missing in their cell; other cells are read as before."""
    assert poison.difference(name, "text", "broken UTF-8", role) is None


@pytest.mark.claim("C406")
def test_a_reader_that_is_told_the_encoding_of_the_file_is_found(monkeypatch):
    """The harness has power: pyreadstat would stop at bytes that are none."""
    monkeypatch.setattr(statistical, "_EVERY_BYTE", "UTF-8")

    assert poison.difference("sav", "text", "broken UTF-8", "a key of texts") is not None


@pytest.mark.claim("C406")
def test_what_is_out_of_range_is_missing(tmp_path):
    """A day that no calendar has, a time of more than a day, a moment beyond the year 9999."""
    days = statistical._made("t.dta", "%td")
    moments = statistical._made("t.sav", "DATETIME20")
    times = statistical._made("t.sas7bdat", "TIME20.3")

    assert [days(1e300), days(-1e300), days(-715_510), days(0)] == [
        None,
        None,
        None,
        dt.date(1960, 1, 1),
    ]
    assert [moments(1e300), moments(-1e300), moments(0.0)] == [
        None,
        None,
        dt.datetime(1582, 10, 14),
    ]
    assert [times(-1), times(86_400), times(0.5)] == [None, None, dt.time(0, 0, 0, 500_000)]


@pytest.mark.claim("C405")
def test_missing_codes_and_empty_texts_are_missing(tmp_path):
    """What SPSS was told is missing, a gap, and a text of blanks: nobody, and no group."""
    path = unpacked("sample_missing.sav", tmp_path)
    table = dp.table(path, unit=dp.unit("mychar", max_rows=1), keys={"mylabl": [1, 2]})

    assert opened(table, dp.count_units()) == [(6,)]
    assert opened(table, dp.count("mylabl")) == [(3, 2)]


@pytest.mark.claim("C406")
def test_far_whole_numbers_are_missing_and_the_plan_says_so(tmp_path):
    """Doubles merge those of 2^53 and more: they would make one unit of two."""
    pd.DataFrame({"u": [2.0**60, 2.0**53, 7, 8]}).to_stata(tmp_path / "a.dta", write_index=False)
    table = dp.table(tmp_path / "a.dta", unit=dp.unit("u"))
    plan = dp.plan(table, dp.count_units(), spend=dp.zcdp("1/2"))

    assert opened(table, dp.count_units()) == [(2,)]
    assert "Whole numbers of 2^53 or more count as missing in u, unless they are text." in str(plan)


def prepared(path):
    table = dp.table(path, name="t", unit="row")
    return engine_for(table.source).prepare(table, dp.count().aggregates(table))


@pytest.mark.claim("C407")
def test_a_file_is_known_by_its_bytes_and_by_its_place(tmp_path):
    """A copy has its fingerprint and is another source; a link is the same one; a change is told."""
    path, copy, link = (tmp_path / f"{name}.dta" for name in ("a", "copy", "link"))
    pd.DataFrame({"k": [1, 2]}).to_stata(path, write_index=False)
    shutil.copy(path, copy)
    link.hardlink_to(path)
    first, second, third = (prepared(one) for one in (path, copy, link))

    assert first.paths() == (str(path),)
    assert first.fingerprint(b"key") == second.fingerprint(b"key") is not None
    here, there, linked = (
        place_of(str(one.paths()[0]), one.paths()) for one in (first, second, third)
    )
    assert here.is_one_with(linked)
    assert not here.is_one_with(there)
    with path.open("ab") as file:
        file.write(b"x")
    with pytest.raises(EngineError, match="was changed or taken away while it was counted"):
        first.count(7)


@pytest.mark.claim("C407")
def test_two_files_are_joined(tmp_path):
    """Rows that name owners, in a file of SPSS; and the owners, in one of Stata."""
    import pyreadstat

    pyreadstat.write_sav(
        pd.DataFrame({"z": [1.0, 2.0, 1.0], "k": ["1", "2", "2"]}), tmp_path / "facts.sav"
    )
    owners = pd.DataFrame({"z": [1, 2], "who": ["ann", "bob"]})
    owners.to_stata(tmp_path / "owners.dta", write_index=False)
    table = dp.table(
        tmp_path / "facts.sav", unit=dp.unit("who", max_rows=2), keys={"k": ["1", "2"]}
    )
    owner = dp.owner(tmp_path / "owners.dta", name="o", on="z", key="z", gives=["who"])

    assert opened(table.joined(owner), dp.count("k")) == [(1, 2)]


@pytest.mark.claim("C407")
@pytest.mark.parametrize("name", ["a.sav", "a.dta", "a.sas7bdat"])
def test_a_file_of_another_kind_is_refused_before_the_charge(name, tmp_path):
    """A text that is called so cannot be opened, and nothing of it is told."""
    (tmp_path / name).write_text("u,k\nsecret,1\n")
    table = dp.table(tmp_path / name, unit="row")

    with pytest.raises(EngineError, match="cannot be opened") as caught:
        opened(table, dp.count())
    assert "secret" not in str(caught.value)


@pytest.mark.claim("C407")
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("a.por", "pyreadstat.read_por("), ("a.XPT", "pyreadstat.read_xport("), ("a.xlsb", "pandas.read_excel("),
        ("a.rds", "pyreadr.read_r("), ("a.json", "pandas.read_json("), ("a.xml", "pandas.read_xml("),
    ],
)  # fmt: skip
def test_what_is_not_read_is_refused_with_the_call_that_reads_it(name, call, tmp_path):
    """Each names a library that reads such a file into a frame."""
    (tmp_path / name).write_bytes(b"x")

    with pytest.raises(InputError, match="is not read as a file") as caught:
        opened(dp.table(tmp_path / name, unit="row"), dp.count())
    assert call in str(caught.value)


LABELLED = "A code of sex is read as its label in a.sav, where that is a key: male, female."


@pytest.mark.claim("C643")
@pytest.mark.parametrize(
    ("name", "keys", "said"),
    [
        ("a.sav", ["male", "female"], LABELLED), ("a.sav", [1, 2], ""), ("a.sav", ["1", "2"], ""),
        ("a.sav", {"male": [1], "female": [2]}, ""), ("a.csv", ["male", "female"], ""),
        ("a.sas7bdat", ["male", "female"], "Labels of values lie in another file than a.sas7bdat"),
        ("a.sas7bdat", dp.keys({"male": [1], "2": []}, other="rest"), ""),
    ],
)  # fmt: skip
def test_a_plan_says_how_labels_of_codes_are_read(name, keys, said, tmp_path):
    """Keys that may be labels; those that say their codes need no word."""
    table = dp.table(name, unit="row", keys={"sex": keys})
    plan = " ".join(str(dp.plan(table, dp.count("sex"), spend=dp.zcdp(1))).split())

    assert ("label" in plan.lower()) == bool(said)
    assert said in plan


def coded(folder, name, cells, **options):
    """A file of one column of codes, with the labels of a codebook."""
    import pyreadstat

    labels = {"sex": {1: "male", 2: "female", 3: "", 9: "no answer", 2**60: "far"}}
    write = pyreadstat.write_sav if name.endswith("sav") else pyreadstat.write_dta
    if name.endswith(".dta"):
        labels["sex"].pop(2**60)
    write(pd.DataFrame({"sex": cells}), folder / name, variable_value_labels=labels, **options)
    return folder / name


@pytest.mark.claim("C643")
@pytest.mark.parametrize("name", ["a.sav", "a.zsav", "a.dta"])
@pytest.mark.parametrize(
    ("keys", "counts"),
    [
        (["male", "female"], (2, 1)), ([1, 2], (2, 1)), (["1", "female"], (2, 1)),
        ({"m": ["male"], "f": [2, 3]}, (2, 2)), ({"1": ["female"], "m": ["male"]}, (3, 0)),
        (dp.keys(["male"], other="rest", missing="none"), (2, 1, 3)),
        (["no answer", "male"], (1, 2)), (["Male", "far"], (0, 0)),
    ],
)  # fmt: skip
def test_a_code_counts_as_the_key_that_is_its_label(name, keys, counts, tmp_path):
    """What a person typed goes first: a code that is a key is no label of another one."""
    path = coded(tmp_path, name, [1.0, 2.0, 1.0, 3.0, None, 9.0])
    table = dp.table(path, unit="row", keys={"sex": keys})

    assert opened(table, dp.count("sex")) == [counts]


@pytest.mark.claim("C643")
def test_labels_are_the_text_of_a_code_and_never_its_number(tmp_path):
    """In conditions and derived columns; a code that is declared missing has no label."""
    path = coded(tmp_path, "a.sav", [1.0, 2.0, 1.0, 3.0, None, 9.0])
    wheres = {
        "sex = 'male'": 2, "sex = 1": 2, "upper(sex) = 'FEMALE'": 1, "sex >= 2": 3,
        "sex = 'no answer'": 1, "sex IS NULL": 1, "sex = '1'": 0,
    }  # fmt: skip
    table = dp.table(path, unit="row")
    assert {where: opened(table, dp.count(where=where))[0][0] for where in wheres} == wheres

    asked = dp.table(path, unit="row", keys={"sex": ["male", "no answer"]}, csv={"missing": ["9"]})
    assert opened(asked, dp.count("sex")) == [(2, 0)]
    assert opened(asked, dp.count(where="sex = 'no answer'")) == [(0,)]


ASKED = [  # each kind of question that looks at a key, or at its text
    dp.count("sex"), dp.count("sex", between=(0, 500)), dp.count_units("sex"), dp.sum("v", by="sex"),
    dp.mean("v", by="sex"), dp.variance("v", by="sex"), dp.quantile("v", "1/2", by="sex"),
    dp.histogram("v", bins=3, by="sex"), dp.cube(["sex"]), dp.tables([["sex"]]), dp.choose("sex"),
    dp.top_k("sex", k=1), dp.count(where="sex IN ('male', 'no answer')"),
    dp.count("sex", where="lower(sex) <> 'male'"),
]  # fmt: skip


@pytest.mark.claim("C643")
@pytest.mark.parametrize("unit", ["row", dp.unit("u", max_rows=3)], ids=str)
def test_a_labelled_file_counts_as_the_frame_of_its_texts(unit, tmp_path):
    """In each kind of question, with and without units that have several rows."""
    import pyreadstat

    codes = [1.0, 2.0, 1.0, 3.0, None, 9.0, 2.0, 1.0] * 20
    book = {1: "male", 2: "female", 9: "no answer"}
    beside = {
        "u": [f"p{n % 25}" for n in range(len(codes))],
        "v": [n % 7 for n in range(len(codes))],
    }
    pyreadstat.write_sav(
        pd.DataFrame({"sex": codes, **beside}), tmp_path / "a.sav", variable_value_labels={"sex": book}
    )  # fmt: skip
    texts = pd.Series([book.get(code, code) for code in codes], dtype=object)
    keys = {"sex": dp.keys(["male", "female"], other="rest", missing="none")}
    coded, plain = (
        dp.table(source, name="t", unit=unit, keys=keys, columns={"v": dp.bounds(0, 10, step=1)})
        for source in (tmp_path / "a.sav", pd.DataFrame({"sex": texts, **beside}))
    )

    assert [opened(coded, one) for one in ASKED] == [opened(plain, one) for one in ASKED]


@pytest.mark.claim("C643")
def test_labels_are_never_the_list_of_keys(tmp_path):
    """A writer stores the levels that it met: keys that nobody listed are the codes."""
    path = coded(tmp_path, "a.sav", [1.0] * 500 + [2.0] * 500)
    table = dp.table(path, unit="row", keys={"sex": dp.unknown(max_groups=1)})
    plan = dp.plan(table, dp.count("sex"), spend=dp.approx(20, "1e-3"))
    release = dp.run(plan, ledger=dp.ledger(tmp_path / "t.ledger", budget=dp.approx(20, "1e-3")))

    assert "label" not in str(plan)
    assert [row["sex"] for row in release["count by sex"].rows] == ["1", "2", "other"]


@pytest.mark.claim("C643")
def test_a_program_that_numbers_what_it_met_moves_no_other_row(tmp_path):
    """pandas numbers categories anew with one row more; each row keeps its label, and its key."""
    read = []
    for rows in (["b", "c", "b"], ["b", "c", "b", "a"]):
        path = tmp_path / f"of{len(rows)}.dta"
        pd.DataFrame({"k": pd.Categorical(rows)}).to_stata(path, write_index=False)
        by_label = dp.table(path, unit="row", keys={"k": ["b", "c"]})
        by_code = dp.table(path, unit="row", keys={"k": [0, 1]})
        read.append((opened(by_label, dp.count("k"))[0], opened(by_code, dp.count("k"))[0]))

    assert [counts for counts, _ in read] == [(2, 1), (2, 1)]
    assert [counts for _, counts in read] == [(2, 1), (1, 2)]  # which docs/cells.md warns of


@pytest.mark.claim("C643")
def test_a_label_that_is_no_text_stops_nothing(tmp_path):
    """Labels in bytes that are no text, and of texts, days and times, are left out."""
    import pyreadstat

    frame = pd.DataFrame({"k": ["m", "f"], "d": [dt.date(2020, 1, 1), dt.date(2020, 1, 2)], "v": [1.0, 2.0]})  # fmt: skip
    path = tmp_path / "a.sav"
    labels = {"k": {"m": "male"}, "v": {1: "m\u00e4nnlich", 2: "xxxx"}}
    pyreadstat.write_sav(frame, path, variable_value_labels=labels)
    path.write_bytes(path.read_bytes().replace(b"xxxx", b"\x81\x81xx"))
    table = dp.table(path, unit="row", keys={"k": ["m", "male"], "v": ["m\u00e4nnlich", "2"]})

    assert opened(table, dp.count("k")) == [(1, 0)]
    assert opened(table, dp.count("v")) == [(1, 1)]
    assert opened(table, dp.count(where="day(d) = 2")) == [(1,)]


@pytest.mark.claim("C407")
def test_why_a_transport_file_of_sas_is_refused(tmp_path):
    """One row more brings two others: rows of blanks at its end are not told from its filling."""
    import pyreadstat

    rows, read = [["", "", ""], ["", "", "", "b"]], []
    for texts in rows:
        pyreadstat.write_xport(
            pd.DataFrame({"u": texts}), tmp_path / "t.xpt", file_format_version=5
        )
        read.append(len(pyreadstat.read_xport(tmp_path / "t.xpt")[0]))

    assert read == [0, 4]
    with pytest.raises(InputError, match="brings that, too"):
        opened(dp.table(tmp_path / "t.xpt", unit="row"), dp.count())


@pytest.mark.claim("C407")
def test_init_drafts_from_the_names_of_a_file(tmp_path):
    """Names alone: types of such files follow from their cells."""
    unpacked("sample.sas7bdat", tmp_path)
    subprocess.run([sys.executable, "-m", "discreet", "init", "sample.sas7bdat"], cwd=tmp_path, check=True, capture_output=True)  # fmt: skip

    draft = (tmp_path / "sample.toml").read_text()
    assert 'source = "sample.sas7bdat"' in draft
    assert all(f"# {name} = " in draft for name in NAMES)
    assert "csv =" not in draft
