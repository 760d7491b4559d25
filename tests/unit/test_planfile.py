"""A plan file says what it means, and every slip in it is named with its place."""

from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import InputError
from discreet.fix import BLANK, Do, call, leave_out, write
from discreet.plan_file.location import Place
from discreet.plan_file.plan_file import read_plan_file
from discreet.plan_file.written import Written
from discreet.privacy.loss import zcdp

GOOD = """\
title = "Wages"

[data]
source = "people.csv"
unit = { column = "person", max_rows = 3 }
neighbors = "replace"
name = "people"

[columns]
wage = { lower = 0, upper = 0.3, step = 0.1 }
age = { lower = 0, upper = 120, step = "1/2" }

[keys]
city = ["A", "B"]
grade = { from = -1, to = 2 }
day = [2020-01-01, 2020-01-02]
member = [true, false]

[spend]
epsilon = 1
delta = "1e-6"
ledger = "people.ledger"

[[ask]]
statistic = "count"
by = ["city", "grade"]

[[ask]]
statistic = "histogram"
column = "age"
bins = [0, 0.5, 120]
weight = 2
"""

CASES = {
    "no such file": (None, None, "people.toml: the plan file cannot be read.", "discreet init"),
    "not TOML": ('title = "Wages"', "title = Wages", "is not TOML", "quotes"),
    "an endless number": ("epsilon = 1", f"epsilon = {'9' * 5000}", "is not TOML", "correct"),
    "unknown part": ("[columns]", "[colums]", "colums: this name is not", "write columns"),
    "unknown name": ("neighbors", "neighbours", "data, neighbours: this", "write neighbors"),
    "a name like no other": ('name = "people"', "qqq = 1", "data, qqq: this", "remove qqq"),
    "unknown name in a range": (
        "upper = 0.3",
        "uper = 0.3",
        "columns, wage, uper: this",
        "write upper",
    ),
    "unknown name in a unit": (
        "max_rows = 3",
        "max_row = 3",
        "data, unit, max_row: this",
        "max_rows",
    ),
    "unknown name in keys": ("to = 2", "too = 2", "keys, grade, too: this", "write to "),
    "unknown name in spend": ("delta", "delt", "spend, delt: this", "write delta"),
    "unknown option": (
        "weight = 2",
        "wieght = 2",
        "ask 2, wieght: histogram has no",
        "write weight",
    ),
    "option of another": (
        'by = ["city"',
        'bins = 3\nby = ["city"',
        "ask 1, bins: count has no option",
        "remove bins",
    ),
    "no source": ('source = "people.csv"\n', "", "data, source: this is missing", 'source = "'),
    "no unit": ('unit = { column = "person", max_rows = 3 }\n', "", "data, unit: this is", "row"),
    "empty source": ('"people.csv"', '" "', "data, source", 'source = "?"'),
    "no sources": ('"people.csv"', "[]", "data, source: the list is empty", "source ="),
    "source of numbers": ('"people.csv"', "[1]", "data, source", "source ="),
    "address": ('"people.csv"', '"https://a/b.csv"', "not a path of this machine", '"?"'),
    "bucket": ('"people.csv"', '"s3://a/b.csv"', "not a path of this machine", '"?"'),
    "unit is a word": ('{ column = "person", max_rows = 3 }', '"person"', "data, unit", "column ="),
    "unit without column": ('column = "person", ', "", "data, unit, column: this is", "column ="),
    "no rows": ("max_rows = 3", "max_rows = 0", "data, unit: max_rows = 0", 'max_rows = "?"'),
    "rows in words": ("max_rows = 3", 'max_rows = "3"', "data, unit, max_rows: '3'", "max_rows"),
    "neighbors": ('"replace"', '"both"', "data, neighbors: 'both'", "add_remove"),
    "no upper end": ("lower = 0, upper = 0.3", "lower = 0", "columns, wage, upper: this", "upper"),
    "reversed": (
        "upper = 0.3",
        "upper = -1",
        "columns, wage: lower = 0 is not",
        "lower = -1, upper = 0,",
    ),
    "off the grid": (
        "upper = 0.3",
        "upper = 0.25",
        "columns, wage: upper = 0.25",
        'wage = { lower = 0, upper = 0.25, step = "0.05" }',
    ),
    "not a number": (
        "upper = 0.3",
        "upper = nan",
        "columns, wage: upper = NaN",
        '{ lower = 0, upper = "?", step = 0.1 }',
    ),
    "infinite": (
        "upper = 0.3",
        "upper = inf",
        "columns, wage: upper = Inf",
        '{ lower = 0, upper = "?", step = 0.1 }',
    ),
    "text as bound": (
        "upper = 0.3",
        'upper = "much"',
        "columns, wage: upper = much",
        '{ lower = 0, upper = "?", step = 0.1 }',
    ),
    "flag as bound": (
        "upper = 0.3",
        "upper = true",
        "columns, wage: upper = True",
        '{ lower = 0, upper = "?", step = 0.1 }',
    ),
    "too fine": (
        "step = 0.1",
        "step = 1e-300",
        "columns, wage: bounds of",
        '{ lower = 0, upper = 0.3, step = "0.000001" }',
    ),
    "a huge exponent": (
        "step = 0.1",
        "step = 1e-99999",
        "columns, wage: step",
        '{ lower = 0, upper = 0.3, step = "?" }',
    ),
    "bounds in a list": ('{ lower = 0, upper = 120, step = "1/2" }', "[0, 9]", "columns, age", "{"),
    "column without a name": ("\nage = {", '\n"" = {', "columns, : ", "its name"),
    "no key": ('["A", "B"]', "[]", "keys, city: the keys of city are", "city = ["),
    "key twice": ('["A", "B"]', '["A", "A"]', "keys, city: the key A of city is", 'city = ["A"]'),
    "mixed keys": ('["A", "B"]', '["A", 1]', "keys, city: the keys of city are", "city = ["),
    "decimal keys": ('["A", "B"]', "[0.5, 1.5]", "keys, city: a key of city is of", "city = ["),
    "key is a list": ('["A", "B"]', '[["A"]]', "keys, city: a key of city is of", "city = ["),
    "one key as a word": ('["A", "B"]', '"A"', "keys, city: 'A' does not fit", "city = ["),
    "keys from high": (
        "from = -1",
        "from = 3",
        "keys, grade: from = 3 is above",
        "{ from = 2, to = 3 }",
    ),
    "endless keys": (
        "to = 2",
        "to = 99999999999",
        "keys, grade: the keys of grade are more",
        'grade = ["?", "?"]',
    ),
    "nothing to spend": ('epsilon = 1\ndelta = "1e-6"\n', "", "spend: nothing is given", "rho ="),
    "both kinds": (
        "epsilon = 1",
        "epsilon = 1\nrho = 1",
        "spend: rho and epsilon and",
        "remove epsilon, or remove rho",
    ),
    "delta alone": ("epsilon = 1\n", "", "spend: delta is given", 'epsilon = "?"'),
    "delta of one": ('"1e-6"', "1", "spend, delta: delta = 1 must be below", 'delta = "?"'),
    "negative": ("epsilon = 1", "epsilon = -1", "spend, epsilon: epsilon = -1 must", "epsilon"),
    "spending zero": (
        'epsilon = 1\ndelta = "1e-6"',
        "rho = 0",
        "buys no answer",
        "rho",
    ),
    "ledger of numbers": ('"people.ledger"', "7", "spend, ledger: 7 does not", "ledger ="),
    "empty ledger": ('"people.ledger"', '""', "spend, ledger: this is not a path", "ledger ="),
    "alpha": ('title = "Wages"', 'alpha = 0.9\ntitle = "Wages"', "alpha: alpha = 0.9", "alpha ="),
    "title": ('"Wages"', "7", "title: 7 does not fit", "title ="),
    "no questions": (GOOD[GOOD.index("[[ask]]") :], "", "ask: this is missing", "ask = [{"),
    "unknown statistic": (
        '"count"',
        '"coutn"',
        "ask 1, statistic: statistic = coutn is",
        '= "count"',
    ),
    "statistic without name": (
        'statistic = "count"\n',
        "",
        "ask 1, statistic: this is",
        "statistic",
    ),
    "no column": ('column = "age"\n', "", "ask 2, column: histogram needs", 'column = "?"'),
    "undeclared column": (
        'column = "age"',
        'column = "agee"',
        "ask 2, column: there are no bounds",
        '"age"',
    ),
    "far column": (
        'column = "age"',
        'column = "height"',
        "ask 2, column: there are no bounds",
        "[columns]",
    ),
    "column of keys": ('column = "age"', "column = 7", "ask 2, column: 7 does not", "column ="),
    "undeclared keys": ('"grade"]', '"grad"]', "ask 1, by: there are no public keys", '"grade"'),
    "far keys": (
        '"grade"]',
        '"street"]',
        "ask 1, by: there are no public keys",
        "[keys], write street",
    ),
    "by a number": ('["city", "grade"]', "7", "ask 1, by: 7 does not fit", "by ="),
    "by twice": ('["city", "grade"]', '["city", "city"]', "ask 1, by: by = ", 'by = "?"'),
    "no weight": ("weight = 2", "weight = 0", "ask 2, weight: weight = 0 must", "weight = 1"),
    "half a weight": ("weight = 2", "weight = 1.5", "ask 2, weight: weight = ", "weight = 1"),
    "bins in words": ("[0, 0.5, 120]", '"many"', "ask 2, bins: bins = many is", "bins = 20"),
    "bins off the bounds": (
        "[0, 0.5, 120]",
        "[0, 60]",
        "ask 2, bins: the bin edges of age",
        "bins",
    ),
    "bins off the grid": (
        "[0, 0.5, 120]",
        "[0, 0.3, 120]",
        "ask 2, bins: the bin edges of",
        "bins",
    ),
    "a list that is summed": (
        'statistic = "histogram"\ncolumn = "age"\nbins = [0, 0.5, 120]',
        'statistic = "sum"\ncolumn = ["age"]',
        "ask 2, column: ['age'] in a question is not a column name",
        "write",
    ),
    **{
        f"vector: {what}": (
            'statistic = "histogram"\ncolumn = "age"\nbins = [0, 0.5, 120]',
            f'statistic = "mean"\n{asked}',
            said,
            fix,
        )
        for what, asked, said, fix in (
            (
                "no columns",
                "column = []",
                "ask 2, column: column = [] is not",
                'column = "?"',
            ),
            (
                "a column twice",
                'column = ["age", "age"]',
                "ask 2, column: column = ['age'",
                "column",
            ),
            ("a number", 'column = ["age", 7]', "ask 2, column: 7 does not fit", "column"),
            (
                "no bounds",
                'column = ["age", "wag"]',
                "ask 2, column: there are no bounds",
                '"wage"',
            ),
            (
                "one column",
                'column = "age"\nball = 3',
                "ask 2, ball: ball = 3 is given",
                "remove ball",
            ),
            ("a list of one", 'column = ["age"]\nball = 3', "ask 2, ball: ball = 3", "remove ball"),
            (
                "zero",
                'column = ["age", "wage"]\nball = 0',
                "ask 2, ball: ball = 0 must",
                'ball = "?"',
            ),
            (
                "not a number",
                'column = ["age", "wage"]\nball = nan',
                "ask 2, ball: ball = N",
                'ball = "?"',
            ),
            (
                "two steps",
                'column = ["age", "wage"]\nball = 3',
                "ask 2: age has steps",
                'step = "0.1"',
            ),
        )
    },
    "asked twice": (
        'statistic = "histogram"\ncolumn = "age"\nbins = [0, 0.5, 120]\nweight = 2',
        'statistic = "count"\nby = ["city", "grade"]',
        "ask 2: the plan asks one question twice",
        "remove one",
    ),
    "still a question": ('"replace"', '"?"', "data, neighbors: this is still a", "add_remove"),
    "a question in a range": (
        "lower = 0, upper = 0.3",
        'lower = "?", upper = 1',
        "lower: this",
        "in line 10 write the lower end",
    ),
    "a question in an ask": ('column = "age"', 'column = "?"', "ask 2, column: this is", "column"),
    "questions in keys": (
        '["A", "B"]',
        '"?"',
        "keys, city: this is still a",
        "in line 14 write a list",
    ),
}


