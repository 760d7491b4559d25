"""Files as programs of other countries and habits write them: read, or refused before the charge."""

import ast
from fractions import Fraction

import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError

COLUMNS = {"v": dp.bounds(0, 3000, step="0.5")}
GERMAN = "nr;v;born\n1;2,5;2020-01-01\n2;1.234,50;2020-01-02\n"


def counted(path, question, **csv):
    table = dp.table(
        path,
        unit="row",
        columns={**COLUMNS, "born": dp.bounds("2019-01-01", "2021-01-01")},
        keys={"nr": [1, 2]},
        csv=csv or None,
    )
    wanted = question.aggregates(table)
    vector, *_ = engine_for(path).prepare(table, wanted).count(3)
    return [*vector.opened_by_the_door()]


@pytest.mark.claim("C248")
@pytest.mark.parametrize(
    "question", [dp.sum("v"), dp.count(where="v > 1"), dp.histogram("v", bins=3)]
)
@pytest.mark.parametrize("text", [GERMAN, "sep=;\n" + GERMAN, GERMAN.replace("\n", "\r\n")])
def test_numbers_between_semicolons_are_refused_until_their_decimals_are_said(
    tmp_path, question, text
):
    """By the first line alone, whatever rows hold: a mean of 2.91 came out where 1,867 was right."""
    path = tmp_path / "t.csv"
    for rows in (text, "".join(text.splitlines(keepends=True)[:-2])):
        path.write_text(rows, newline="")
        with pytest.raises(InputError, match="nothing says how its decimals are written") as error:
            counted(path, question)
    assert error.value.fix == (
        'write csv={"decimal": ","} in discreet.table, or csv={"decimal": "."} in discreet.table'
    )


@pytest.mark.claim("C248")
def test_a_fix_keeps_what_csv_says_already(tmp_path):
    """Typed as it stands, the other options stay."""
    path = tmp_path / "t.csv"
    path.write_bytes(("größe;" + GERMAN.replace("\n", "\nä;").removesuffix("ä;")).encode("cp1252"))
    with pytest.raises(InputError) as error:
        counted(path, dp.sum("v"), trim=True)
    assert 'csv={"trim": True, "encoding": "windows-1252"}' in error.value.fix.replace(
        "true", "True"
    )
    with pytest.raises(InputError) as error:
        counted(path, dp.sum("v"), trim=True, encoding="windows-1252")

    typed = error.value.fix.split(" in discreet.table")[0].removeprefix("write csv=")
    assert counted(path, dp.sum("v"), **ast.literal_eval(typed)) == [5]


@pytest.mark.claim("C248")
def test_both_fixes_read_the_file(tmp_path):
    """With a comma and points between thousands, 2.5 and 1234.5; with a point both are missing."""
    path = tmp_path / "t.csv"
    path.write_text(GERMAN)

    assert counted(path, dp.sum("v"), decimal=",", thousands=".") == [
        Fraction(1237) / Fraction("0.5")
    ]
    assert counted(path, dp.sum("v"), decimal=".") == [0]
    assert counted(path, dp.sum("v"), separator=";") == [0]


@pytest.mark.claim("C411")
def test_a_comma_alone_leaves_points_between_thousands_out_and_the_plan_says_it(tmp_path):
    """By the declaration alone: 1.000,50 is missing, and the option that reads it is named."""
    path = tmp_path / "t.csv"
    path.write_text("nr;v\n1;1.000,50\n")
    named = "1.234,5 is missing unless csv says thousands"

    for options, steps, half_said in (
        ({"decimal": ","}, 0, True),
        ({"decimal": ",", "thousands": "."}, 2001, False),
        ({"decimal": ",", "thousands": " "}, 0, False),
        ({"decimal": "."}, 0, False),
    ):
        assert counted(path, dp.sum("v"), **options) == [steps]
        table = dp.table(path, unit="row", columns=COLUMNS, csv=options)
        plan = dp.plan(table, dp.sum("v"), spend=dp.zcdp(1))
        assert (named in " ".join(str(plan).split())) == half_said


