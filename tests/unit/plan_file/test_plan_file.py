"""A plan file says what it means, and every slip in it is named with its place."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import InputError
from discreet.fix import BLANK, Do, call, leave_out, write
from discreet.plan_file.location import Place
from discreet.plan_file.plan_file import read_plan_file
from discreet.plan_file.written import Written
from discreet.privacy.loss import zcdp
from unit.made_country import country
from unit.plan_slips import CASES, GOOD


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


@pytest.mark.parametrize("statistic", ["tables", "cube"])
def test_tables_over_keys_that_nobody_knows_are_refused(statistic, tmp_path):
    """In the words of the plan: the numbers of their cells cannot be asked before."""
    text = GOOD.replace('["A", "B"]', "{ unknown = true, max_groups = 2 }")
    text = text.replace('statistic = "count"', f'statistic = "{statistic}"')

    error = _refused(tmp_path, text)

    assert f"ask 1, by: {statistic} cannot be asked over keys that nobody knows" in str(error)


@pytest.mark.parametrize("line", ['columns = "wage"', "keys = [1]", "data = 3", "alpha = 3"])
def test_what_a_question_says_is_named_in_its_own_line(tmp_path, line):
    """Also where a part of the file has that name; the fix takes it out of the question."""
    name = line.partition(" ")[0]
    text = f'{GOOD}\n[[ask]]\nstatistic = "count"\n{line}\n'
    error = _refused(tmp_path, text)

    at = text.splitlines().index(line) + 1
    assert f"line {at}, ask " in error.what
    assert error.what.endswith(f"count has no option {name}.")
    assert error.fix == f"remove {name}"


MAPPED = '[labels.city]\nmap = { file = "maps/cities.geojson", property = "name" }\n\n'


def test_a_map_is_found_from_the_folder_of_the_plan_file(tmp_path):
    """Its outlines are words, and no part of the plan; an address, and a map of other keys, are not."""
    (tmp_path / "maps").mkdir()
    text = json.dumps(country(2, 1)).replace('"r0"', '"A"')
    (tmp_path / "maps" / "cities.geojson").write_text(text, encoding="utf-8")
    plain, mapped = tmp_path / "plain.toml", tmp_path / "mapped.toml"
    plain.write_text(GOOD, encoding="utf-8")
    mapped.write_text(GOOD.replace("[spend]", f"{MAPPED}[spend]", 1), encoding="utf-8")

    read = read_plan_file(mapped)
    assert [*read.about.labels["city"].map.regions] == ["A", "r1"]
    assert read.plan.digest == read_plan_file(plain).plan.digest
    for old, new, what in [
        ("maps/cities.geojson", "https://example.invalid/x.json", "is not a path of this machine"),
        ("maps/cities.geojson", "maps/none.geojson", "cannot be read"),
        ("labels.city", "labels.grade", "shows none of its keys"),
        ('property = "name"', 'property = "title"', "has no title"),
        ('property = "name"', 'projection = "x"', "is no map"),
    ]:
        text = GOOD.replace("[spend]", f"{MAPPED}[spend]", 1).replace(old, new)
        error = _refused(tmp_path, text)
        assert error.what.startswith("people.toml, line"), error
        assert what in error.what
        assert len(str(error).split("\n")) == 3