def _refused(folder: Path, text: str | None) -> InputError:
    path = folder / "people.toml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_plan_file(path)
    return caught.value


def test_a_plan_file_says_what_it_means(tmp_path):
    """Declaration, questions, loss, intervals and ledger are as written; 0.1 is 1/10."""
    path = tmp_path / "people.toml"
    path.write_text(GOOD, encoding="utf-8")

    found = read_plan_file(path)

    table = found.plan.table
    assert (found.title, found.ledger) == ("Wages", tmp_path / "people.ledger")
    assert (table.source, table.name) == (str(tmp_path / "people.csv"), "people")
    assert (table.unit.column, table.unit.max_rows, table.neighbors) == ("person", 3, "replace")
    assert table.columns["wage"].step == Fraction(1, 10)
    assert table.keys["grade"] == (-1, 0, 1, 2)
    assert table.keys["day"] == ("2020-01-01", "2020-01-02")
    assert table.keys["member"] == (True, False)
    assert found.plan.spend.plain() == {"kind": "approx", "epsilon": "1", "delta": "1/1000000"}
    assert found.plan.alpha == Fraction(1, 20)
    assert [line.statistic.label for line in found.plan.lines] == [
        "count by city and grade",
        "histogram age",
    ]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_slip_is_named_with_its_place_and_what_to_type(case, tmp_path):
    """Three lines: the file and the place first, something that can be typed last."""
    old, new, what, fix = CASES[case]
    assert old is None or old in GOOD

    error = _refused(tmp_path, None if old is None else GOOD.replace(old, new, 1))

    assert error.what.startswith("people.toml")
    assert what in error.what
    assert fix in error.fix
    assert len(str(error).split("\n")) == 3
    assert "discreet." not in error.fix


