"""A plan file that is right, and every slip that is tried in it, with what is said to it."""

GOOD = """\
title = "Wages"

[data]
source = "people.csv"
unit = { column = "person", max_rows = 3 }
neighbors = "replace"
name = "people"

[columns]
wage = { lower = 0, upper = 0.3, step = 0.1 }
age = { lower = 0, upper = 120, step = "1/2" }

[keys]
city = ["A", "B"]
grade = { from = -1, to = 2 }
day = [2020-01-01, 2020-01-02]
member = [true, false]

[spend]
epsilon = 1
delta = "1e-6"
ledger = "people.ledger"

[[ask]]
statistic = "count"
by = ["city", "grade"]

[[ask]]
statistic = "histogram"
column = "age"
bins = [0, 0.5, 120]
weight = 2
"""

CASES = {
    "no such file": (None, None, "people.toml: the plan file cannot be read.", "discreet init"),
    "not TOML": ('title = "Wages"', "title = Wages", "is not TOML", 'write title = "Wages"'),
    "not TOML, and nobody can say what": (
        'title = "Wages"',
        'title = "Wages',
        "is not TOML",
        "quotes",
    ),
    "an endless number": ("epsilon = 1", f"epsilon = {'9' * 5000}", "is not TOML", "correct"),
    "unknown part": ("[columns]", "[colums]", "colums: this name is not", "write columns"),
    "unknown name": ("neighbors", "neighbours", "data, neighbours: this", "write neighbors"),
    "a name like no other": ('name = "people"', "qqq = 1", "data, qqq: this", "remove qqq"),
    "unknown name in a range": (
        "upper = 0.3",
        "uper = 0.3",
        "columns, wage, uper: this",
        "write upper",
    ),
    "unknown name in a unit": (
        "max_rows = 3",
        "max_row = 3",
        "data, unit, max_row: this",
        "max_rows",
    ),
    "unknown name in keys": ("to = 2", "too = 2", "keys, grade, too: this", "write to "),
    "unknown name in spend": ("delta", "delt", "spend, delt: this", "write delta"),
    "unknown option": (
        "weight = 2",
        "wieght = 2",
        "ask 2, wieght: histogram has no",
        "write weight",
    ),
    "option of another": (
        'by = ["city"',
        'bins = 3\nby = ["city"',
        "ask 1, bins: count has no option",
        "remove bins",
    ),
    "no source": ('source = "people.csv"\n', "", "data, source: this is missing", 'source = "'),
    "no unit": ('unit = { column = "person", max_rows = 3 }\n', "", "data, unit: this is", "row"),
    "empty source": ('"people.csv"', '" "', "data, source", 'source = "?"'),
    "no sources": ('"people.csv"', "[]", "data, source: the list is empty", "source ="),
    "source of numbers": ('"people.csv"', "[1]", "data, source", "source ="),
    "address": ('"people.csv"', '"https://a/b.csv"', "not a path of this machine", '"?"'),
    "bucket": ('"people.csv"', '"s3://a/b.csv"', "not a path of this machine", '"?"'),
    "unit is a word": ('{ column = "person", max_rows = 3 }', '"person"', "data, unit", "column ="),
    "unit without column": ('column = "person", ', "", "data, unit, column: this is", "column ="),
    "no rows": ("max_rows = 3", "max_rows = 0", "data, unit: max_rows = 0", 'max_rows = "?"'),
    "rows in words": ("max_rows = 3", 'max_rows = "3"', "data, unit, max_rows: '3'", "max_rows"),
    "neighbors": ('"replace"', '"both"', "data, neighbors: 'both'", "add_remove"),
    "no upper end": ("lower = 0, upper = 0.3", "lower = 0", "columns, wage, upper: this", "upper"),
    "reversed": (
        "upper = 0.3",
        "upper = -1",
        "columns, wage: lower = 0 is not",
        "lower = -1, upper = 0,",
    ),
    "off the grid": (
        "upper = 0.3",
        "upper = 0.25",
        "columns, wage: upper = 0.25",
        'wage = { lower = 0, upper = 0.25, step = "0.05" }',
    ),
    "not a number": (
        "upper = 0.3",
        "upper = nan",
        "columns, wage: upper = NaN",
        '{ lower = 0, upper = "?", step = 0.1 }',
    ),
    "infinite": (
        "upper = 0.3",
        "upper = inf",
        "columns, wage: upper = Inf",
        '{ lower = 0, upper = "?", step = 0.1 }',
    ),
    "text as bound": (
        "upper = 0.3",
        'upper = "much"',
        "columns, wage: upper = much",
        '{ lower = 0, upper = "?", step = 0.1 }',
    ),
    "flag as bound": (
        "upper = 0.3",
        "upper = true",
        "columns, wage: upper = True",
        '{ lower = 0, upper = "?", step = 0.1 }',
    ),
    "too fine": (
        "step = 0.1",
        "step = 1e-300",
        "columns, wage: bounds of",
        '{ lower = 0, upper = 0.3, step = "0.000001" }',
    ),
    "a huge exponent": (
        "step = 0.1",
        "step = 1e-99999",
        "columns, wage: step",
        '{ lower = 0, upper = 0.3, step = "?" }',
    ),
    "bounds in a list": ('{ lower = 0, upper = 120, step = "1/2" }', "[0, 9]", "columns, age", "{"),
    "column without a name": ("\nage = {", '\n"" = {', "columns, : ", "its name"),
    "no key": ('["A", "B"]', "[]", "keys, city: the keys of city are", "city = ["),
    "key twice": ('["A", "B"]', '["A", "A"]', "keys, city: the key A of city is", 'city = ["A"]'),
    "mixed keys": ('["A", "B"]', '["A", 1]', "keys, city: the keys of city are", "city = ["),
    "decimal keys": ('["A", "B"]', "[0.5, 1.5]", "keys, city: a key of city is of", "city = ["),
    "key is a list": ('["A", "B"]', '[["A"]]', "keys, city: a key of city is of", "city = ["),
    "one key as a word": ('["A", "B"]', '"A"', "keys, city: 'A' does not fit", "city = ["),
    "keys from high": (
        "from = -1",
        "from = 3",
        "keys, grade: from = 3 is above",
        "{ from = 2, to = 3 }",
    ),
    "endless keys": (
        "to = 2",
        "to = 99999999999",
        "keys, grade: the keys of grade are more",
        'grade = ["?", "?"]',
    ),
    "nothing to spend": ('epsilon = 1\ndelta = "1e-6"\n', "", "spend: nothing is given", "rho ="),
    "both kinds": (
        "epsilon = 1",
        "epsilon = 1\nrho = 1",
        "spend: rho and epsilon and",
        "remove epsilon, or remove rho",
    ),
    "delta alone": ("epsilon = 1\n", "", "spend: delta is given", 'epsilon = "?"'),
    "delta of one": ('"1e-6"', "1", "spend, delta: delta = 1 must be below", 'delta = "?"'),
    "negative": ("epsilon = 1", "epsilon = -1", "spend, epsilon: epsilon = -1 must", "epsilon"),
    "spending zero": (
        'epsilon = 1\ndelta = "1e-6"',
        "rho = 0",
        "buys no answer",
        "rho",
    ),
    "ledger of numbers": ('"people.ledger"', "7", "spend, ledger: 7 does not", "ledger ="),
    "empty ledger": ('"people.ledger"', '""', "spend, ledger: this is not a path", "ledger ="),
    "alpha": ('title = "Wages"', 'alpha = 0.9\ntitle = "Wages"', "alpha: alpha = 0.9", "alpha ="),
    "title": ('"Wages"', "7", "title: 7 does not fit", "title ="),
    "no questions": (GOOD[GOOD.index("[[ask]]") :], "", "ask: this is missing", "ask = [{"),
    "unknown statistic": (
        '"count"',
        '"coutn"',
        "ask 1, statistic: statistic = coutn is",
        '= "count"',
    ),
    "statistic without name": (
        'statistic = "count"\n',
        "",
        "ask 1, statistic: this is",
        "statistic",
    ),
    "no column": ('column = "age"\n', "", "ask 2, column: histogram needs", 'column = "?"'),
    "undeclared column": (
        'column = "age"',
        'column = "agee"',
        "ask 2, column: there are no bounds",
        '"age"',
    ),
    "far column": (
        'column = "age"',
        'column = "height"',
        "ask 2, column: there are no bounds",
        "[columns]",
    ),
    "column of keys": ('column = "age"', "column = 7", "ask 2, column: 7 does not", "column ="),
    "undeclared keys": ('"grade"]', '"grad"]', "ask 1, by: there are no public keys", '"grade"'),
    "far keys": (
        '"grade"]',
        '"street"]',
        "ask 1, by: there are no public keys",
        "[keys], write street",
    ),
    "by a number": ('["city", "grade"]', "7", "ask 1, by: 7 does not fit", "by ="),
    "by twice": ('["city", "grade"]', '["city", "city"]', "ask 1, by: by = ", 'by = "city"'),
    "no weight": ("weight = 2", "weight = 0", "ask 2, weight: weight = 0 must", "weight = 1"),
    "half a weight": ("weight = 2", "weight = 1.5", "ask 2, weight: weight = ", "weight = 1"),
    "bins in words": ("[0, 0.5, 120]", '"many"', "ask 2, bins: bins = many is", "bins = 20"),
    "bins off the bounds": (
        "[0, 0.5, 120]",
        "[0, 60]",
        "ask 2, bins: the bin edges of age",
        "bins",
    ),
    "bins off the grid": (
        "[0, 0.5, 120]",
        "[0, 0.3, 120]",
        "ask 2, bins: the bin edges of",
        "bins",
    ),
    "a list that is summed": (
        'statistic = "histogram"\ncolumn = "age"\nbins = [0, 0.5, 120]',
        'statistic = "sum"\ncolumn = ["age"]',
        "ask 2, column: ['age'] in a question is not a column name",
        "write",
    ),
    **{
        f"vector: {what}": (
            'statistic = "histogram"\ncolumn = "age"\nbins = [0, 0.5, 120]',
            f'statistic = "mean"\n{asked}',
            said,
            fix,
        )
        for what, asked, said, fix in (
            (
                "no columns",
                "column = []",
                "ask 2, column: column = [] is not",
                "name one column",
            ),
            (
                "a column twice",
                'column = ["age", "age"]',
                "ask 2, column: column = ['age'",
                "column",
            ),
            ("a number", 'column = ["age", 7]', "ask 2, column: 7 does not fit", "column"),
            (
                "no bounds",
                'column = ["age", "wag"]',
                "ask 2, column: there are no bounds",
                '"wage"',
            ),
            (
                "one column",
                'column = "age"\nball = 3',
                "ask 2, ball: ball = 3 is given",
                "remove ball",
            ),
            ("a list of one", 'column = ["age"]\nball = 3', "ask 2, ball: ball = 3", "remove ball"),
            (
                "zero",
                'column = ["age", "wage"]\nball = 0',
                "ask 2, ball: ball = 0 must",
                'ball = "?"',
            ),
            (
                "not a number",
                'column = ["age", "wage"]\nball = nan',
                "ask 2, ball: ball = N",
                'ball = "?"',
            ),
            (
                "two steps",
                'column = ["age", "wage"]\nball = 3',
                "ask 2: age has steps",
                'step = "0.1"',
            ),
        )
    },
    "asked twice": (
        'statistic = "histogram"\ncolumn = "age"\nbins = [0, 0.5, 120]\nweight = 2',
        'statistic = "count"\nby = ["city", "grade"]',
        "ask 2: the plan asks one question twice",
        "remove one",
    ),
    "still a question": ('"replace"', '"?"', "data, neighbors: this is still a", "add_remove"),
    "a question in a range": (
        "lower = 0, upper = 0.3",
        'lower = "?", upper = 1',
        "lower: this",
        "in line 10 write the lower end",
    ),
    "a question in an ask": ('column = "age"', 'column = "?"', "ask 2, column: this is", "column"),
    "questions in keys": (
        '["A", "B"]',
        '"?"',
        "keys, city: this is still a",
        "in line 14 write a list",
    ),
}
