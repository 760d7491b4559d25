"""What is known of a cube's tables: they are conditioned on, kept and marked."""

import json
from itertools import product

import numpy as np
import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.report.page import page
from unit.cubes import PLACE, people

EVEN = dp.levels(["region", "place"], rows=[("n", "a"), ("n", "b"), ("s", "c"), ("s", "d")])
CROSSED = {("F", 0): 90, ("F", 1): 61, ("M", 0): 55, ("M", 1): 94}


@pytest.mark.slow
@pytest.mark.claim("C94")
@pytest.mark.parametrize("spend", [dp.zcdp("1/8"), dp.pure(1)], ids=str)
def test_a_known_table_of_two_columns_is_conditioned_on(spend):
    """Estimates and deviations are those of dense least squares under the constraints, of the
    vectors that were counted; what is published keeps the table, in rows of microdata too."""
    keys = {"sex": ["F", "M"], "age": range(2), "place": list("abcd")}
    rows = [{"sex": s, "age": a, "place": "abcd"[i * i % 7 % 4]} for (s, a), n in CROSSED.items() for i in range(n)]  # fmt: skip
    table = dp.table(rows, unit="row", keys=keys, name="people")
    known = {("age", "sex"): {(a, s): n for (s, a), n in CROSSED.items()}, "region": {"n": 180, "s": 120}}  # fmt: skip
    plan = dp.plan(table, dp.cube(["sex", "age", EVEN], known=known), spend=spend)
    (line,), found = plan.lines, dp.rehearse(plan)
    document = json.loads(found.document.text())["statistics"][0]
    groups = [[s, a, r, p] for s, a, (r, p) in product(keys["sex"], keys["age"], EVEN.rows)]
    index = [row[:4] for row in document["answer"]["rows"]]
    shown = np.array([[all(c in (None, g) for c, g in zip(row, cell, strict=True)) for cell in groups] for row in index], float)  # fmt: skip

    units = np.eye(16, dtype=int).tolist()
    made = [np.array([one.transform.applied(u) if one.transform else u for u in units], float).T for one in line.aggregates]  # fmt: skip
    weighed = [(m / law.variance(), v["noisy"]) for m, law, v in zip(made, line.laws, document["vectors"], strict=True)]  # fmt: skip
    normal = sum(w.T @ m for (w, _), m in zip(weighed, made, strict=True))
    typed = {**{(s, a, None, None): n for (s, a), n in CROSSED.items()}, (None, None, "n", None): 180, (None, None, "s", None): 120}  # fmt: skip
    fixed = np.array([shown[index.index([*row])] for row in typed])
    kept, rank = np.linalg.qr(fixed.T, "complete")[0], np.linalg.matrix_rank(fixed)
    free = kept[:, rank:]  # where all known sums are 0
    start = np.linalg.lstsq(fixed, np.array([*typed.values()], float), rcond=None)[0]
    spread = free @ np.linalg.inv(free.T @ normal @ free) @ free.T
    wanted = start + spread @ (sum(w.T @ np.array(v) for w, v in weighed) - normal @ start)

    rows_ = list(found["cube"])
    assert [row["linear"] for row in rows_] == pytest.approx(shown @ wanted, abs=2e-5)
    variances = np.diag(shown @ spread @ shown.T)
    bound = [row["deviation"] ** 2 for row in rows_]  # of Laplace noise above the variance
    assert bound == pytest.approx(variances, rel=1e-4 if spend.kind == "zcdp" else 0.2, abs=1e-4)
    for (s, a), n in CROSSED.items():
        told = found["cube"].total(sex=s, age=a)
        assert (told.value, told.low, told.high) == (n, n, n)
        assert sum(row[:2] == (s, a) for row in found.microdata().rows) == n
    assert min(row["value"] for row in rows_) >= 0
    assert "KNOWN TOTALS by age and sex: 0 | F: 90" in " ".join(str(plan).split())
    assert page(found.document).count('<p class="alarm">KNOWN TOTALS by') == 2
    assert "answers and intervals follow" in str(dp.verify(found))


@pytest.mark.slow
@pytest.mark.claim("C94")
def test_known_sums_of_a_level_are_kept_and_marked():
    """As typed, for certain, in every table that shows them; and they are not counted."""
    known = {"region": {"n": 400, "s": 80}, "sex": {"F": 250, "M": 230}}
    question = dp.cube(["sex", "age", PLACE], known=known)
    plan = dp.plan(people(), question, spend=dp.zcdp("1/8"))
    found = dp.rehearse(plan)
    cube, text = found["cube"], " ".join(str(plan).split())

    for name, numbers in known.items():
        for key, n in numbers.items():
            total = cube.total(**{name: key})
            assert (total.value, total.low, total.high) == (n, n, n)
    assert cube.total().value == 480
    assert "KNOWN TOTALS by region: n 400, s 80 are published as typed." in text
    assert page(found.document).count('<p class="alarm">KNOWN TOTALS by') == 2
    assert "answers and intervals follow" in str(dp.verify(found))
    assert not {(), ("sex",), ("region",)} & {one.attributes for one in cube.measured()}
    assert dp.cube(["sex", "age", PLACE], known=question.plain()["known"]) == question
    with pytest.raises(InputError, match="names two levels"):
        two = {"region": {"n": 4, "s": 1}, "place": {"a": 3, "b": 1, "=1+1": 1}}
        dp.plan(people(), dp.cube(["sex", PLACE], known=two), spend=dp.zcdp(1))
    with pytest.raises(InputError, match="asks nothing"):
        dp.plan(people(), dp.cube("sex", known={"sex": {"F": 1, "M": 2}}), spend=dp.zcdp(1))
