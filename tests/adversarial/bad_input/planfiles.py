"""Slips in a plan file: each is told with its place, and with what to type."""

import re

from discreet.errors import InputError

from .world import PLAN, Refused

COUNT = '[[ask]]\nstatistic = "count"\nby = "ward"\n'
SPEND = "epsilon = 1\n"
COST = 'cost = { lower = 0, upper = 5000, step = "0.25" }'
WARDS = 'ward = ["A", "B", "C"]'
CUBE = PLAN.replace(
    COUNT,
    '[levels.ward]\ncolumns = ["town", "ward"]\nrows = [["T", "A"], ["T", "B"], ["T", "C"]]\n'
    '[[ask]]\nstatistic = "cube"\nby = BY\n',
)


def no(what, text):
    """A whole plan file, and what its first line of refusal says after the file's name."""
    return text if isinstance(text, bytes) else text.encode(), Refused(
        InputError, rf"^people.toml(, line \d+)?{what}"
    )


def slip(what, old, new):
    assert PLAN.count(old) == 1, old
    return no(what, PLAN.replace(old, new))


def spent(what, *lines):
    return slip(what, SPEND, "".join(f"{line}\n" for line in lines))


def asked(what, line):
    return slip(what, COUNT, COUNT + line + "\n")


def missing(name):
    """The plan without one of its parts."""
    found = re.sub(rf"\[\[?{name}\]\]?\n(?:[^\[\n].*\n)*", "", PLAN)
    assert found != PLAN, name
    return found


