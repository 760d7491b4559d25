"""What a plan file asks for: examples of its lines, with "?" where only a person can answer.

Rules of this module:
- what decides who is protected, how well, or what is believed of the data (a unit, a range, keys, a
  loss) is a question mark, which a plan file may hold and `discreet plan` refuses;
- of what is written already, all that may stay does;
- an answer to a question mark is described, never guessed.
"""

from collections.abc import Mapping, Sequence

from ..fix import BLANK, Ways, write

ASKED = "?"  # what a person must answer, as it is typed
PARTS = ("data", "columns", "keys", "spend", "ask")
LOSSES = ("rho", "mu2", "epsilon", "delta", "within")

UNIT = 'unit = { column = "?", max_rows = "?" }, or unit = "row" where a person has one row only'

WRITE = {  # by place: what can stand there
    "title": 'title = "?"',
    "alpha": 'alpha = "0.05"',
    "share": "share = false, or leave it out",
    "together": "together = true, or leave it out",
    "data": 'data = { source = "?", unit = "?" } above the first [part]',
    "data.source": 'source = "?"',
    "data.unit": UNIT,
    "data.neighbors": 'neighbors = "add_remove", or neighbors = "replace"',
    "data.name": 'name = "?"',
    "data.where": 'where = "?"',
    "data.rows": 'rows = "?", where it is public already',
    "data.units": 'units = "?", where it is public already',
    "join.*.source": 'source = "?"',
    "join.*.gives": 'gives = ["?"]',
    "owner.*.source": 'source = "?"',
    "owner.*.gives": 'gives = ["?"]',
    "owner.*.on": 'on = "?"',
    "derive.*": 'expression = "?"',
    "derive.*.expression": 'expression = "?"',
    "derive.*.keys": 'keys = ["?"]',
    "columns.*": '{ lower = "?", upper = "?" }',
    "keys.*": '["?"]',
    "spend": 'spend = { rho = "?", ledger = "people.ledger" } above the first [part]',
    "spend.rho": 'rho = "?", a number such as 1/50',
    "spend.mu2": 'mu2 = "?", a number such as 1/25',
    "spend.epsilon": 'epsilon = "?", a number such as 1',
    "spend.delta": 'delta = "?", a chance such as 1e-6',
    "spend.within": 'within = "?", an error such as 20, or a list with one for each question',
    "spend.kind": 'kind = "zcdp", or kind = "pure"',
    "spend.ledger": 'ledger = "people.ledger"',
    "ask": 'ask = [{ statistic = "count" }] above the first [part]',
    "ask.*.statistic": 'statistic = "?"',
    "ask.*.column": 'column = "?"',
    "ask.*.ball": 'ball = "?"',
    "ask.*.by": 'by = "?"',
    "also": 'also = [{ derive = "total", of = "?" }] above the first [part]',
    "also.*.derive": 'derive = "total"',
    "also.*.of": 'of = "?", the name of a question, as the plan shows it',
    "also.*.other": 'other = "?", the name of another question',
    "ask.*.bins": "bins = 20",
    "ask.*.method": 'method = "choice", or leave it out',
    "ask.*.weight": "weight = 1",
    "ask.*.within": 'within = "?", an error such as 20, "0.5" or "5%"',
    "ask.*.together": "together = true, or leave it out",
    "ask.*.rows": 'rows = "?", such as 200: the smallest group that matters to you',
    "ask.*.where": 'where = "?"',
    "ask.*.max_groups": 'max_groups = "?"',
    "ask.*.max_rows_per_group": 'max_rows_per_group = "?"',
}
ANSWERS = {  # by place: what a question mark asks for
    "data.source": "the path of a CSV or Parquet file",
    "data.unit": '"row" where a person has one row only, or { column = ..., max_rows = ... }',
    "data.unit.column": "the name of the column that tells one person from another",
    "data.unit.max_rows": "how many rows of one person may count, a whole number",
    "data.neighbors": '"add_remove" or "replace"',
    "data.csv.decimal": '"," where two and a half is 2,5, or "." where it is 2.5',
    "data.csv.encoding": '"utf-8", or "windows-1252" where Excel or an older program wrote it',
    "join.*.source": "the path of the other file",
    "owner.*.source": "the path of the file that says who owns each row",
    "owner.*.on": "the name of the column that refers to an owner",
    "columns.*": "{ lower = ..., upper = ... }",
    "columns.*.lower": "the lower end of its range, a number known without the data",
    "columns.*.upper": "the upper end of its range, a number known without the data",
    "columns.*.step": "the grid of its values, a number; or leave step out",
    "columns.*.missing": "the value that a missing cell counts as, a number; or leave missing out",
    "keys.*": "a list of its public values, or { from = ..., to = ... }",
    "keys.*.max_groups": "how many of its values one person's rows may have and count",
    "keys.*.from": "the least of its public values, a whole number",
    "keys.*.to": "the largest of its public values, a whole number",
    "spend.rho": "what the release may cost, a number such as 1/50",
    "spend.mu2": "what the release may cost, a number such as 1/25",
    "spend.epsilon": "what the release may cost, a number such as 1",
    "spend.delta": "the chance that is accepted, a number such as 1e-6",
    "spend.within": "the error that you can live with, a number",
    "spend.ledger": "the path of the ledger that pays",
    "ask.*.statistic": "the statistic that you want",
    "ask.*.column": "the name of a column under [columns]",
    "ask.*.by": "the name of a column under [keys]",
    "ask.*.within": "the error that you can live with, a number",
    "ask.*.rows": "the rows of the smallest group that matters to you, a whole number",
}


def answer(pattern: str) -> str:
    """Return what a question mark at a place asks for."""
    own = pattern.replace("join.*.csv.", "data.csv.").replace("owner.*.csv.", "data.csv.")
    return ANSWERS.get(own, "your answer")


def part_of(name: str, value: object) -> str:
    """Return what to write where a whole part does not fit."""
    if isinstance(value, Mapping) and name == "ask":
        return "write [[ask]] in place of [ask]"
    if isinstance(value, list) and name != "ask":
        return f"write [{name}] in place of [[{name}]]"
    return "" if isinstance(value, Mapping) else f"write a part [{name}] in place of it"


def example_line(pattern: str) -> str:
    """Return what to write at a place that is one line, or nothing where it has no example."""
    return f"write {WRITE[pattern]}" if pattern in WRITE else ""


def ways_at(path: Sequence[str | int], value: object) -> Ways:
    """Return what can be written where a range, keys or a unit have the wrong shape.

    Args:
        path: the place of the fault.
        value: what stands there as a whole.
    """
    name, faulty = str(path[1]) if path[1:] else "", path[2:3]
    if path[0] == "columns":
        return (write(of="table", columns={name: _asked(("lower", "upper"), value, faulty)}),)
    if path[0] == "keys":
        ends = {"from": BLANK, "to": BLANK}
        return (write(of="table", keys={name: ends if isinstance(value, Mapping) else [BLANK]}),)
    if path[:2] == ("data", "unit") and isinstance(value, Mapping):
        return (write(of="table", unit=_asked(("column", "max_rows"), value, faulty)),)
    return ()


def _asked(names: Sequence[str], value: object, faulty: Sequence[str | int]) -> dict[str, object]:
    """Return a question mark for each name that is missing or at fault."""
    there = value if isinstance(value, Mapping) else {}
    return {name: BLANK for name in names if name not in there or name in faulty}
