"""JOIN as SQL: taken where it says what the table's declaration says, with the numbers of SQL."""

import duckdb
import pyarrow as pa
import pytest

import discreet as dp
from discreet.errors import InputError

VISITS = {
    "person": ["a", "a", "b", "c", "d", None, "b"],
    "ward": ["A", "B", "A", "A", "B", "A", "B"],
    "cost": [1, 2, 3, 4, 5, 6, 7],
}
PEOPLE = {
    "id": ["a", "b", "c", "e", None],
    "sex": [1, 2, 1, 2, 1],
    "born": [1950, 1960, 1970, 1980, 1],
}
LINES = {
    "order_id": [1, 1, 2, 3, 9],
    "mode": ["X", "Y", "X", "X", "Y"],
    "price": [10, 20, 30, 40, 50],
}
ORDERS = {
    "order_id": [1, 2, 3, 4],
    "customer": ["a", "b", "a", "c"],
    "prio": ["hi", "lo", "lo", "hi"],
}
CUSTOMERS = {"c_id": ["a", "b", "c"], "seg": ["P", "Q", "P"]}
FRAMES = {
    "visits": VISITS,
    "people": PEOPLE,
    "lines": LINES,
    "orders": ORDERS,
    "customers": CUSTOMERS,
}


def frame(name):
    return pa.table(FRAMES[name])


