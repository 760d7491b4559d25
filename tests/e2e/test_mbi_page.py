"""The noisy tables as they are handed on: their layout, and the page's code run by mbi itself."""

from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from re import DOTALL, MULTILINE, findall

import numpy as np
import pytest

import discreet as dp

PAGE = Path(__file__).parents[2] / "docs" / "microdata.md"
KEYS = {"sex": ["F", "M"], "age": range(3), "ward": ["a", "b", "c", "d"]}
CELLS = {place: 40 * at + 9 * (at % 5) for at, place in enumerate(product(*KEYS.values()))}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """A release of a table in which no two cells are alike."""
    rows = [dict(zip(KEYS, place, strict=True)) for place, n in CELLS.items() for _ in range(n)]
    people = dp.table(rows, unit="row", name="people", keys=KEYS)
    plan = dp.plan(people, dp.cube(list(KEYS)), spend=dp.zcdp(1))
    book = dp.ledger(tmp_path_factory.mktemp("mbi") / "people.ledger", budget=dp.zcdp(1))
    return dp.run(plan, ledger=book)


def margin(names):
    """The true numbers of a table, an axis for each of its columns."""
    found = Counter()
    for place, n in CELLS.items():
        found[tuple(dict(zip(KEYS, place, strict=True))[name] for name in names)] += n
    shape = [len(KEYS[name]) for name in names]
    return np.array([found[place] for place in product(*(KEYS[n] for n in names))]).reshape(shape)


@pytest.mark.claim("C181")
def test_noisy_tables_are_laid_out_as_other_programs_read_them(release):
    """By the declared columns and keys, the last one fastest; noise of the said deviation. Laid out
    the other way round they are far from it, so that the check has power."""
    tables = release["cube"].measured()

    assert [one.attributes for one in tables] == [
        names
        for many in range(4)
        for names in [(), ("sex",), ("age",), ("ward",), ("sex", "age"), ("sex", "ward"), ("age", "ward"), tuple(KEYS)]
        if len(names) == many
    ]  # fmt: skip
    for one in tables:
        true = margin(one.attributes)
        noisy = np.array(one.noisy).reshape(true.shape)
        assert np.abs(noisy - true).max() <= 8 * one.deviation  # false with less than 1e-13
        turned = np.array(one.noisy).reshape(true.shape[::-1]).T
        assert len(one.attributes) < 2 or np.abs(turned - true).max() > 8 * one.deviation
        assert not one.contrasts


@pytest.mark.slow
@pytest.mark.claim("C181")
def test_the_code_of_the_page_is_run_by_mbi(release):
    """As it stands there; the rows that it makes have nearly our tables."""
    try:
        found = version("mbi")
    except PackageNotFoundError:
        found = "no mbi"
    if not found.startswith("1.1."):
        pytest.skip(f"the page is for mbi 1.1, and here is {found}: pip install mbi==1.1.0")
    (code,) = findall(r"^```py\n(.*?)^```$", PAGE.read_text("utf-8"), MULTILINE | DOTALL)
    names = {"release": release}
    exec(compile(code, "the page", "exec"), names)

    made = np.zeros([len(keys) for keys in KEYS.values()])
    np.add.at(made, tuple(names["rows"][name] for name in KEYS), 1)
    true = margin(tuple(KEYS))
    assert np.abs(made - true).max() <= 40  # of cells from 0 to 940
