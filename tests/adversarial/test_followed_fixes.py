"""Each fix of Python that a slip is told is followed to the letter, and leads to what was meant.

Over the table of slips in Python, and over what people type who come from other tools: each way out
is taken, question marks are answered by where they stand, and what comes out is accepted, or is
refused with a fix that is followed in turn.
"""

import ast
from pathlib import Path

import numpy as np
import pytest
from bad_input import declarations, world
from following import outcomes, result

import discreet as dp
from discreet.fix import write

pytestmark = [pytest.mark.claim("C18"), pytest.mark.claim("C250")]

QUESTION_MARKS = 137  # that these slips are answered with; may only fall


NAMES = {
    **vars(declarations),
    "declared": world.declared,
    "planned": world.planned,
    "dp": dp,
    "np": np,
}
MEANT = {  # what people type first, and what they mean
    # of settings that stand elsewhere
    "dp.plan(declared(), dp.count(), epsilon=1)": "dp.plan(declared(), dp.count(), spend=dp.pure(1))",
    "dp.plan(declared(), dp.count(), rho='1/50')": "dp.plan(declared(), dp.count(), spend=dp.zcdp('1/50'))",
    "dp.plan(declared(), dp.count(), epsilon=1, delta='1e-6')": "dp.plan(declared(), dp.count(), spend=dp.approx(1, '1e-6'))",
    "dp.plan(declared(), dp.count(), budget=dp.pure(1))": "dp.plan(declared(), dp.count(), spend=dp.pure(1))",
    "dp.plan(declared(), epsilon=1)": "dp.plan(declared(), dp.count(), spend=dp.pure(1))",
    "dp.plan(declared(), [dp.count(), dp.count(by='ward')], spend=dp.pure(1))": "dp.plan(declared(), dp.count(), dp.count(by='ward'), spend=dp.pure(1))",
    "dp.plan(declared(), dp.count(), spend=dp.pure(1), seed=3)": "dp.plan(declared(), dp.count(), spend=dp.pure(1))",
    "dp.plan(declared(), dp.count(), spend=dp.pure(1), mechanism='laplace')": "dp.plan(declared(), dp.count(), spend=dp.pure(1))",
    "dp.plan(declared(), dp.count(), spend=dp.pure(1), confidence=0.9)": "dp.plan(declared(), dp.count(), spend=dp.pure(1), alpha='0.1')",
    "planned(dp.count(epsilon=1))": "planned(dp.count(spend=dp.pure(1)))",
    "planned(dp.count(distinct=True))": "planned(dp.count_units())",
    "planned(dp.count('ward', distinct=True))": "planned(dp.count_units('ward'))",
    "planned(dp.count(noise='gaussian'))": "planned(dp.count())",
    "planned(dp.count(group_by='ward'))": "planned(dp.count(by='ward'))",
    "planned(dp.count(groupby='ward'))": "planned(dp.count(by='ward'))",
    "planned(dp.count(filter='cost > 3'))": "planned(dp.count(where='cost > 3'))",
    "planned(dp.sum('cost', bounds=(0, 100)))": "planned(dp.sum('cost'), table=declared(columns={'cost': dp.bounds(0, 100)}))",
    "planned(dp.mean('cost', lower=0, upper=100))": "planned(dp.mean('cost'), table=declared(columns={'cost': dp.bounds(0, 100)}))",
    "dp.plan(declared(), dp.mean('cost'), spend=dp.pure(1), rows=100)": "dp.plan(declared(), dp.mean('cost', rows=100), spend=dp.pure(1))",
    "dp.plan(declared(), dp.count(), spend=dp.pure(1), by='ward')": "dp.plan(declared(), dp.count(by='ward'), spend=dp.pure(1))",
    "dp.plan(declared(), dp.count(), spend=dp.pure(1), where='cost > 3')": "dp.plan(declared(), dp.count(where='cost > 3'), spend=dp.pure(1))",
    # of a value that is there, in another form
    "declared(columns={'cost': (0, 5000)})": "declared(columns={'cost': dp.bounds(0, 5000)})",
    "declared(columns={'cost': [5000, 0, '0.25']})": "declared(columns={'cost': dp.bounds(0, 5000, step='0.25')})",
    "declared(columns={'cost': range(5001)})": "declared(columns={'cost': dp.bounds(0, 5000, step=1)})",
    "declared(columns={'cost': {'min': 0, 'max': 9}})": "declared(columns={'cost': dp.bounds(0, 9)})",
    "declared(columns={'cost': '0 to 9'})": "declared(columns={'cost': dp.bounds(0, 9)})",
    "declared(columns={'day': ('2024-01-01', '2024-12-31')})": "declared(columns={'day': dp.bounds('2024-01-01', '2024-12-31')})",
    "declared(columns={'cost': dp.bounds((0, 9))})": "declared(columns={'cost': dp.bounds(0, 9)})",
    "dp.plan(declared(), dp.count(), spend=1)": "dp.plan(declared(), dp.count(), spend=dp.pure(1))",
    "dp.plan(declared(), dp.count(), spend='1/8')": "dp.plan(declared(), dp.count(), spend=dp.zcdp('1/8'))",
    "dp.plan(declared(), dp.count(), spend={'epsilon': 1})": "dp.plan(declared(), dp.count(), spend=dp.pure(1))",
    "dp.plan(declared(), dp.count(), spend=(1, 1e-6))": "dp.plan(declared(), dp.count(), spend=dp.approx(1, 1e-6))",
    "dp.plan(declared(), dp.count(), spend='zcdp(1/50)')": "dp.plan(declared(), dp.count(), spend=dp.zcdp('1/50'))",
    "dp.table('people.csv', unit='person', max_rows=3)": "dp.table('people.csv', unit=dp.unit('person', max_rows=3))",
    # of groups and numbers that a formula makes
    "planned(dp.count(by='month(day)'))": "planned(dp.count(by='month'), table=declared().derive(month=dp.derived('month(day)', keys=range(1, 13))))",
    "planned(dp.count(by='month(when)'))": "planned(dp.count(by='month'), table=declared().derive(month=dp.derived('month(\"when\")', keys=range(1, 13))))",
    "planned(dp.count(by=['ward', 'hour(t)']))": "planned(dp.count(by=['ward', 'hour']), table=declared().derive(hour=dp.derived('hour(t)', keys=range(24))))",
    "planned(dp.count(by='floor(cost / 1000)'))": "planned(dp.count(by='band'), table=declared().derive(band=dp.derived('floor(cost / 1000)', keys=range(6))))",
    "planned(dp.count(by='cost >= 18'))": "planned(dp.count(by='band'), table=declared().derive(band=dp.derived('cost >= 18', keys=[False, True])))",
    "planned(dp.sum('cost * 2'))": "planned(dp.sum('made'), table=declared().derive(made=dp.derived('cost * 2', bounds=dp.bounds(0, 5000))))",
    "planned(dp.mean('cost ~ ward'))": "planned(dp.mean('cost', by='ward'))",
    "planned(dp.count('*'))": "planned(dp.count())",
    # of the settings of other tools
    "planned(dp.histogram('cost', width=10))": "planned(dp.histogram('cost', bins=range(0, 5001, 10)))",
    "planned(dp.histogram('cost', n_bins=10))": "planned(dp.histogram('cost', bins=10))",
    "planned(dp.variance('cost', ddof=1))": "planned(dp.variance('cost', sample=True))",
    "planned(dp.variance('cost', ddof=0))": "planned(dp.variance('cost'))",
    "planned(dp.mean(column_name='cost'))": "planned(dp.mean(column='cost'))",
    "planned(dp.sum('cost', low=0, high=100))": "planned(dp.sum('cost'), table=declared(columns={'cost': dp.bounds(0, 100)}))",
    "dp.plan(declared(), dp.count(confidence=0.9), spend=dp.pure(1))": "dp.plan(declared(), dp.count(), spend=dp.pure(1), alpha='0.1')",
    "planned(dp.mean('cost', wieght=2))": "planned(dp.mean('cost', weight=2))",
    "planned(dp.sum('cost', weights='age'))": "planned(dp.sum('cost'))",
    "planned(dp.regression('cost ~ age'), table=declared(columns={'cost': dp.bounds(0, 9, step=1), 'age': dp.bounds(0, 9, step=1)}))": "planned(dp.regression('cost', on=['age']), table=declared(columns={'cost': dp.bounds(0, 9, step=1), 'age': dp.bounds(0, 9, step=1)}))",
    "planned(dp.regression(y='cost', x='age'), table=declared(columns={'cost': dp.bounds(0, 9, step=1), 'age': dp.bounds(0, 9, step=1)}))": "planned(dp.regression('cost', on=['age']), table=declared(columns={'cost': dp.bounds(0, 9, step=1), 'age': dp.bounds(0, 9, step=1)}))",
    "dp.sql('SELECT COUNT(*) FROM people', declared(), spend=dp.pure(1))": "dp.plan(*dp.sql('SELECT COUNT(*) FROM people', declared()), spend=dp.pure(1))",
    "dp.sql('SELECT COUNT(*) FROM people', declared(), epsilon=1)": "dp.plan(*dp.sql('SELECT COUNT(*) FROM people', declared()), spend=dp.pure(1))",
    "planned(dp.correlation('cost', 'age'), table=declared(columns={'cost': dp.bounds(0, 9, step=1), 'age': dp.bounds(0, 9, step=1)}))": "planned(dp.correlation(['cost', 'age']), table=declared(columns={'cost': dp.bounds(0, 9, step=1), 'age': dp.bounds(0, 9, step=1)}))",
    "planned(dp.regression(['age'], 'cost'), table=declared(columns={'cost': dp.bounds(0, 9, step=1), 'age': dp.bounds(0, 9, step=1)}))": "planned(dp.regression('cost', on=['age']), table=declared(columns={'cost': dp.bounds(0, 9, step=1), 'age': dp.bounds(0, 9, step=1)}))",
    # of questions in another form, or in another place
    "dp.plan(declared(), dp.count(), dp.pure(1))": "dp.plan(declared(), dp.count(), spend=dp.pure(1))",
    "dp.plan(dp.count(), declared(), spend=dp.pure(1))": "dp.plan(declared(), dp.count(), spend=dp.pure(1))",
    "dp.plan(declared(), dp.mean, spend=dp.pure(1))": "dp.plan(declared(), dp.mean('cost'), spend=dp.pure(1))",
    "dp.plan(declared(), 'AVG(cost)', dp.count(), spend=dp.pure(1))": "dp.plan(declared(), dp.mean('cost'), dp.count(), spend=dp.pure(1))",
    "dp.plan(declared(), 'ward', spend=dp.pure(1))": "dp.plan(declared(), dp.count(by='ward'), spend=dp.pure(1))",
    "dp.plan(declared(), 'SELECT COUNT(*) FROM people', spend=dp.pure(1))": "dp.plan(*dp.sql('SELECT COUNT(*) FROM people', declared()), spend=dp.pure(1))",
    "dp.sql(declared(), 'SELECT COUNT(*) FROM people')": "dp.sql('SELECT COUNT(*) FROM people', declared())",
    # of what is missing, or too much
    "dp.table('people.csv')": "dp.table('people.csv', unit='row')",
    "dp.table('people.csv', 'row')": "dp.table('people.csv', unit='row')",
    "dp.table('people.csv', id='row')": "dp.table('people.csv', unit='row')",
    "dp.approx(1)": "dp.approx(1, '1e-6')",
    "dp.pure()": "dp.pure(1)",
    "dp.zcdp(1, '1e-6')": "dp.zcdp(1, delta='1e-6')",
    "dp.gdp('1/25')": "dp.gdp(mu2='1/25')",
    "dp.unit('person', 3)": "dp.unit('person', max_rows=3)",
    "dp.bounds(0, 1, '0.1')": "dp.bounds(0, 1, step='0.1')",
    "dp.bounds(min=0, max=9)": "dp.bounds(lower=0, upper=9)",
    "dp.bounds(0)": "dp.bounds(0, 5000)",
    "dp.unknown()": "dp.unknown(max_groups=3)",
    "planned(dp.cube('ward', 'sex'), table=declared(keys={'ward': ['A'], 'sex': ['f']}))": "planned(dp.cube(['ward', 'sex']), table=declared(keys={'ward': ['A'], 'sex': ['f']}))",
    "planned(dp.count('ward', 'sex'), table=declared(keys={'ward': ['A'], 'sex': ['f']}))": "planned(dp.count(['ward', 'sex']), table=declared(keys={'ward': ['A'], 'sex': ['f']}))",
    # of what means something else here
    "planned(dp.quantile('cost', 95))": "planned(dp.quantile('cost', '0.95'))",
    "planned(dp.quantile('cost', 99.9))": "planned(dp.quantile('cost', '0.999'))",
    "planned(dp.quantile('cost', 1))": "planned(dp.quantile('cost', '0.99'))",
    "planned(dp.quantile('cost', q='0.5'))": "planned(dp.quantile('cost', at='0.5'))",
    "planned(dp.mean('cost', 'age'), table=declared(columns={'cost': dp.bounds(0, 9, step=1), 'age': dp.bounds(0, 9, step=1)}))": "planned(dp.mean(['cost', 'age']), table=declared(columns={'cost': dp.bounds(0, 9, step=1), 'age': dp.bounds(0, 9, step=1)}))",
    "planned(dp.count(by='cost'))": "planned(dp.histogram('cost'))",
    "declared(keys={'ward': [0, None]})": "declared(keys={'ward': dp.keys(0, missing=-1)})",
    "declared(keys={'ward': ['A', None]})": "declared(keys={'ward': dp.keys('A', missing='unknown')})",
}  # fmt: skip