OF_PEOPLE = dp.table(
    frame("visits"),
    name="visits",
    unit=dp.unit("person", max_rows=9),
    keys={"ward": ["A", "B"], "sex": [1, 2]},
    columns={"cost": dp.bounds(0, 9, step=1)},
).joined(dp.join(frame("people"), name="people", key="id", gives=["sex", "born"]))
OF_LINES = dp.table(
    frame("lines"),
    name="lines",
    unit=dp.unit("customer", max_rows=9),
    keys={"mode": ["X", "Y"], "prio": ["hi", "lo"], "seg": ["P", "Q"]},
    columns={"price": dp.bounds(0, 50, step=10)},
).joined(
    dp.owner(frame("orders"), name="orders", on="order_id", gives=["customer", "prio"]),
    dp.join(frame("customers"), name="customers", key="c_id", gives=["seg"]),
)
TAKEN = [
    (OF_PEOPLE, "SELECT p.sex, COUNT(*), SUM(v.cost) FROM visits v JOIN people p ON v.person = p.id GROUP BY p.sex"),
    (OF_PEOPLE, "SELECT p.sex, COUNT(*) FROM people AS p INNER JOIN visits ON p.id = person AND cost > 1 WHERE p.born < 1965 GROUP BY 1"),
    (OF_PEOPLE, "SELECT ward, COUNT(DISTINCT p.id) FROM visits, people p WHERE p.id = visits.person AND ward = 'A' GROUP BY ward"),
    (OF_PEOPLE, "SELECT sex, COUNT(*) FROM visits, people WHERE person = id GROUP BY sex ORDER BY sex"),
    (OF_LINES, "SELECT mode, SUM(price) FROM lines JOIN orders USING (order_id) JOIN customers ON customer = c_id GROUP BY mode"),
    (OF_LINES, "SELECT l.mode, c.seg, SUM(CASE WHEN prio = 'hi' THEN 1 ELSE 0 END) FROM customers c, orders o, lines l "
               "WHERE c.c_id = o.customer AND l.order_id = o.order_id GROUP BY l.mode, c.seg"),
    (OF_LINES, "SELECT c.seg, COUNT(*) FROM orders o JOIN lines l ON o.order_id = l.order_id JOIN customers c ON c.c_id = o.customer "
               "WHERE l.price > 10 GROUP BY c.seg"),
]  # fmt: skip
REFUSED = [
    (OF_PEOPLE, "SELECT COUNT(*) FROM visits, people WHERE ward = 'A'", "JOIN people ON visits.person = people.id"),
    (OF_PEOPLE, "SELECT COUNT(*) FROM visits v JOIN people p", "JOIN people p ON v.person = p.id"),
    (OF_PEOPLE, "SELECT COUNT(*) FROM visits v JOIN people p ON v.ward = p.sex", "JOIN people p ON v.person = p.id"),
    (OF_PEOPLE, "SELECT COUNT(*) FROM visits v JOIN people p ON v.person = v.person", "JOIN people p ON v.person = p.id"),
    (OF_PEOPLE, "SELECT COUNT(*) FROM visits v JOIN people p ON v.person = p.id OR p.born > 3", "JOIN people p ON v.person = p.id"),
    (OF_PEOPLE, "SELECT COUNT(*) FROM visits v JOIN people p ON v.person <= p.id", "JOIN people p ON v.person = p.id"),
    (OF_PEOPLE, "SELECT COUNT(*) FROM visits v LEFT JOIN people p ON v.person = p.id", "JOIN with ON"),
    (OF_PEOPLE, "SELECT COUNT(*) FROM visits CROSS JOIN people", "JOIN with ON"),
    (OF_PEOPLE, "SELECT COUNT(*) FROM visits v JOIN visits w ON v.person = w.person", "name it once"),
    (OF_PEOPLE, "SELECT COUNT(*) FROM people", "FROM visits"),
    (OF_PEOPLE, "SELECT COUNT(*) FROM visits JOIN people USING (person)", "JOIN people ON visits.person = people.id"),
    (OF_PEOPLE, "SELECT v.sex, COUNT(*) FROM visits v JOIN people p ON v.person = p.id GROUP BY 1", "people.sex"),
    (OF_PEOPLE, "SELECT p.tall, COUNT(*) FROM visits v JOIN people p ON v.person = p.id GROUP BY 1", "add tall to what it gives"),
    (OF_PEOPLE, "SELECT COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward", "declare it with discreet.join"),
    (OF_PEOPLE, "SELECT COUNT(*) FROM (SELECT * FROM visits WHERE cost > 3) v JOIN people p ON v.person = p.id", "under WHERE"),
    (OF_LINES, "SELECT COUNT(*) FROM lines l JOIN orders o ON l.order_id = o.order_id", "name customers in FROM"),
    (OF_LINES, "SELECT COUNT(*) FROM customers c, orders o, lines l WHERE c.c_id = o.customer", "JOIN lines l ON o.order_id = l.order_id"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.claim("C441")
@pytest.mark.parametrize(("table", "text"), TAKEN, ids=range(len(TAKEN)))
def test_a_join_that_is_declared_gives_the_numbers_of_sql(table, text, tmp_path):
    """In any order, with ON, USING or a condition under WHERE.

    Noise is 0 but with probability below 10^-20: each number is paid as much as it may be.
    """
    declared, *questions = dp.sql(text, table)
    expected = in_sql(text)

    assert expected
    for place, question in enumerate(questions):
        numbers = released(declared, question, tmp_path / f"{place}.ledger")
        for row in expected:
            key = tuple(map(str, row[: len(row) - len(questions)]))
            assert numbers[key] == row[len(key) + place]


def released(declared, question, path):
    for power in range(9, 0, -1):
        try:
            plan = dp.plan(declared, question, spend=dp.zcdp(10**power))
        except InputError:
            continue
        rows = dp.run(plan, ledger=dp.ledger(path, budget=plan.spend)).table()
        return {tuple(str(row[name]) for name in question.ask.by): row["value"] for row in rows}
    raise AssertionError


def in_sql(text):
    """Return the rows that DuckDB gives."""
    data = duckdb.connect()
    for name in FRAMES:
        data.register(name, frame(name))
    return data.execute(text).fetchall()


@pytest.mark.claim("C441")
@pytest.mark.parametrize(("table", "text", "fix"), REFUSED, ids=range(len(REFUSED)))
def test_a_join_that_is_not_declared_so_is_refused(table, text, fix):
    """With the line that says the declaration's own join."""
    with pytest.raises(InputError) as refused:
        dp.sql(text, table)

    assert len(str(refused.value).splitlines()) == 3
    assert fix in refused.value.fix


@pytest.mark.claim("C441")
def test_the_line_that_a_refusal_types_is_taken():
    """Of a table that nothing ties, and of one that has its condition missing."""
    for text in ("SELECT COUNT(*) FROM visits, people", "SELECT COUNT(*) FROM visits JOIN people"):
        with pytest.raises(InputError) as refused:
            dp.sql(text, OF_PEOPLE)
        line = refused.value.fix.removeprefix("write ")

        assert dp.sql(f"SELECT COUNT(*) FROM visits {line}", OF_PEOPLE)


@pytest.mark.claim("C441")
def test_the_first_table_alone_is_said_to_stand_for_all():
    """FROM visits is the joined table, which SQL would not join; the plan says so."""
    asked = dp.sql("SELECT sex, COUNT(*) FROM visits GROUP BY sex", OF_PEOPLE)

    assert "FROM visits names the table with the tables that are joined" in str(
        dp.plan(*asked, spend=dp.zcdp("1/50"))
    )


@pytest.mark.claim("C441")
def test_an_owner_is_typed_where_rows_do_not_name_their_unit():
    """By the columns that the text uses of the other table."""
    table = dp.table("lines.csv", unit=dp.unit("customer", max_rows=9), keys={"mode": ["X"]})
    text = (
        "SELECT l.mode, COUNT(DISTINCT o.customer) FROM lines l JOIN orders o "
        "ON l.order_id = o.order_id GROUP BY l.mode"
    )
    with pytest.raises(InputError) as refused:
        dp.sql(text, table)

    call = 'discreet.owner("orders.csv", on="order_id", gives=["customer"])'
    assert call in refused.value.fix
    declared = table.joined(dp.owner("orders.csv", on="order_id", gives=["customer"]))
    assert dp.sql(text, declared)