@pytest.mark.parametrize("text", ["[" * 100_000, "a = " + "[" * 5_000, "\x00", "a = '''"])
def test_a_file_that_is_no_plan_is_refused(text, tmp_path):
    """However it is broken, the answer is three lines."""
    error = _refused(tmp_path, text)

    assert "is not TOML" in error.what


def test_bytes_that_are_no_text_are_refused(tmp_path):
    """A plan file is UTF-8."""
    (tmp_path / "people.toml").write_bytes(b"\xff\xfe\x00title")

    assert "cannot be read" in _refused(tmp_path, None).what


def test_a_folder_is_no_plan_file(tmp_path):
    """The operating system's reason is passed on."""
    (tmp_path / "people.toml").mkdir()

    assert "cannot be read" in _refused(tmp_path, None).what


def test_a_pattern_means_files_beside_the_plan_whatever_its_folder_is_called(tmp_path):
    """Only what the plan says is a pattern, not the name of the folder it lies in."""
    folder = tmp_path / "a[b]*"
    folder.mkdir()
    path = folder / "people.toml"
    path.write_text(GOOD.replace("people.csv", "part-*.csv"), encoding="utf-8")

    source = read_plan_file(path).plan.table.source

    (folder / "part-1.csv").touch()
    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / "part-2.csv").touch()
    from glob import glob

    assert [Path(name).name for name in glob(source)] == ["part-1.csv"]