def slips():
    """Return the text of each slip in the tables of bad input, as it would be typed."""
    tree = ast.parse(Path(declarations.__file__).read_text(encoding="utf-8"))
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "no":
            name = next(
                key.value
                for parent in ast.walk(tree)
                if isinstance(parent, ast.Dict)
                for key, value in zip(parent.keys, parent.values, strict=True)
                if value is node
            )
            found[name] = as_typed(node.args[1])
    return found


def as_typed(act):
    if isinstance(act, ast.Lambda):
        return ast.unparse(act.body)
    words = [ast.unparse(one) for one in act.args]
    options = [ast.unparse(one) for one in act.keywords]
    rest = ", ".join([*words[1:], *options])
    return {
        "bounded": lambda: f"dp.bounds({', '.join([*words, *options])})",
        "keyed": lambda: f"declared(keys={{'ward': {words[0]}}})",
        "asking": lambda: f"planned({words[0]}({rest}))",
        "of_units": lambda: f"planned({words[0]}({rest}), table=declared(unit=dp.unit('person')))",
    }[act.func.id]()


SLIPS = slips()
PROSE = {  # what nobody can type for somebody else: it names what to look at, and shows nothing
    *("a question twice", "bins with NaN", "mean of nothing", "too many bins"),
    *("column name with NUL", "column named by a number", "column named by nothing"),
    *("key is half a character", "sum of a number", "unit column is a number"),
}


