"""A plain run enters only what it uses: no file of a feature that is not in its plan."""

import contextlib
import sys
from dataclasses import replace
from inspect import CO_OPTIMIZED
from pathlib import Path

import pytest

import discreet as dp

SOURCE = Path(dp.__file__).parent
ROWS = "u,k,x,d\n" + "".join(
    f"{n % 7},{'ab'[n % 2]},{n % 9},2026-01-0{1 + n % 9}\n" for n in range(60)
)
COUNTS = (dp.count(by="k"), dp.mean("x", by="k"))
FEATURES = {  # its modules, and in which way a plan has it
    "unknown keys": (
        [
            *("plans/unknown", "schema/unknown", "finding/finding", "releases/find"),
            *("releases/sealed", "releases/steps", "engine/duckdb/pool", "engine/sql/pool"),
        ],
        {"keys": {"k": dp.unknown(max_groups=1)}, "spend": dp.approx(3, "1e-3")},
    ),
    "sizes of groups": (
        ["releases/steps", "releases/sealed", "statistic/group_sizes"],
        {
            "unit": dp.unit("u", max_rows=9),
            "keys": {"k": dp.unknown(max_groups=2)},
            "ask": (dp.group_sizes("k", at_least=[1, 5]),),
        },
    ),
    "shared vectors": (
        ["plans/shared_vectors", "statistic/shared_vector"],
        {
            "ask": (dp.count(by="k", within=40), dp.mean("x", by="k", within=2, rows=30)),
            "spend": None,
            "ledger": dp.zcdp(5),
            "x": dp.bounds(0, 9, missing=0),
        },
    ),
    "both laws": (["plans/two_laws"], {"spend": dp.approx(1, "1e-6")}),
    "joins": (
        ["schema/joins", "engine/sql/joined", "engine/parts", "engine/one_source"],
        {"unit": dp.unit("u", max_rows=9), "join": True},
    ),
    "limits on units": (
        [
            *("engine/sql/bounding", "engine/sql/ranked", "engine/guard"),
            *("engine/sql/faster/pruned", "engine/duckdb/faster/first_rows"),
            "engine/duckdb/faster/passes",
        ],
        {"unit": dp.unit("u", max_rows=3)},
    ),
    "numbered rows": (["engine/sql/faster/numbered"], {"unit": dp.unit("u", max_rows=3)}),
    "unit lists": (
        ["engine/sql/faster/unit_lists"],
        {"unit": dp.unit("u", max_rows=9), "ask": (dp.count(by="k", max_groups=1),)},
    ),
    "a portable hash": (
        ["engine/sql/portable"],
        {"unit": dp.unit("u", max_rows=3, sampling="portable")},
    ),
    "predicate push-down": (
        ["engine/sql/faster/predicate_pushdown", "schema/derived"],
        {"where": "x > 3"},
    ),
    "written days": (
        ["engine/written_times", "schema/time_forms"],
        {"keys": {"d": ["2026-01-01"]}, "csv": {"days": "%Y-%m-%d"}, "ask": (dp.count(by="d"),)},
    ),
    "choices": (["noise/selection"], {"ask": (dp.quantile("x", "0.5", method="choice"),)}),
}


@contextlib.contextmanager
def entered():
    """Note the module of each function that is entered."""
    modules = set()

    def seen(frame, event, _):
        code = frame.f_code
        is_function = code.co_flags & CO_OPTIMIZED and not code.co_name.startswith("<")
        if event == "call" and is_function and code.co_filename.startswith(str(SOURCE)):
            modules.add(Path(code.co_filename).relative_to(SOURCE).with_suffix("").as_posix())

    sys.setprofile(seen)
    try:
        yield modules
    finally:
        sys.setprofile(None)


def walked(folder, **how):
    """The modules that are entered by planning, running and saving; a declaration does not count."""
    (folder / "rows.csv").write_text(ROWS)
    table = dp.table(
        str(folder / "rows.csv"),
        unit=how.get("unit", "row"),
        columns={"x": how.get("x", dp.bounds(0, 9))},
        keys=how.get("keys", {"k": ["a", "b"]}),
        csv=how.get("csv"),
    )
    if "join" in how:
        (folder / "other.csv").write_text("u,y\n1,2\n")
        table = table.joined(dp.join(str(folder / "other.csv"), on="u", gives=["y"]))
    table = table.where(how["where"]) if "where" in how else table
    spend = how.get("spend", dp.pure(1))
    ledger = dp.ledger(folder / "a.ledger", budget=how.get("ledger", spend or dp.pure(9)))
    plan, run = dp.plan, dp.run  # a name of the page is imported when it is asked for: here
    with entered() as modules:
        made = plan(table, *how.get("ask", COUNTS), spend=spend)
        run(made, ledger=ledger).save(folder / "a.release")
    return made, modules


@pytest.mark.claim("C345")
@pytest.mark.slow
def test_a_plain_run_enters_no_file_of_a_feature_that_is_not_in_its_plan(tmp_path):
    """Nor has its plan a step; what each feature is, is listed above."""
    plan, modules = walked(tmp_path)

    assert plan.steps == ()
    assert [name for name, (files, _) in FEATURES.items() if modules & {*files}] == []


@pytest.mark.claim("C345")
@pytest.mark.slow
@pytest.mark.parametrize("name", FEATURES)
def test_a_plan_that_has_a_feature_enters_all_of_its_files(name, tmp_path):
    """The check has power: each file that is listed is one that a plan with the feature enters."""
    files, how = FEATURES[name]

    _, modules = walked(tmp_path, **how)

    assert {*files} - modules == set()


@pytest.mark.claim("C346")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("unknown keys", ("find keys",)),
        ("sizes of groups", ("read sizes",)),
        ("shared vectors", ("share vectors",)),
        ("joins", ("join tables",)),
        ("both laws", ()),
    ],
)
def test_steps_follow_from_the_plan_and_cannot_be_stated(name, steps, tmp_path):
    """They are no field: whoever holds a plan cannot leave a step out."""
    plan, _ = walked(tmp_path, **FEATURES[name][1])

    assert plan.steps == steps
    with pytest.raises(TypeError):
        replace(plan, steps=())