# fmt: off
TEXTS = {
    "empty plan file": no(", data: this is missing", ""),
    "plan file is not TOML": no(": the plan file is not TOML", "people, please"),
    "plan file is a data file": no(": the plan file is not TOML", "person,ward\n1,A\n"),
    "plan file is UTF-16": no(": the plan file cannot be read", PLAN.encode("utf-16")),
    "plan file of zero bytes": no(": the plan file is not TOML", b"\0" * 512),
    "plan file nested 10,000 deep": no(": the plan file is not TOML", "a = " + "[" * 10_000),
    "a number of 10,000 digits": no(": the plan file is not TOML", "a = " + "9" * 10_000),
    "plan file with a name twice": slip(": the plan file is not TOML", SPEND, SPEND * 2),
    "plan file with a part twice": no(": the plan file is not TOML", PLAN + "[spend]\nepsilon = 2\n"),
}
PARTS = {
    "no [data]": no(", data: this is missing", missing("data")),
    "no [spend]": no(", spend: this is missing", missing("spend")),
    "no [[ask]]": no(", ask: this is missing", missing("ask")),
    "no [keys]": no(", ask 1, by: there are no public keys for 'ward'", missing("keys")),
    "[spend] without a loss": spent(", spend: nothing is given"),
    "unknown part": no(", sped: this name is not known here", PLAN.replace("[spend]", "[sped]")),
    "unknown name in [data]": slip(", data, sorce: this name", "source =", "sorce ="),
    "unknown name in [spend]": spent(", spend, epsilom: this name", "epsilom = 1"),
    "unknown name in a range": slip(", columns, cost, upprer: this name", "upper", "upprer"),
    "unknown option": asked(", ask 1, bye: count has no option", 'bye = "ward"'),
    "seed": asked(", ask 1, seed: count has no option", "seed = 7"),
    "option of another statistic": asked(", ask 1, bins: count has no option", "bins = 3"),
    "[ask] is not a list": no(", ask: ", PLAN.replace("[[ask]]", "[ask]")),
}
TYPES = {
    "source is a number": slip(", data, source: 5 does not fit", '"people.csv"', "5"),
    "source is an empty list": slip(", data, source: the list is empty", '"people.csv"', "[]"),
    "source is empty": slip(", data, source: '' is not a path|, data, source:  is not a path", '"people.csv"', '""'),
    "source is an address": slip(", data, source: s3://a/b.csv is not a path", "people.csv", "s3://a/b.csv"),
    "unit is another word": slip(", data, unit: 'person' does not fit", 'unit = "row"', 'unit = "person"'),
    "unit without a column": slip(", data, unit, column: this is missing", 'unit = "row"', "unit = { max_rows = 3 }"),
    "unit of no rows": slip(", data, unit: max_rows = 0 must be", 'unit = "row"', 'unit = { column = "person", max_rows = 0 }'),
    "unit of 1.5 rows": slip(", data, unit, max_rows: 1.5 does not fit", 'unit = "row"', 'unit = { column = "person", max_rows = 1.5 }'),
    "neighbors unknown in a file": slip(", data, neighbors: 'both' does not fit", 'unit = "row"', 'unit = "row"\nneighbors = "both"'),
    "still a question mark": slip(", data, unit: this is still a question mark", 'unit = "row"', 'unit = "?"'),
    "bounds reversed in a file": slip(", columns, cost: lower = 9 is not below upper = 1", COST, "cost = { lower = 9, upper = 1 }"),
    "bound NaN in a file": slip(", columns, cost: lower = NaN is not a finite", COST, "cost = { lower = nan, upper = 1 }"),
    "bound infinite in a file": slip(", columns, cost: upper = Infinity is not a finite", COST, "cost = { lower = 0, upper = inf }"),
    "bound is a word in a file": slip(", columns, cost: upper = high is not a finite", COST, 'cost = { lower = 0, upper = "high" }'),
    "bound is a day in a file": slip(", columns, cost: lower is a number, and upper is a day", COST, "cost = { lower = 0, upper = 2026-01-04 }"),
    "no upper bound": slip(", columns, cost, upper: this is missing", COST, "cost = { lower = 0 }"),
    "range is a number": slip(", columns, cost: 5 does not fit", COST, "cost = 5"),
    "key listed twice in a file": slip(", keys, ward: the key A of ward is listed twice", WARDS, 'ward = ["A", "A"]'),
    "keys of two types in a file": slip(", keys, ward: the keys of ward are of several types", WARDS, 'ward = ["A", 1]'),
    "keys as a word": slip(", keys, ward: 'A' does not fit", WARDS, 'ward = "A"'),
    "key is a decimal in a file": slip(", keys, ward: a key of ward is of type Decimal", WARDS, "ward = [0.5]"),
    "keys reversed": slip(", keys, ward: from = 9 is above to = 1", WARDS, "ward = { from = 9, to = 1 }"),
    "keys without end": slip(", keys, ward: the keys of ward are more than", WARDS, "ward = { from = 0, to = 1000000000000 }"),
    "title is a number": slip(", title: 5 does not fit", '"People"', "5"),
}
SPENDS = {
    "epsilon negative": spent(", spend, epsilon: epsilon = -1 must be at least 0", "epsilon = -1"),
    "epsilon zero": spent(", spend: a spend of epsilon = 0 buys no answer", "epsilon = 0"),
    "epsilon a word": spent(", spend, epsilon: epsilon = abc is not a finite", 'epsilon = "abc"'),
    "epsilon NaN": spent(", spend, epsilon: epsilon = NaN is not a finite", "epsilon = nan"),
    "epsilon infinite": spent(", spend, epsilon: epsilon = Infinity is not", "epsilon = inf"),
    "epsilon a truth value": spent(", spend, epsilon: epsilon = True is not", "epsilon = true"),
    "epsilon of 9,999 digits": spent(", spend, epsilon: epsilon has too many digits", "epsilon = 1e9999"),
    "rho and epsilon": spent(", spend: rho and epsilon are given", "epsilon = 1", "rho = 1"),
    "delta alone": spent(", spend: delta is given", 'delta = "1e-6"'),
    "delta one in a file": spent(", spend, delta: delta = 1 must be below 1", "epsilon = 1", "delta = 1"),
    "delta negative in a file": spent(", spend, delta: delta = -0.1 must be at least 0", "epsilon = 1", "delta = -0.1"),
    "delta two": spent(", spend, delta: delta = 2 must be below 1", "epsilon = 1", "delta = 2"),
    "alpha zero in a file": slip(", alpha: alpha = 0 must be above 0", 'alpha = "0.05"', "alpha = 0"),
    "no ledger named": slip(" does not say which ledger pays", 'ledger = "people.ledger"\n', ""),
    "ledger is a number": slip(", spend, ledger: 5 does not fit", '"people.ledger"', "5"),
    "ledger is empty": slip(", spend, ledger: this is not a path", '"people.ledger"', '""'),
}
QUESTIONS = {
    "statistic unknown": slip(", ask 1, statistic: statistic = mode is not known", '"count"', '"mode"'),
    "statistic is a number": slip(", ask 1, statistic: 5 does not fit", '"count"', "5"),
    "mean of no column": slip(", ask 1, column: mean needs its column", '"count"', '"mean"'),
    "mean of a column without bounds": asked("", '[[ask]]\nstatistic = "mean"\ncolumn = "price"'),
    "by misspelled in a file": slip(", ask 1, by: there are no public keys for 'wrad'", 'by = "ward"', 'by = "wrad"'),
    "by a number in a file": slip(", ask 1, by: 5 does not fit", 'by = "ward"', "by = 5"),
    "by a number in a cube with levels": no(r", ask 1, by: by = \[5, 'ward'\] is not a list of different columns", CUBE.replace("BY", '[5, "ward"]')),
    "the same question twice": slip(", ask 2: the plan asks one question twice", COUNT, COUNT * 2),
    "weight negative": asked(", ask 1, weight: weight = -1 must be a whole number", "weight = -1"),
    "weight a fraction in a file": asked(r", ask 1, weight: weight = 1\.5 must be a whole number", "weight = 1.5"),
    "weight a word": asked(", ask 1, weight: weight = 'much' must be", 'weight = "much"'),
    "max_groups of rows": asked(", ask 1, max_groups: max_groups and max_rows_per_group are given", "max_groups = 1"),
}
# fmt: on
CASES = {**TEXTS, **PARTS, **TYPES, **SPENDS, **QUESTIONS}
