"""docs/walk.md names files and functions that exist, and a run passes them in this order."""

import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import discreet as dp

ROOT = Path(__file__).parents[2]
SOURCE = Path(dp.__file__).parent
STEP = re.compile(r"^\d+\. `([\w/]+\.py)` `(\w+)`: ", flags=re.MULTILINE)


def walks(text):
    """Return the steps of each walk by its heading."""
    _, *parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return {name: STEP.findall(steps) for name, steps in zip(parts[::2], parts[1::2], strict=True)}


WALKS = walks((ROOT / "docs" / "walk.md").read_text("utf-8"))


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """Every call inside discreet while the page's plan is made, run and shown."""
    folder = tmp_path_factory.mktemp("walked")
    (folder / "visits.csv").write_text("patient,ward,hours\np,A,1\nq,B,2\n")
    dp.ledger(folder / "visits.ledger", budget=dp.zcdp(1))
    found = []

    def seen(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(SOURCE)):
            step = (Path(code.co_filename).relative_to(SOURCE).as_posix(), code.co_name)
            if found[-1:] != [step]:
                found.append(step)

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        visits = dp.table(
            str(folder / "visits.csv"),
            unit=dp.unit("patient", max_rows=2),
            columns={"hours": dp.bounds(0, 9, step="0.5")},
            keys={"ward": ["A", "B"]},
        )
        questions = (dp.count(by="ward"), dp.sum("hours", by="ward"))
        plan = dp.plan(visits, *questions, spend=dp.zcdp("1/50"))
        str(dp.run(plan, ledger=folder / "visits.ledger"))
    finally:
        sys.setprofile(before)
    return found


def stopped_at(steps, calls):
    """Return the first step that the calls do not reach after the ones before, or None."""
    rest = iter(calls)
    return next((step for step in steps if step not in rest), None)


def test_the_page_has_three_walks_of_at_most_ten_steps():
    """A line that is written in another way would be no step, and would not be looked at."""
    text = (ROOT / "docs" / "walk.md").read_text("utf-8")

    assert list(WALKS) == ["A row", "A budget", "A typed number"]
    assert sum(map(len, WALKS.values())) == len(re.findall(r"^\d+\.", text, flags=re.MULTILINE))
    assert all(5 <= len(steps) <= 10 for steps in WALKS.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", WALKS)
def test_a_run_takes_each_step_in_order(name, calls):
    """Each file and function exists, and is passed after the one before."""
    assert stopped_at(WALKS[name], calls) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", WALKS)
def test_a_walk_in_another_order_is_seen(name, calls):
    """The check has power: a function that is not there; the data before the plan."""
    steps = WALKS[name]

    assert stopped_at([*steps, ("schema/table.py", "tabel")], calls) == ("schema/table.py", "tabel")
    assert stopped_at(list(reversed(steps)), calls) is not None
    assert all(one != other for one, other in pairwise(steps))
