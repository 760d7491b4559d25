"""Names and operators that people try on what discreet returns are answered with a line that works."""

import ast
import copy
import pickle
import re
from pathlib import Path

import pytest

import discreet as dp
from discreet import members
from discreet.errors import CallError, UnknownNameError

pytestmark = pytest.mark.claim("C360")

ROWS = [{"sex": sex, "wage": 1000, "age": 30} for sex in "ffmm"]
START = re.compile(
    r"(?:discreet|release|result|table|plan|question|ledger|visits|print|list)[.(\[]|\[row for"
)


def objects():
    """One of each kind, as a person has them at hand."""
    table = dp.table(
        ROWS,
        unit=dp.unit("age", max_rows=4),
        name="people",
        keys={"sex": ["f", "m"]},
        columns={"wage": dp.bounds(0, 5000)},
    )
    plan = dp.plan(table, dp.count(by="sex"), spend=dp.zcdp("1/50"))
    ledger = dp.ledger(Path("visits.ledger").absolute(), budget=dp.zcdp(9))
    release = dp.run(plan, ledger=ledger)
    return {
        "table": table,
        "plan": plan,
        "question": dp.count(by="sex"),
        "release": release,
        "result": release["count by sex"],
        "ledger": ledger,
    }


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("members"))
        yield objects()


def snippets(text):
    """Each piece of Python in a line: the longest that compiles from where one begins."""
    place = 0
    while match := START.search(text, place):
        ends = [word.end() for word in re.finditer(r"\S+", text) if word.end() > match.start()]
        pieces = [text[match.start() : end].rstrip(",:") for end in reversed(ends)]
        code = next(filter(is_expression, pieces), "")
        if code:
            yield code
        place = match.start() + max(len(code), 1)


def is_expression(code):
    """Tell whether text is one expression, and no row of them."""
    try:
        return not isinstance(ast.parse(code, mode="eval").body, ast.Tuple)
    except SyntaxError:
        return False