@pytest.mark.claim("C248")
@pytest.mark.parametrize(
    "question", [dp.count(), dp.count("nr"), dp.quantile("born", "0.5"), dp.count(where="nr = '1'")]
)
def test_what_reads_no_decimals_asks_nothing(tmp_path, question):
    """Keys, days, texts and rows alone; and files whose separator is another one."""
    path = tmp_path / "t.csv"
    path.write_text(GERMAN)
    assert sum(counted(path, question)) in (1, 2)
    path.write_text("nr\tv\tborn\n1\t2.5\t2020-01-01\n")
    assert counted(path, dp.sum("v")) == [5]


def test_trim_trims_names_too(tmp_path):
    """As cells: a header that a person aligned names what is declared."""
    path = tmp_path / "t.csv"
    path.write_text('nr , "v" ,born\n1 , 2.5 ,2020-01-01\n')

    assert counted(path, dp.sum("v"), trim=True) == [5]
    with pytest.raises(InputError, match="none of the columns that are asked for"):
        counted(path, dp.sum("v"))


@pytest.mark.parametrize("kind", ["plan", "init"])
def test_a_header_in_another_encoding_is_refused_with_the_option(tmp_path, kind, monkeypatch):
    """`init` drafted a column called `Einkommen` and a replacement character."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "t.csv"
    path.write_bytes("größe,v,nr\n1,2.5,1\n".encode("cp1252"))

    if kind == "init":
        assert main(["init", "t.csv"]) == 0
        drafted = (tmp_path / "t.toml").read_text("utf-8")
        assert 'csv = { encoding = "windows-1252" }' in drafted
        assert "größe" in drafted
    else:
        with pytest.raises(InputError, match="is not written in utf-8") as error:
            counted(path, dp.sum("v"))
        assert '"encoding": "windows-1252"' in error.value.fix
        assert counted(path, dp.sum("v"), encoding="windows-1252") == [5]


def test_a_draft_asks_how_decimals_are_written_between_semicolons(tmp_path, monkeypatch, capsys):
    """Answered, the plan is made; not answered, the plan says where."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(GERMAN)

    assert main(["init", "t.csv"]) == 0
    draft = (tmp_path / "t.toml").read_text("utf-8")
    assert (
        'csv = { encoding = "?", decimal = "?" }    # "utf-8" or "windows-1252"; "," for' in draft
    )
    answered = draft.replace('unit = "?"', 'unit = "row"').replace('rho = "?"', "rho = 1")
    (tmp_path / "t.toml").write_text(answered)
    capsys.readouterr()
    assert main(["plan", "t.toml"]) == 2
    said = capsys.readouterr().err
    assert "csv, encoding: this is still a question mark" in said
    assert "whoever wrote the file knows it" in said
    assert 'write "utf-8", or "windows-1252"' in said
    answered = answered.replace('encoding = "?"', 'encoding = "utf-8"')
    (tmp_path / "t.toml").write_text(answered)
    assert main(["plan", "t.toml"]) == 2
    assert "where two and a half is 2,5" in capsys.readouterr().err
    (tmp_path / "t.toml").write_text(answered.replace('decimal = "?"', 'decimal = ","'))
    assert main(["plan", "t.toml"]) == 0


@pytest.mark.parametrize(
    ("text", "says", "what"),
    [
        ("v;nr\n2,5;1\n", {"separator": ","}, "has semicolons between its names, and csv says com"),
        (
            "v,nr\n2.5,1\n",
            {"separator": ";", "trim": True},
            "has commas between its names, and csv",
        ),
        ("\ufeffv,nr\n2.5,1\n", {"encoding": "latin-1"}, "is written in UTF-8, and csv says latin"),
    ],
)
def test_what_the_first_line_shows_to_be_otherwise_is_refused(tmp_path, text, says, what):
    """Each fix is followed until the plan is taken; then the number is read as it was written."""
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    refused = []
    for _ in range(3):
        try:
            found = counted(path, dp.sum("v"), **says)
            break
        except InputError as error:
            refused.append(error.what)
            way = error.ways[0]
            says = dict(way.settings["csv"]) if hasattr(way, "settings") else {}

    assert what in refused[0]
    assert found == counted(path, dp.sum("v"), decimal="," if "2,5" in text else ".") != [0]