def same(one, other):
    return str(one.plain() if hasattr(one, "plain") else one) == str(
        other.plain() if hasattr(other, "plain") else other
    )


@pytest.mark.claim("C644")
@pytest.mark.parametrize("slip", MEANT)
def test_a_fix_leads_to_what_was_meant(slip):
    """The first way out, or one of the others, is what a person of other tools meant."""
    meant = result(ast.parse(MEANT[slip], mode="eval").body, NAMES)

    ends = list(outcomes(slip, NAMES, []))

    assert ends
    assert any(same(end, meant) for _, end in ends), [text for text, _ in ends]


@pytest.mark.parametrize("name", sorted({*SLIPS} - PROSE))
def test_a_fix_of_a_slip_in_python_can_be_followed(name):
    """Each way out that it shows is accepted, or leads on to one that is."""
    ends = list(outcomes(SLIPS[name], NAMES, []))

    assert ends


@pytest.mark.parametrize("name", sorted(PROSE))
def test_what_cannot_be_followed_is_prose(name):
    """It shows nothing to type that would not do."""
    assert list(outcomes(SLIPS[name], NAMES, [])) == []


def test_few_answers_are_asked_for():
    """How many question marks all these fixes hold may only fall."""
    counted = []
    for text in [*MEANT, *SLIPS.values()]:
        list(outcomes(text, NAMES, counted))

    assert len(counted) <= QUESTION_MARKS


LIES = {  # fixes that were printed once, or would be wrong
    "quantile of a percentage": ("planned(dp.quantile('cost', 95))", write(at="0.01"), "0.95"),
    "keys with None": (
        "declared(keys={'ward': [0, None]})",
        write(keys={"ward": ["A", None]}),
        "missing=-1",
    ),
    "the same again": (
        "planned(dp.count(by=['ward', 'ward']))",
        write(by=["ward", "ward"]),
        "by='ward'",
    ),
    "a question mark for a name": (
        "planned(dp.count(by=['ward', 'ward']))",
        write(by="?"),
        "by='ward'",
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_a_fix_that_does_not_lead_there_is_seen(name, monkeypatch):
    """The check has power: advice that is refused again, means something else, or asks too much."""
    slip, lie, right = LIES[name]
    told = dp.errors.DiscreetError.__init__

    def lying(self, what, *, why, fix, kind="", at=""):
        told(self, what, why=why, fix=lie, kind=kind, at=at)

    monkeypatch.setattr(dp.errors.DiscreetError, "__init__", lying)
    try:
        ends = [text for text, _ in outcomes(slip, NAMES, [])]
    except AssertionError:
        return
    assert not any(right in text for text in ends)
