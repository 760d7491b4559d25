"""HAVING in a SELECT is a rule of publication, or is refused with what to type.

False alarm: where noise is drawn its deviation is at most 1, and counts lie 20 of them from each
threshold: below one of 10^80 runs.
"""

import tomllib

import pyarrow as pa
import pytest

import discreet as dp
from discreet.errors import InputError
from e2e.session import run

ROWS = {
    "state": ["MA"] * 900 + ["NY"] * 60 + ["CA"],
    "sex": [1, 2] * 480 + [1],
    "income": [5] * 961,
}
PEOPLE = dp.table(
    pa.table(ROWS),
    name="people",
    unit="row",
    keys={"state": ["MA", "NY", "CA"], "sex": [1, 2]},
    columns={"income": dp.bounds(0, 10, step=1)},
)
RULES = [
    ("COUNT(*)", "COUNT(*) >= 20", {"at_least": "20"}),
    ("COUNT(*) AS n", "n > 20", {"at_least": "21"}),
    ("COUNT(*) AS n", "20.5 < n", {"at_least": "21"}),
    ("COUNT(*) n", "2.5 <= COUNT(1)", {"at_least": "2.5"}),
    ("AVG(income)", "COUNT(*) >= 10", {"at_least": "10"}),
    ("COUNT(*), AVG(income), STDDEV(income)", "COUNT(*) >= 10", {"at_least": "10"}),
    ("SUM(income)", "SUM(income) >= 100", {"at_least": "100"}),
    (
        "COUNT(*) FILTER (WHERE sex = 1) n, AVG(income) FILTER (WHERE sex = 1)",
        "n >= 9",
        {"at_least": "9"},
    ),
]
REFUSED = [
    ("COUNT(*)", "COUNT(*) < 5", "HAVING COUNT(*) >= 10"),
    ("COUNT(*)", "COUNT(*) = 5", "HAVING COUNT(*) >= 10"),
    ("COUNT(*)", "COUNT(*) >= 5 AND COUNT(*) < 9", "HAVING COUNT(*) >= 10"),
    ("COUNT(*)", "3 > 2", "HAVING COUNT(*) >= 10"),
    ("COUNT(*)", "COUNT(*) > COUNT(*)", "HAVING COUNT(*) >= 10"),
    ("COUNT(*)", "state = 'MA'", "a condition of rows stands in WHERE"),
    ("COUNT(*)", "", "HAVING COUNT(*) >= 10"),
    ("COUNT(*)", "COUNT(*) >= 0", "leave HAVING out"),
    ("COUNT(*)", "COUNT(*) >= 5 OFFSET 2", "ask without it"),
    ("AVG(income)", "AVG(income) > 5", "HAVING COUNT(*) >= 10"),
    ("SUM(income)", "SUM(income) > 100", "HAVING SUM(income) >= 100"),
    ("SUM(income)", "COUNT(*) > 100", "discreet.publish(at_least=101)"),
    ("MEDIAN(income)", "COUNT(*) > 5", "discreet.publish(at_least=6)"),
    ("COUNT(*) FILTER (WHERE sex = 1)", "COUNT(*) > 30", "discreet.publish(at_least=31)"),
    ("COUNT(*)", "COUNT(*) >= 5 LIMIT 1", "ask without it"),
    ("COUNT(*)", "COUNT(*) >= 5 ORDER BY 2 LIMIT 1", "ask without it"),
    ("COUNT(*), AVG(income)", "COUNT(*) >= 5 ORDER BY 2 DESC LIMIT 1", "discreet.choose"),
    ("COUNT(*)", "COUNT(*) >= 5 ORDER BY 2 DESC LIMIT 0", "discreet.top_k"),
]


def sql(asked, having):
    return dp.sql(f"SELECT state, {asked} FROM people GROUP BY state HAVING {having}", PEOPLE)


@pytest.mark.claim("C421")
@pytest.mark.parametrize(("asked", "having", "rule"), RULES)
def test_having_is_a_rule_of_each_number(asked, having, rule):
    """The questions are those without it, each with the rule; the plan says what it looks at."""
    declared, *questions = sql(asked, having)
    _, *plain = dp.sql(f"SELECT state, {asked} FROM people GROUP BY state", PEOPLE)
    said = " ".join(str(dp.plan(declared, *questions, spend=dp.zcdp("1/50"))).split())

    assert [q.plain() for q in questions] == [{**q.plain(), "publish": rule} for q in plain]
    assert "HAVING is a rule of publication: it looks at noisy numbers, at each by itself" in said


