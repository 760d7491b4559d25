"""TPC-DS in SQL: its aggregates of one block, of a view that has the columns of the public tables.

The texts are those of the benchmark but for two things, which is what `docs/sql.md` says to do: FROM
names one view in place of the tables that it joins, without their conditions, and LIMIT 100 is left
out. The rows are made up: the benchmark's own cannot be made without its generator.
"""

import duckdb
import pyarrow as pa
import pytest

import discreet as dp
from discreet.errors import InputError

ROWS = 4_000
BRAND = "GROUP BY {}i_brand, i_brand_id ORDER BY {}ext_price DESC, brand_id"
DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
OF_DAYS = ", ".join(
    f"sum(CASE WHEN (d_day_name = '{day}') THEN ss_sales_price ELSE NULL END) {day[:3].lower()}_sales"
    for day in DAYS
)
OF_PEOPLE = """cd_gender = 'M' AND cd_marital_status = 'S' AND cd_education_status = 'College'
    AND (p_channel_email = 'N' OR p_channel_event = 'N') AND d_year = 2000"""
LATE = """SELECT substr(w_warehouse_name, 1, 20), sm_type, web_name,
    sum(CASE WHEN (ship_date_sk - sold_date_sk <= 30) THEN 1 ELSE 0 END) AS "30 days",
    sum(CASE WHEN (ship_date_sk - sold_date_sk > 30) AND (ship_date_sk - sold_date_sk <= 60)
        THEN 1 ELSE 0 END) AS "31-60 days",
    sum(CASE WHEN (ship_date_sk - sold_date_sk > 120) THEN 1 ELSE 0 END) AS ">120 days"
    FROM sales WHERE d_month_seq BETWEEN 1200 AND 1200 + 11
    GROUP BY substr(w_warehouse_name, 1, 20), sm_type, web_name
    ORDER BY substr(w_warehouse_name, 1, 20), sm_type, web_name"""
PLACES = """ss_quantity > 0 AND d_year = 2001
    AND ((cd_marital_status = 'M' AND cd_education_status = 'Advanced Degree'
          AND ss_sales_price BETWEEN 100.00 AND 150.00 AND hd_dep_count = 3)
      OR (cd_marital_status = 'S' AND cd_education_status = 'College'
          AND ss_sales_price BETWEEN 50.00 AND 100.00 AND hd_dep_count = 1))
    AND ((ca_country = 'United States' AND ca_state IN ('TX', 'OH', 'CO')
          AND ss_net_profit BETWEEN 100 AND 200)
      OR (ca_country = 'United States' AND ca_state IN ('OR', 'NM', 'KY')
          AND ss_net_profit BETWEEN -50 AND 300))"""
