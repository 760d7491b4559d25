"""A folder called `sex=all` hides no column of the files in it: used, it is refused."""

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError


def parquet(path, columns):
    pq.write_table(pa.table(columns), path.with_suffix(".parquet"))


def times(path, columns):
    """With a column that pyarrow must read."""
    column = pa.array([0] * len(columns["u"]), pa.time64("us"))
    pq.write_table(pa.table({**columns, "at": column}), path.with_suffix(".parquet"))


def arrow(path, columns):
    feather.write_feather(pa.table(columns), str(path.with_suffix(".arrow")))


WRITERS = {"parquet": parquet, "parquet by pyarrow": times, "arrow": arrow}
COLUMNS = {"u": [1, 2, 3, 4], "sex": ["f", "m", "m", "f"], "k": ["a"] * 4}


def counted(source, column, kind):
    keys = {"sex": ["f", "m", "all"], "k": ["a", "b"]}
    keys |= {"at": ["00:00:00"]} if kind == "parquet by pyarrow" else {}
    table = dp.table(str(source), name="t", unit=dp.unit("u", max_rows=1), keys=keys)
    asked = [dp.count(column)] + ([dp.count("at")] if "at" in keys else [])
    wanted = tuple(a for one in asked for a in one.aggregates(table))
    vector, *_ = engine_for(table.source).prepare(table, wanted).count(5)
    return [*vector.opened_by_the_door()]


@pytest.mark.exhaustive
@pytest.mark.claim("C247")
@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("name", ["sex", "Sex"])
def test_a_column_of_files_and_folders_is_refused_where_it_is_used(tmp_path, kind, name):
    """Every row was counted under what the folder says: f 0, m 0 for 2 and 2."""
    (tmp_path / f"{name}=all").mkdir()
    WRITERS[kind](tmp_path / f"{name}=all" / "t", COLUMNS)

    with pytest.raises(InputError, match="is a column of its files and the name of their folders"):
        counted(tmp_path, "sex", kind)
    assert counted(tmp_path, "k", kind) == [4, 0]  # what is not used hides nothing


@pytest.mark.claim("C247")
@pytest.mark.parametrize("kind", WRITERS)
def test_the_fix_reads_the_files_own_column(tmp_path, kind):
    """By a glob no folder is a column; and where files lack it, the folder says it."""
    (tmp_path / "own" / "sex=all").mkdir(parents=True)
    WRITERS[kind](tmp_path / "own" / "sex=all" / "t", COLUMNS)
    (tmp_path / "told" / "sex=m").mkdir(parents=True)
    others = {name: cells for name, cells in COLUMNS.items() if name != "sex"}
    WRITERS[kind](tmp_path / "told" / "sex=m" / "t", others)
    end = "arrow" if kind == "arrow" else "parquet"

    assert counted(tmp_path / "own" / "**" / f"*.{end}", "sex", kind) == [2, 2, 0]
    assert counted(tmp_path / "told", "sex", kind) == [0, 4, 0]


@pytest.mark.claim("C247")
@pytest.mark.parametrize("how", ["one", "a union"])
def test_a_data_set_of_pyarrow_hides_no_column(tmp_path, how):
    """One that its owner made of folders: the same, by what its fragments have."""
    (tmp_path / "sex=all").mkdir()
    parquet(tmp_path / "sex=all" / "t", COLUMNS)
    made = ds.dataset(tmp_path, partitioning="hive")
    if how == "a union":
        made = ds.dataset([made, ds.dataset(tmp_path, partitioning="hive")])
    keys = {"sex": ["f", "m", "all"], "k": ["a", "b"]}
    table = dp.table(made, name="t", unit=dp.unit("u", max_rows=1), keys=keys)

    with pytest.raises(InputError, match="is a column of its files and the name of their folders"):
        engine_for(made).prepare(table, dp.count("sex").aggregates(table))
    engine_for(made).prepare(table, dp.count("k").aggregates(table))