@pytest.mark.claim("C421")
def test_limit_behind_it_shows_the_largest():
    """Of a count alone, ordered by it from the largest on: cells are told sparsely then."""
    declared, question = sql("COUNT(*) n", "n >= 20 ORDER BY n DESC LIMIT 1")
    plan = dp.plan(declared, question, spend=dp.zcdp(1))

    assert question.plain()["publish"] == {"at_least": "20", "most": 1}
    assert "at most 1 are told, the largest ones" in " ".join(str(plan).split())
    assert "ORDER BY is left out" not in str(plan)


@pytest.mark.claim("C421")
@pytest.mark.parametrize(("asked", "having", "fix"), REFUSED)
def test_what_is_no_rule_is_refused_with_what_to_type(asked, having, fix):
    with pytest.raises(InputError) as refused:
        sql(asked, having)

    assert len(str(refused.value).splitlines()) == 3
    assert fix in str(refused.value)


@pytest.mark.claim("C421")
def test_tables_that_add_up_have_no_rule():
    text = "SELECT state, sex, COUNT(*) FROM people GROUP BY CUBE (state, sex) HAVING COUNT(*) > 3"

    with pytest.raises(InputError, match="ask for one grouping"):
        dp.sql(text, PEOPLE)


FILE = """
[data]
source = "people.csv"
unit = "row"
[keys]
state = ["MA", "NY", "CA"]
[spend]
rho = "1/2"
ledger = "people.ledger"
[[ask]]
statistic = "count"

"""


@pytest.mark.claim("C421")
@pytest.mark.parametrize(("behind", "shown"), [("", 2), (" ORDER BY n DESC LIMIT 1", 1)])
@pytest.mark.slow
def test_it_is_released_from_the_command_line_and_what_is_hidden_stands_nowhere(
    tmp_path, monkeypatch, behind, shown
):
    """The lines for a plan file are TOML, and ask the same."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{state}" for state in ROWS["state"]]
    (tmp_path / "people.csv").write_text("\n".join(["state", *lines, ""]))
    (tmp_path / "people.toml").write_text(FILE)
    dp.ledger(tmp_path / "people.ledger", budget=dp.zcdp(1), subject="people.csv")
    text = f"SELECT state, COUNT(*) n FROM people GROUP BY 1 HAVING n >= 40{behind}"

    code, said = run(f'discreet sql people.toml "{text}" --release --out a.release')
    saved = dp.load("a.release").document

    assert code == 0, said
    (part,) = saved.statistics
    assert part.answer.rows.columns[0] == ("MA", "NY")[:shown]
    assert len(part.vectors[0].noisy) == shown
    assert dp.verify("a.release", ledger="people.ledger").checks
    (ask,) = tomllib.loads(said.split("In a plan file:")[1].split("\n\n")[0])["ask"]
    assert ask == part.question | {"by": ["state"]}


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("SELECT DISTINCT COUNT(*) FROM people GROUP BY state", "leave DISTINCT out"),
        (
            "SELECT DISTINCT state, sex FROM people",
            "SELECT state, sex, COUNT(*) FROM people GROUP BY state, sex",
        ),
        ("SELECT DISTINCT state, COUNT(*) FROM people GROUP BY CUBE (state)", "leave DISTINCT out"),
    ],
)
def test_distinct_that_leaves_lines_out_is_refused(text, fix):
    with pytest.raises(InputError) as refused:
        dp.sql(text, PEOPLE)

    assert fix in str(refused.value)


@pytest.mark.claim("C440")
@pytest.mark.parametrize("word", ["DISTINCT", "ALL"])
def test_a_word_that_changes_nothing_is_taken(word):
    """Where each group is one line already."""
    asked = dp.sql(f"SELECT {word} state, COUNT(*) FROM people GROUP BY state", PEOPLE)

    assert asked[1] == dp.count(by="state")
