"""Each table of a join may have its CSV cells written in its own way."""

import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.plans.plan import plan_of
from discreet.schema.table import table_of
from engine.sources import opened

OWN = {
    "encoding": "windows-1252",
    "decimal": ",",
    "thousands": ".",
    "missing": ["-"],
    "days": "%d.%m.%Y",
}
USUAL = {"decimal": "."}
LINES = "order,price,day,city\n1,2.5,2024-12-31,Köln\n2,1.5,2024-01-01,-\n3,x,2024-01-01,Bonn\n"
OWNERS = (
    "order;customer;paid;paid_on;town;floor\n1;ann;1.234,5;31.12.2024;Köln;1,0\n"
    "2;bob;2,5;01.01.2024;-;2,0\n3;cem;0.5;2024/01/01;Bonn;x\n"
)
ROWS = [
    {"order": "1", "price": 2.5, "day": "2024-12-31", "city": "Köln"},
    {"order": "2", "price": 1.5, "day": "2024-01-01", "city": "-"},
    {"order": "3", "price": None, "day": "2024-01-01", "city": "Bonn"},
]
WHO = [
    {"order": "1", "customer": "ann", "paid": 1234.5, "paid_on": "2024-12-31", "town": "Köln", "floor": 1},
    {"order": "2", "customer": "bob", "paid": 2.5, "paid_on": "2024-01-01", "town": None, "floor": 2},
    {"order": "3", "customer": "cem", "paid": None, "paid_on": None, "town": "Bonn", "floor": None},
]  # fmt: skip
TEXTS, DAYS = ["Köln", "Bonn", "-"], ["2024-12-31", "2024-01-01"]


def facts(source, **how):
    return dp.table(
        source,
        name="lines",
        unit=dp.unit("customer", max_rows=5),
        columns={"price": dp.bounds(0, 10), "paid": dp.bounds(0, 2000)},
        keys={"town": TEXTS, "city": TEXTS, "paid_on": DAYS, "day": DAYS, "floor": [1, 2]},
        **how,
    )


def owned(source, **how):
    gives = ["customer", "paid", "paid_on", "town", "floor"]
    return dp.owner(source, name="orders", on="order", gives=gives, **how)


def exact(table):
    """What is counted, for columns of both tables in each role: value, key and expression."""
    asked = [
        *(dp.sum(of, by=by) for of in ("paid", "price") for by in ("town", "city")),
        *(dp.count(by=by) for by in ("paid_on", "day", "floor")),
        dp.count(where="paid > 1000"),
        dp.count(where="price < 2"),
        dp.count(where="paid_on > DATE '2024-06-01'"),
        dp.count(where="day > DATE '2024-06-01'"),
        dp.count(where="town IS NULL"),
        dp.count(where="city IS NULL"),
    ]
    wanted = [one for question in asked for one in question.aggregates(table)]
    prepared = engine_for(table.source).prepare(table, tuple(wanted))
    return opened(prepared.count(7))


def written(folder):
    (folder / "lines.csv").write_bytes(LINES.encode())
    (folder / "orders.csv").write_bytes(OWNERS.encode("windows-1252"))
    return str(folder / "lines.csv"), str(folder / "orders.csv")


@pytest.mark.claim("C350")
def test_two_files_are_read_each_in_its_own_way(tmp_path):
    """Values, keys, days and conditions are those of a list that says the same."""
    lines, orders = written(tmp_path)
    read = exact(facts(lines).joined(owned(orders, csv=OWN)))
    assert read == exact(facts(ROWS).joined(owned(WHO)))
    assert read[0] == (123450, 0, 0)


@pytest.mark.claim("C350")
def test_the_table_may_be_the_one_that_is_written_otherwise(tmp_path):
    """A join that says that its cells are as usual has not those of the table."""
    text = OWNERS.replace(".", "/").replace(",", ".").replace(";", ",").replace("1/234", "1234")
    (tmp_path / "orders.csv").write_text(text.replace("31/12/2024", "2024-12-31"))
    text = LINES.replace(",", ";").replace(".", ",").replace("2024-12-31", "31.12.2024")
    (tmp_path / "lines.csv").write_bytes(text.encode("windows-1252"))
    lines, orders = (str(tmp_path / f"{name}.csv") for name in ("lines", "orders"))
    table = facts(lines, csv=OWN).joined(owned(orders, csv={}))
    paid = dp.sum("paid", by="city").aggregates(table)
    assert opened(engine_for(lines).prepare(table, paid).count(7)) == [(123450, 0, 0)]