def check_followed(fix, world, folder):
    """Check that each piece of Python in a fix does something."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        names = {**world, "discreet": dp, "print": str}
        names |= {"visits": world["table"], "first": dp.count(), "second": dp.count(by="sex")}
        dp.ledger("visits.ledger", budget=dp.zcdp(9))
        if ".save(" not in fix:
            names["release"].save("visits.release")
        if "verify(" in fix:  # who paid is known to the ledger that it was paid from
            (folder / "visits.ledger").unlink()
            (folder / "visits.ledger").write_bytes(world["ledger"].path.read_bytes())
        pieces = [*snippets(fix.replace("release.json", "a file"))]
        for code in pieces:
            eval(code, names)
    return pieces


CASES = [(of, name) for of, lines in members._INSTEAD.items() for names in lines for name in names]


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize(
    ("of", "name"), [(of, names[0]) for of, lines in members._INSTEAD.items() for names in lines]
)
def test_each_line_can_be_typed_as_it_stands(of, name, world, tmp_path):
    """Every piece of Python in the register is accepted, with the objects that it names."""
    with pytest.raises(UnknownNameError) as caught:
        getattr(world[of], name)

    fix = caught.value.fix
    prose = "in the question" in fix or "in a question" in fix
    assert check_followed(fix, world, tmp_path) or prose, fix


@pytest.mark.parametrize(("of", "name"), CASES)
def test_a_name_of_the_register_is_none_that_is_there(of, name, world):
    """Otherwise its line would never be said; and each is said in three lines."""
    with pytest.raises(UnknownNameError) as caught:
        getattr(world[of], name)

    assert str(caught.value).count("\n") == 2
    assert not hasattr(world[of], name)
    assert caught.value.fix != "write one of these names in its place"


OPERATORS = {
    "result[0]": "write result.rows[0]",
    "result[7]": "write result.values[0] for the first number, or result.values for all",
    "result['f']": 'write [row for row in result if row["sex"] == "f"]',
    "result['value']": 'write result.table().column("value")',
    "result[0.5]": "write result.rows, which has a dict for each number",
    "result - other": 'write release.difference("count by sex", other="count_units by sex")',
    "result / other": 'write release.ratio("count by sex", "count_units by sex")',
    "result + 1": 'write result.values, or release.intervals("count by sex") for',
    "1 - result": "write result.values, or",
    "result > 3": "write result.values, or",
    "float(result)": "write result.values[0] for",
    "int(result)": "write result.values[0] for",
    "round(result, 2)": "write result.values[0] for",
    "release.total('count by sex') * 2": "write result.values",
    "question['sex']": 'as in discreet.count(by="sex")',
    "question(table)": "write discreet.plan(table, question, spend=",
    "question + question": "write discreet.plan(table, first, second, spend=",
    "float(question)": "and discreet.run(plan",
    "plan[0]": "write discreet.run(plan, ledger=",
    "plan(table)": "write discreet.run(plan, ledger=",
    "table['wage']": 'write discreet.mean("wage") as a question',
    "table['sex']": 'write discreet.count(by="sex") as a question',
    "table['age']": 'write table.where("age >= 18")',
    "table[0]": "write print(table)",
    "table(1)": "write discreet.plan(table, discreet.count(), spend=",
    "table.wage": 'write discreet.mean("wage") as a question',
    "release.count": 'write release["count by sex"]',
    "release.to_pandas": "write release.table().to_pandas()",
    "release[0]": 'write release["count by sex"]',
    "release['x']": 'write release["count by sex"]',
}


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("tried", OPERATORS)
def test_brackets_and_arithmetic_are_answered_with_what_was_meant(tried, world, tmp_path):
    """They ended in a bare TypeError of Python; what is shown is followed."""
    both = dp.plan(world["table"], dp.count(by="sex"), dp.count_units("sex"), spend=dp.zcdp(1))
    release = dp.rehearse(both)
    names = {**world, "other": release["count_units by sex"]}

    with pytest.raises(dp.errors.InputError) as caught:
        eval(tried, names)

    assert OPERATORS[tried] in caught.value.fix
    assert str(caught.value).count("\n") == 2
    assert check_followed(
        caught.value.fix, {**world, "release": release} if "other" in tried else world, tmp_path
    )


def test_a_wrong_operator_is_a_type_error_too(world):
    """What Python would raise; and a missing name is an AttributeError."""
    with pytest.raises(TypeError) as caught:
        world["result"] + 1

    assert isinstance(caught.value, CallError)
    with pytest.raises(AttributeError):
        _ = world["result"].value


def test_programs_are_answered_as_before(world):
    """Copies, pickles, truth, equality, loops, and names that begin with an underline."""
    for thing in world.values():
        with pytest.raises(AttributeError) as caught:
            _ = thing._repr_png_
        assert type(caught.value) is AttributeError
        assert not hasattr(thing, "__array__")
        assert bool(thing)
    question = world["question"]
    assert pickle.loads(pickle.dumps(question)) == copy.deepcopy(question) == question
    assert len([*world["result"]]) == len(world["result"]) == 2
    assert [*world["release"]] == ["count by sex"]
    assert copy.copy(world["result"]).values == world["result"].values


def test_no_answer_reads_data(world):
    """What stands in an answer is public: names, keys and columns of the declaration."""
    secret = [{"sex": "f", "wage": 4321, "age": 77}]
    table = dp.table(secret, unit="row", name="people", columns={"wage": dp.bounds(0, 5000)})

    for tried in (lambda: table.head, lambda: table[0], lambda: table.wage, lambda: table["age"]):
        with pytest.raises(dp.errors.InputError) as caught:
            tried()
        assert "4321" not in str(caught.value)
        assert "77" not in str(caught.value)


def test_what_is_shown_for_people_is_there(world):
    """Each name that a refusal lists can be asked for."""
    for of, names in members._FOR_PEOPLE.items():
        for name in names:
            assert hasattr(world[of], name)
    assert members.instead_of("result", "no such name") == ""