TEXTS = {
    3: "SELECT d_year, i_brand_id brand_id, i_brand brand, sum(ss_ext_sales_price) ext_price FROM sales "
    "WHERE i_manufact_id = 128 AND d_moy = 11 " + BRAND.format("d_year, ", "d_year, "),
    7: "SELECT i_item_id, avg(ss_quantity) agg1, avg(ss_list_price) agg2, avg(ss_coupon_amt) agg3, "
    f"avg(ss_sales_price) agg4 FROM sales WHERE {OF_PEOPLE} GROUP BY i_item_id ORDER BY i_item_id",
    13: "SELECT avg(ss_quantity), avg(ss_ext_sales_price), avg(ss_ext_wholesale_cost), "
    f"sum(ss_ext_wholesale_cost) FROM sales WHERE {PLACES}",
    15: "SELECT ca_zip, sum(ss_sales_price) FROM sales WHERE (substr(ca_zip, 1, 5) IN ('85669', "
    "'86197') OR ca_state IN ('CA', 'WA', 'GA') OR ss_sales_price > 120) AND d_qoy = 2 AND "
    "d_year = 2001 GROUP BY ca_zip ORDER BY ca_zip",
    19: "SELECT i_brand_id brand_id, i_brand brand, i_manufact_id, sum(ss_ext_sales_price) ext_price "
    "FROM sales WHERE i_manager_id = 8 AND d_moy = 11 AND d_year = 1998 AND substr(ca_zip, 1, 5) <> "
    "substr(s_zip, 1, 5) GROUP BY i_brand, i_brand_id, i_manufact_id "
    "ORDER BY ext_price DESC, i_brand, i_brand_id, i_manufact_id",
    42: "SELECT d_year, i_category_id, i_category, sum(ss_ext_sales_price) FROM sales WHERE "
    "i_manager_id = 1 AND d_moy = 11 AND d_year = 2000 GROUP BY d_year, i_category_id, i_category "
    "ORDER BY sum(ss_ext_sales_price) DESC, d_year, i_category_id, i_category",
    43: f"SELECT s_store_name, s_store_id, {OF_DAYS} FROM sales WHERE s_gmt_offset = -5 AND "
    "d_year = 2000 GROUP BY s_store_name, s_store_id ORDER BY s_store_name, s_store_id, sun_sales",
    48: f"SELECT sum(ss_quantity) FROM sales WHERE {PLACES}",
    52: "SELECT d_year, i_brand_id brand_id, i_brand brand, sum(ss_ext_sales_price) ext_price FROM sales "
    "WHERE i_manager_id = 1 AND d_moy = 11 AND d_year = 2000 " + BRAND.format("d_year, ", "d_year, "),
    55: "SELECT i_brand_id brand_id, i_brand brand, sum(ss_ext_sales_price) ext_price FROM sales WHERE "
    "i_manager_id = 8 AND d_moy = 11 AND d_year = 1998 " + BRAND.format("", ""),
    62: LATE,
    96: "SELECT count(*) FROM sales WHERE t_hour = 20 AND t_minute >= 30 AND hd_dep_count = 3 AND "
    "s_store_name = 'ese' ORDER BY count(*)",
}  # fmt: skip
KEYS = {
    "d_year": [1998, 1999, 2000, 2001], "i_brand_id": [1001, 2002, 3003], "i_brand": ["amalg", "exporti", "importo"],
    "i_category_id": [1, 2], "i_category": ["Books", "Music"], "i_manufact_id": [128, 129], "i_item_id": ["AA", "AB", "AC"],
    "s_store_name": ["able", "ese"], "s_store_id": ["S1", "S2"], "ca_zip": ["85669", "86197", "90210"],
    "w_warehouse_name": ["Just good amounts of it", "Rooms cook"], "sm_type": ["EXPRESS", "LIBRARY"], "web_name": ["site_0", "site_1"],
}  # fmt: skip
WORDS = {
    "cd_gender": "MF", "cd_marital_status": "MS", "cd_education_status": ["College", "Advanced Degree"], "p_channel_email": "NY",
    "p_channel_event": "NY", "ca_state": ["TX", "OR", "CA", "NM"], "ca_country": ["United States"], "s_zip": ["85669", "90210"],
    "d_day_name": DAYS,
}  # fmt: skip
NUMBERS = {
    "ss_quantity": (0, 100), "ss_list_price": (0, 200), "ss_coupon_amt": (0, 90), "ss_sales_price": (0, 150), "ss_ext_sales_price": (0, 900),
    "ss_ext_wholesale_cost": (0, 700), "ss_net_profit": (-100, 300), "d_moy": (10, 12), "d_qoy": (1, 4), "i_manager_id": (1, 9),
    "s_gmt_offset": (-6, -5), "t_hour": (19, 21), "t_minute": (0, 59), "hd_dep_count": (0, 3), "ship_date_sk": (0, 200), "sold_date_sk": (0, 60),
    "d_month_seq": (1198, 1213),
}  # fmt: skip


def mixed(place, column):
    """A number of 32 bits that hangs on both, the same in every run."""
    word = (place * 2_654_435_761 + column * 40_503_977) % 2**32
    word = (word ^ word >> 15) * 2_246_822_519 % 2**32
    return word ^ word >> 13


def sales():
    """Made-up rows of the view, four of each customer."""
    lists = {**KEYS, **WORDS, **{name: range(a, b + 1) for name, (a, b) in NUMBERS.items()}}
    cells = {
        name: [values[mixed(place, column) % len(values)] for place in range(ROWS)]
        for column, (name, values) in enumerate(lists.items())
    }
    return pa.table({"ss_customer_sk": [place // 4 for place in range(ROWS)], **cells})


def declared(data):
    """The view, whose keys and bounds are public, with the groups of the one column that is cut."""
    table = dp.table(
        data,
        name="sales",
        unit=dp.unit("ss_customer_sk", max_rows=4),
        columns={name: dp.bounds(*ends, step=1) for name, ends in NUMBERS.items()},
        keys={**KEYS, **{name: [*values] for name, values in WORDS.items()}},
    )
    houses = [name[:20] for name in KEYS["w_warehouse_name"]]
    return table.derive(house=dp.derived("substr(w_warehouse_name, 1, 20)", keys=houses))


def released(table, questions, path):
    """The rows of a release whose noise is as narrow as a plan takes it."""
    for power in range(12, 0, -1):
        try:
            plan = dp.plan(table, *questions, spend=dp.zcdp(10**power))
        except InputError:
            continue
        return dp.run(plan, ledger=dp.ledger(path, budget=plan.spend)).table()
    raise AssertionError


@pytest.mark.exhaustive
@pytest.mark.claim("C440")
@pytest.mark.parametrize("number", TEXTS)
def test_a_query_of_tpcds_gives_the_numbers_of_sql(number, tmp_path):
    """Counts and sums are exact but with probability below 10^-20; of means a part in 1,000."""
    data = sales()
    table, *questions = dp.sql(TEXTS[number], declared(data))
    rows = released(table, questions, tmp_path / "of.ledger")
    with duckdb.connect() as connection:
        connection.register("sales", data)
        expected = connection.execute(TEXTS[number]).fetchall()

    assert expected
    for row in expected:
        groups = {*map(str, row[: len(row) - len(questions)])}
        for question, value in zip(questions, row[len(row) - len(questions) :], strict=True):
            (mine,) = (
                line["value"]
                for line in rows
                if line["statistic"] == question.label
                and {str(line[name]) for name in question.ask.by} == groups
            )
            assert mine == pytest.approx(float(value or 0), rel=0.001), question.label