@pytest.mark.claim("C350")
def test_a_join_that_says_nothing_is_written_as_its_table(tmp_path):
    """As ever; to say the same once more is the same declaration, to its digest."""
    lines, orders = written(tmp_path)
    silent, own = facts(lines, csv=OWN), facts(lines, csv=USUAL)
    plans = [
        dp.plan(one, dp.count(), spend=dp.zcdp(1)).digest
        for one in (
            silent.joined(owned(orders)),
            silent.joined(owned(orders, csv=OWN)),
            own.joined(owned(orders)),
            own.joined(owned(orders, csv=OWN)),
        )
    ]
    assert plans[0] == plans[1]
    assert len({*plans}) == 3
    assert "csv" not in silent.joined(owned(orders)).joins[0].plain()


@pytest.mark.claim("C350")
def test_the_plan_says_of_each_file_how_it_is_read(tmp_path):
    """Encoding, numbers and days; a release that is read again says the same."""
    lines, orders = written(tmp_path)
    table = facts(lines).joined(owned(orders, csv=OWN)).where("paid_on >= DATE '2000-01-01'")
    asked = dp.plan(table, dp.sum("paid"), dp.sum("price"), spend=dp.zcdp(1))
    text = " ".join(str(asked).split())
    assert "In lines text is read as UTF-8 and numbers as 1234.5" in text
    assert "In orders text is read as windows-1252 and numbers as 1.234,5" in text
    assert "Days are read as %d.%m.%Y and times as 10:30:00 in paid_on" in text
    assert table_of(table.plain()).joins == table.joins
    assert plan_of(asked.plain()).digest == asked.digest
    again = " ".join(str(plan_of(asked.plain())).split())
    assert again.partition("Bounds")[0] == text.partition("Bounds")[0]


FILE = """
[data]
source = "lines.csv"
unit = { column = "customer", max_rows = 5 }

[columns]
paid = { lower = 0, upper = 2000 }

[owner.orders]
source = "orders.csv"
on = "order"
gives = ["customer", "paid"]
csv = { encoding = "windows-1252" }

[spend]
rho = 1

[[ask]]
statistic = "sum"
column = "paid"
"""


@pytest.mark.claim("C350")
def test_a_plan_file_says_the_same_and_a_fix_names_the_part(tmp_path):
    """What is refused of a joined file is put right in its own part, and then it is read."""
    written(tmp_path)
    (path := tmp_path / "plan.toml").write_text(FILE)
    file = read_plan_file(path)
    with pytest.raises(InputError) as refused:
        engine_for(file.plan.table.source).prepare(
            file.plan.table, dp.sum("paid").aggregates(file.plan.table)
        )
    line = 'csv = { encoding = "windows-1252", decimal = "," }'
    assert f"under [owner.orders], write {line}" in file.face.spell(refused.value.ways)
    assert 'write csv={"encoding": "windows-1252", "decimal": ","} in discreet.owner' in str(
        refused.value
    )
    path.write_text(FILE.replace('csv = { encoding = "windows-1252" }', line))
    table = read_plan_file(path).plan.table
    assert table.joins[0].csv.decimal == ","
    engine_for(table.source).prepare(table, dp.sum("paid").aggregates(table))


@pytest.mark.claim("C350")
@pytest.mark.parametrize(
    ("options", "what"),
    [({"decimals": ","}, "csv has no option"), ("x", "csv is a str"), ({"quote": "x"}, "quote")],
)
def test_options_that_cannot_be_are_refused_where_they_stand(options, what):
    with pytest.raises(InputError, match=what):
        owned("orders.csv", csv=options)
    with pytest.raises(InputError, match=what):
        dp.join("people.csv", gives=["age"], csv=options)


def test_two_tables_of_a_join_have_two_names():
    """The first one, too: releases say of each how it was read, by its name."""
    with pytest.raises(InputError, match="one name"):
        facts("a/lines.csv").joined(dp.join("b/x.csv", name="lines", gives=["age"]))
