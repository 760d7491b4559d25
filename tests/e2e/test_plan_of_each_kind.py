"""Of every statistic: Python, a plan file, the command line and the calculator plan one noise.

All cases come from the register: each example of each statistic, alone and with intervals that hold
together where it can, under a loss in epsilon and one in rho. A new statistic is tried unasked.
"""

import json
from fractions import Fraction

import pytest
from session import run

import discreet as dp
from discreet.calculator import accuracy
from discreet.errors import InputError
from discreet.plan_file.schema import toml
from discreet.statistic.catalog import LISTED, statistic_of

HEAD = """\
[data]
source = "visits.csv"
unit = "row"
[columns.cost]
lower = -3
upper = 9
step = "0.5"
[columns.age]
lower = 0
upper = 4
step = "0.5"
[keys]
ward = ["A", "B"]
floor = [0, 1, 2]
[spend]
"""
LOSSES = {"epsilon": dp.pure("3/2"), "rho": dp.zcdp("1/8")}
LAWS = {"epsilon": "geometric", "rho": "discrete_gaussian"}
ALPHA = Fraction(1, 20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planned")
    (folder / "visits.csv").write_text("ward,floor,cost,age\nA,1,2,3\n")
    return folder


def declared(folder):
    half = {"step": "0.5"}
    return dp.table(
        folder / "visits.csv",
        unit="row",
        columns={"cost": dp.bounds(-3, 9, **half), "age": dp.bounds(0, 4, **half)},
        keys={"ward": ["A", "B"], "floor": [0, 1, 2]},
    )


def questions(name, table):
    """Each example, by a key where it takes one; and together where its numbers can hold so."""
    for options in LISTED[name].examples(table):
        for more in ({"by": ["ward"]}, {}, {"by": ["ward"], "together": True}):
            plain = {"statistic": name, **options, **more}
            try:
                question = statistic_of(plain)
                question.aggregates(table)
            except (InputError, TypeError):
                continue
            yield plain, question


def on_the_command_line(folder, plain, kind, loss):
    """What `discreet plan` says of a plan file, as data."""
    words = "".join(f"{name} = {toml(value)}\n" for name, value in plain.items())
    spend = f"{kind} = {toml(str(loss.numbers[0]))}\nledger = 'visits.ledger'\n"
    path = folder / "visits.toml"
    path.write_text(f"{HEAD}{spend}[[ask]]\n{words}")
    code, text = run(f"discreet plan {path} --json")
    assert code == 0, text
    return json.loads(text)


def by_calculator(kind, law, paid):
    """The half-width of a law by its price alone: whatever is asked, one unit moves it so far."""
    (price,) = law.loss(l1=paid.l1, l2_squared=paid.l2_squared).numbers
    if kind == "epsilon":
        return {"epsilon": price, "sensitivity": paid.l1}
    return {"rho": price / Fraction(paid.l2_squared)}  # of numbers that one unit moves by 1


@pytest.mark.exhaustive
@pytest.mark.claim("C501")
@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("name", LISTED)
def test_all_plan_one_noise(folder, name, kind):
    """The same digest, law, price and half-width; and the law's own is what the calculator says."""
    table, tried = declared(folder), 0
    for plain, question in questions(name, table):
        try:
            plan = dp.plan(table, question, spend=LOSSES[kind])
        except InputError:
            continue
        tried += 1
        (line,), told = plan.lines, on_the_command_line(folder, plain, kind, LOSSES[kind])
        (shown,) = told["lines"]
        expected = line.statistic.expected(table, line.laws, plan.level(line))
        assert told["digest"] == plan.digest
        assert shown["noise"] == [law.plain() for law in line.laws]
        assert Fraction(shown["half_width"]) == expected.half_width
        assert shown["divided_by_rows"] == expected.per_row

        for law, counted in zip(line.laws, line.aggregates, strict=True):
            if counted.choice:
                continue
            known = by_calculator(kind, law, counted.paid)
            said = accuracy(LAWS[kind], alpha=ALPHA, **known)
            assert said == law.half_width(ALPHA)
            options = " ".join(f"--{option}={value}" for option, value in known.items())
            code, text = run(f"discreet calc accuracy {LAWS[kind]} {options} --alpha=0.05 --json")
            assert code == 0, text
            assert Fraction(json.loads(text)["answer"]) == said
    assert tried or kind == "epsilon"
