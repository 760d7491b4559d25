"""docs/engines.md: its Postgres block runs on a server, with what the page has made before."""

import re
from pathlib import Path

import pytest

import discreet as dp
from servers import dsn, filled

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"


@pytest.mark.slow
def test_the_page_for_the_data_engineer_runs(tmp_path):
    """The plan of the laptop is the plan of the night job."""
    text = PAGE.read_text(encoding="utf-8")
    (laptop,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (server,) = re.findall(r"^```postgres\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    kinds = {"customer": "text", "price": "numeric(10,2)", "nation": "text", "month": "int"}
    source = filled(kinds, [("ann", "9.50", "FR", 1), ("bob", "12", "PL", 2)], "orders")
    schema = source.execute("SELECT current_schema()").fetchone()[0]
    names = {
        "address": f"{dsn()} options='-c search_path={schema}'",
        "ledger": dp.ledger(tmp_path / "o.ledger", budget=dp.zcdp(1), subject="orders"),
    }

    exec(compile(laptop, "laptop", "exec"), names)
    exec(compile(server, "server", "exec"), names)

    assert not names["release"].repeated
    assert names["same"].digest == names["plan"].digest