@pytest.mark.parametrize(
    ("says", "said"),
    [
        ({}, "In t text is read as UTF-8: a cell written otherwise counts as missing, and so does S\xfcd "
         "in a file of another encoding, unless csv says encoding."),
        ({"encoding": "latin-1"}, "In t text is read as latin-1: a cell written otherwise counts as "
         "missing, or as other text."),
    ],
    ids=["unsaid", "said"],
)  # fmt: skip
@pytest.mark.parametrize("where", ["keys", "spelled", "filter", "question", "currency"])
def test_a_plan_says_in_which_encoding_letters_are_read(tmp_path, says, said, where):
    """Of a key, of a way to write one, and of a text in an expression: before any data is read."""
    path = tmp_path / "t.csv"
    path.write_text("k,u\na,1\n")
    says = {**says, "currency": "S\xfcd"} if where == "currency" else says
    key = {"keys": ["S\xfcd"], "spelled": {"s": ["S\xfcd"]}}.get(where, ["a"])
    table = dp.table(path, name="t", unit="row", keys={"k": key}, csv=says)
    table = table.where("k <> 'S\xfcd' OR NOT k = 'a'") if where == "filter" else table
    question = dp.count("k", where="k = 'S\xfcd'" if where == "question" else None)
    plan = dp.plan(table, question, spend=dp.pure(1))

    assert said in " ".join(str(plan).split())


def test_what_an_expression_gives_is_no_text_of_the_file(tmp_path):
    """A name that is made of each row is compared with no cell."""
    path = tmp_path / "t.csv"
    path.write_text("k,u\na,1\n")
    table = dp.table(path, name="t", unit="row", keys={"k": ["a"]}).derive(
        z=dp.derived("CASE WHEN k = 'a' THEN 'S\xfcd' ELSE 'x' END", keys=["S\xfcd", "x"])
    )

    assert "another encoding" not in " ".join(
        str(dp.plan(table, dp.count("z"), spend=dp.pure(1))).split()
    )


def test_a_plan_says_how_numbers_are_read_where_they_come_from_text(tmp_path):
    """With the signs that csv declares; not where no number is read, and of joined files together."""
    for name in ("t", "other"):
        (tmp_path / f"{name}.csv").write_text("k;u;v\na;1;2\n")
    says = {"decimal": ",", "thousands": ".", "currency": "$"}
    made = {"name": "t", "unit": dp.unit("u", max_rows=1), "keys": {"k": ["a"]}, "csv": says}
    table = dp.table(tmp_path / "t.csv", **made)
    plain = dp.plan(table, dp.count("k"), spend=dp.pure(1))
    asked = dp.plan(table, dp.count("k", where="v > 2000"), spend=dp.pure(1))
    joined = dp.table(tmp_path / "t.csv", columns={"v": dp.bounds(0, 9)}, **made)
    joined = joined.joined(dp.join(tmp_path / "other.csv", gives=["v"]))
    of_both = dp.plan(joined, dp.sum("v"), spend=dp.pure(1))
    frame = dp.table([{"v": "1,234"}], unit="row", columns={"v": dp.bounds(0, 9)}, name="t")

    assert "numbers as" not in str(plain)
    assert "In t text is read as UTF-8 and numbers as $1.234,5: a cell" in str(asked)
    assert "In t, other.csv, all of them alike, text is read as UTF-8 and numbers" in str(of_both)
    assert "Where a cell of v is text, it is read as 1234.5, or counts as missing." in str(
        dp.plan(frame, dp.sum("v"), spend=dp.pure(1))
    )