def test_a_limit_on_units_needs_units_and_units_need_a_limit(tmp_path):
    """One row is in one group already; a unit with many rows must be limited somewhere."""
    unit = 'unit = { column = "person", max_rows = 3 }'
    limited = GOOD.replace('statistic = "count"', 'statistic = "count"\nmax_groups = 2')

    rows = _refused(tmp_path, limited.replace(unit, 'unit = "row"'))
    units = _refused(tmp_path, limited.replace(unit, 'unit = { column = "person" }'))

    assert "ask 1, max_groups: max_groups and max_rows_per_group are given" in rows.what
    assert "ask 1: nothing limits how many rows one person adds" in units.what
    assert 'max_rows_per_group = "?"' in units.fix


def test_a_plan_does_not_depend_on_where_its_file_lies(tmp_path):
    """The same text in two folders is the same request."""
    digests = set()
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        (folder / "people.toml").write_text(GOOD, encoding="utf-8")
        digests.add(read_plan_file(folder / "people.toml").plan.digest)

    assert len(digests) == 1


def test_control_characters_of_a_plan_file_do_not_reach_its_errors(tmp_path):
    """A name that would steer a terminal is shown escaped."""
    error = _refused(tmp_path, GOOD.replace('"count"', '"\\u001b[31mcount\\u202e"'))

    assert str(error).replace("\n", "").isprintable()


