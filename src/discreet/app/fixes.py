"""What to write in a plan file: TOML that can be pasted, with "?" where only a person can answer.

Rules of this module:
- what decides who is protected, how well, or what is believed of the data (a unit, a range, keys, a
  loss) is a question mark, which a plan file may hold and `discreet plan` refuses;
- of what is written already, all that may stay does;
- an answer to a question mark is described, never guessed.
"""

import re
from collections.abc import Mapping, Sequence

from ..errors import DiscreetError, InputError
from ..exact.number import rational
from .toml import toml

BLANK = "?"
_MOST_CHARACTERS = 160
PARTS = ("data", "columns", "keys", "spend", "ask")
LOSSES = ("rho", "epsilon", "delta", "within")

UNIT = 'unit = { column = "?", max_rows = "?" }, or unit = "row" where a person has one row only'

WRITE = {  # by place: what can stand there
    "title": 'title = "?"',
    "alpha": 'alpha = "0.05"',
    "data": 'data = { source = "?", unit = "?" } above the first [part]',
    "data.source": 'source = "?"',
    "data.unit": UNIT,
    "data.neighbors": 'neighbors = "add_remove", or neighbors = "replace"',
    "data.name": 'name = "?"',
    "columns.*": '{ lower = "?", upper = "?" }',
    "keys.*": '["?"]',
    "spend": 'spend = { rho = "?", ledger = "people.ledger" } above the first [part]',
    "spend.rho": 'rho = "?", a number such as 1/50',
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
    "ask.*.bins": "bins = 20",
    "ask.*.weight": "weight = 1",
    "ask.*.max_groups": 'max_groups = "?"',
    "ask.*.max_rows_per_group": 'max_rows_per_group = "?"',
}
ANSWERS = {  # by place: what a question mark asks for
    "data.source": "the path of a CSV or Parquet file",
    "data.unit": '"row" where a person has one row only, or { column = ..., max_rows = ... }',
    "data.unit.column": "the name of the column that tells one person from another",
    "data.unit.max_rows": "how many rows of one person may count, a whole number",
    "data.neighbors": '"add_remove" or "replace"',
    "columns.*": "{ lower = ..., upper = ... }",
    "columns.*.lower": "the lower end of its range, a number known without the data",
    "columns.*.upper": "the upper end of its range, a number known without the data",
    "columns.*.step": "the grid of its values, a number; or leave step out",
    "keys.*": "a list of its public values, or { from = ..., to = ... }",
    "keys.*.from": "the least of its public values, a whole number",
    "keys.*.to": "the largest of its public values, a whole number",
    "spend.rho": "what the release may cost, a number such as 1/50",
    "spend.epsilon": "what the release may cost, a number such as 1",
    "spend.delta": "the chance that is accepted, a number such as 1e-6",
    "spend.within": "the error that you can live with, a number",
    "spend.ledger": "the path of the ledger that pays",
    "ask.*.statistic": "the statistic that you want",
    "ask.*.column": "the name of a column under [columns]",
    "ask.*.by": "the name of a column under [keys]",
}


def answer(pattern: str) -> str:
    """Return what a question mark at a place asks for."""
    return ANSWERS.get(pattern, "your answer")


def part_of(name: str, given: object, what: str) -> str:
    """Return what to write where a whole part does not fit, or something in it was refused."""
    if isinstance(given, Mapping) and name == "ask":
        return "write [[ask]] in place of [ask]"
    if isinstance(given, list) and name != "ask":
        return f"write [{name}] in place of [[{name}]]"
    if not isinstance(given, Mapping):
        return f"write a part [{name}] in place of it"
    found = line_of(f"{name}.{what.split(' ', 1)[0]}", what)
    about_loss = name == "spend" and what.startswith(("a spend of", "noise with"))
    return loss_of(given) if about_loss and not found else found


def loss_of(given: object) -> str:
    """Return the line of the loss that a part [spend] says, still to be chosen; nothing if none."""
    said = [loss for loss in LOSSES if isinstance(given, Mapping) and loss in given]
    return line_of(f"spend.{said[0]}", "") if said else ""


def line_of(pattern: str, what: str) -> str:
    """Return what to write at a place that is one line, or nothing where it has no example."""
    if pattern == "ask.*":
        about = {"bins": "the bin edges", "column": " is not a column name"}
        pattern = next((f"ask.*.{name}" for name, said in about.items() if said in what), pattern)
    if pattern == "ask.*.ball" and "one column" in what:
        return "remove ball"
    return f"write {WRITE[pattern]}" if pattern in WRITE else ""


def range_of(given: object, faulty: str, what: str) -> str:
    """Return a range as it may be written in place of one that was refused.

    Args:
        given: what stands there.
        faulty: which of lower, upper and step is at fault, or "".
        what: what was said of it.
    """
    part = dict(given) if isinstance(given, Mapping) else {}
    ends = [part.get("lower", BLANK), part.get("upper", BLANK)]
    faulty = faulty or next((name for name in part if what.startswith(f"{name} ")), "")
    if " is not below upper = " in what:
        low, high = (rational(end, "an end") for end in ends)
        ends = ends[::-1] if low > high else [ends[0], BLANK]
    elif " is not a multiple of step" in what or "more than 2^52 steps" in what:
        ends, faulty = (ends, "step") if "step" in part else ([BLANK, BLANK], faulty)
    elif faulty in ("lower", "upper"):
        ends[faulty == "upper"] = BLANK
    elif not _are_numbers(ends):
        ends = [BLANK, BLANK]
    step = "" if faulty == "step" or "step" not in part else f", step = {toml(part['step'])}"
    return f"{{ lower = {toml(ends[0])}, upper = {toml(ends[1])}{step} }}"


def _are_numbers(ends: Sequence[object]) -> bool:
    try:
        return all(end == BLANK or rational(end, "an end") is not None for end in ends)
    except DiscreetError:
        return False


def keys_of(given: object, what: str) -> str:
    """Return keys as they may be written in place of those that were refused."""
    if isinstance(given, Mapping):
        ends = [given.get("from"), given.get("to")]
        whole = [end for end in ends if isinstance(end, int) and not isinstance(end, bool)]
        backward = len(whole) == 2 and 0 < whole[0] - whole[1] < 1_000
        low, high = (toml(whole[1]), toml(whole[0])) if backward else ('"?"', '"?"')
        return f"{{ from = {low}, to = {high} }}"
    if isinstance(given, list) and "is listed twice" in what:
        once = toml(list(dict.fromkeys(given)))
        if len(once) <= _MOST_CHARACTERS:
            return once
    return WRITE["keys.*"]


def unit_of(given: object, faulty: str) -> str:
    """Return the line of a unit in place of one that was refused."""
    if not isinstance(given, Mapping):
        return UNIT
    column = BLANK if faulty == "column" else given.get("column", BLANK)
    most = BLANK if faulty == "max_rows" else given.get("max_rows", BLANK)
    return f"unit = {{ column = {toml(column)}, max_rows = {toml(most)} }}"


def in_words_of_a_file(error: InputError) -> str:
    """Return a fix that is written as Python as a plan file says it; nothing where it cannot."""
    if "(" in error.fix or "={" in error.fix or "spend=" in error.fix or "discreet." in error.fix:
        return ""
    asked = re.sub(r"(?<=[=\[ ])\?(?=[],. ]|$)", f'"{BLANK}"', error.fix)
    return re.sub(r"\b([a-z_]+)=(?=[\"'\w\[.-])", r"\1 = ", asked)
