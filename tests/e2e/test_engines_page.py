"""docs/engines.md: its blocks for servers run there, with what the page has made before."""

import re
from pathlib import Path

import pytest

import discreet as dp
from servers import dsn, filled, spark

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"


def block(kind):
    """The one block of a kind."""
    text = PAGE.read_text(encoding="utf-8")
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return compile(found, kind, "exec")


@pytest.mark.slow
def test_the_page_for_the_data_engineer_runs(tmp_path):
    """The plan of the laptop is the plan of the night job."""
    kinds = {"customer": "text", "price": "numeric(10,2)", "nation": "text", "month": "int"}
    source = filled(kinds, [("ann", "9.50", "FR", 1), ("bob", "12", "PL", 2)], "orders")
    schema = source.execute("SELECT current_schema()").fetchone()[0]
    names = {
        "address": f"{dsn()} options='-c search_path={schema}'",
        "ledger": dp.ledger(tmp_path / "o.ledger", budget=dp.zcdp(1), subject="orders"),
    }

    exec(block("python"), names)
    exec(block('python title="Postgres"'), names)

    assert not names["release"].repeated
    assert names["same"].digest == names["plan"].digest


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_page_runs_on_spark(tmp_path):
    """A table of a warehouse; the plan is the same."""
    session = spark()
    rows = session.createDataFrame(
        [("ann", 9.5, "FR", 1), ("bob", 12.0, "PL", 2)],
        "customer string, price double, nation string, month int",
    )
    session.sql("CREATE DATABASE sales")
    rows.selectExpr(
        "customer", "CAST(price AS DECIMAL(10, 2)) AS price", "nation", "month"
    ).write.saveAsTable("sales.orders")
    names = {
        "spark": session,
        "ledger": dp.ledger(tmp_path / "o.ledger", budget=dp.zcdp(1), subject="orders"),
    }

    exec(block("python"), names)
    exec(block('python title="Spark"'), names)

    assert not names["release"].repeated
    assert names["nightly"](session.table("sales.orders")).digest == names["plan"].digest
    session.sql("DROP DATABASE sales CASCADE")