def test_a_plan_file_may_say_the_errors_wanted(tmp_path):
    """In place of a loss: one for each question, priced in the kind that it names."""
    path = tmp_path / "people.toml"
    terms = 'epsilon = 1\ndelta = "1e-6"'
    path.write_text(GOOD.replace(terms, 'within = [20, "30"]\nkind = "pure"'))

    found = read_plan_file(path).plan

    assert found.spend.kind == "pure"
    assert [line.laws[0].half_width(found.alpha) for line in found.lines] == [20, 30]

    path.write_text(GOOD.replace(terms, "within = 20\nrho = 1"))
    assert read_plan_file(path).plan.cost.fits(zcdp(1))

    path.write_text(GOOD.replace(terms, "within = 20\nrho = 1e-9"))
    with pytest.raises(InputError, match="line 19, spend: the wanted errors cost"):
        read_plan_file(path)


def test_a_mean_of_several_columns_is_asked_as_it_is_written(tmp_path):
    """A list of columns, and a ball that counts as it is written: 0.5 is 1/2."""
    path = tmp_path / "people.toml"
    asked = 'statistic = "mean"\ncolumn = ["age", "wage"]\nby = "city"'
    vector = GOOD[: GOOD.index("[[ask]]")].replace(
        "upper = 0.3, step = 0.1", "upper = 9, step = 0.5"
    )
    path.write_text(f"{vector}[[ask]]\n{asked}\n\n[[ask]]\n{asked}\nball = 4.5\n")

    found = read_plan_file(path).plan

    assert [line.statistic.plain() for line in found.lines] == [
        {"statistic": "mean", "column": ["age", "wage"], "by": ["city"]},
        {"statistic": "mean", "column": ["age", "wage"], "ball": "4.5", "by": ["city"]},
    ]
    for wrong, what in (("4.7", "not a multiple"), ("99", "holds everything")):
        path.write_text(path.read_text().replace("ball = 4.5", f"ball = {wrong}"))
        with pytest.raises(InputError, match=what):
            read_plan_file(path)
        path.write_text(path.read_text().replace(f"ball = {wrong}", "ball = 4.5"))


def test_a_fix_is_said_where_its_setting_stands():
    """A setting has one place in a plan file, whatever was refused; what has none says its part."""
    said = {"spend": {"within": 3}, "data": {"unit": "row"}}
    place = Place("a.toml", ("spend",), Written(said=said))
    for fix, spelled in (
        ("ask for fewer keys", "ask for fewer keys"),
        (write(spend=BLANK), 'write within = "?"'),
        (write(", such as 3", kind="pure"), 'under [spend], write kind = "pure", such as 3'),
        (write(of="plan", alpha="0.05"), 'write alpha = "0.05" above the first [part]'),
        (write(of="table", name="a"), 'under [data], write name = "a"'),
        (write(of="table", keys={"a b": ["?"]}), 'write keys = { "a b" = ["?"] } above the first'),
        (write(of="table", csv={"decimal": ","}), 'under [data], write csv = { decimal = "," }'),
        (write(of="run", request="a b"), "write --request 'a b'"),
        (Do(call("discreet.plan", BLANK)), 'write within = "?"'),
        (leave_out("within"), "remove within"),
    ):
        with pytest.raises(InputError) as caught, place.named():
            raise InputError("the release is too long.", why="it is", fix=fix)
        assert caught.value.fix.startswith(spelled)
