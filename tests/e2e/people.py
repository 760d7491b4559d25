"""A folder with data, a plan file and a ledger, for tests of the command line."""

from pathlib import Path

from session import run

DATA = "person,age,city,wage\n1,30,A,10.5\n1,31,A,12\n2,40,B,20.25\n3,50,A,\n4,61,C,1e1\n"
PLAN = """\
title = "People and wages"

[data]
source = "people.csv"
unit = "row"

[columns]
wage = { lower = 0, upper = 100, step = 0.01 }

[keys]
city = ["A", "B", "C"]

[spend]
rho = "1/50"
ledger = "people.ledger"

[[ask]]
statistic = "count"
by = "city"

[[ask]]
statistic = "mean"
column = "wage"
"""


def settle(folder: Path, *, data: str = DATA, plan: str = PLAN) -> None:
    """Write the data and the plan into a folder, and start the ledger."""
    (folder / "people.csv").write_text(data, encoding="utf-8", errors="surrogateescape")
    (folder / "people.toml").write_text(plan, encoding="utf-8")
    code, said = run(f"discreet ledger init {folder}/people.ledger --rho 1/8 --subject people.csv")
    assert code == 0, said


def damage(path: Path) -> None:
    """Write a Parquet file whose schema can be read, and whose cells cannot."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = 2_000
    table = pa.table(
        {
            "city": ["ABC"[i % 3] for i in range(rows)],
            "wage": [i * 7919 % 9973 / 100 for i in range(rows)],
        }
    )
    pq.write_table(table, path, compression="zstd")
    raw = bytearray(path.read_bytes())
    raw[40 : len(raw) // 2] = bytes(len(raw) // 2 - 40)
    path.write_bytes(bytes(raw))
