"""A plan that was asked in a form that is no question, as the call that was meant.

Rules of this module:
- a loss or an error that was given stands in the call; a table and questions have the names that
  the docs use, or are typed where they were said by a word.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..fix import BLANK, Call, Do, Variable, call, our_name, python_of
from ..privacy.loss import is_loss
from ..schema import Table
from ..statistic.catalog import ASKED

_SELECT = re.compile(r"\s*(?:SELECT|WITH)\b", re.IGNORECASE)
_CALL = re.compile(r"\s*(?:\w+\.)?(\w+)\s*\(\s*(?:\*|[\"'`]?(\w*)[\"'`]?)\s*\)\s*", re.IGNORECASE)
_TABLE, _QUESTIONS = Variable("table"), Variable("*questions")
_LONGEST = 120  # letters of questions that are typed again
_ALONE = ("count", "count_units")  # questions of no column


def plan_meant(
    table: object, statistics: Sequence[object], spend: object = None, within: object = None
) -> Do:
    """Return the plan that was meant.

    Args:
        table: the thing in the place of a table.
        statistics: the things in the places of questions.
        spend, within: the settings of these names.
    """
    paid = _paid((spend, *statistics), within)
    if isinstance(table, (tuple, list)) and any(isinstance(part, Table) for part in table):
        return Do(call("discreet.plan", Variable("*discreet.sql(text, table)"), **paid))
    others = [each for each in statistics if not is_loss(each) and not isinstance(each, Table)]
    is_question = callable(getattr(table, "aggregates", None))
    is_declared = any(isinstance(each, Table) for each in (table, *statistics))
    made = call("discreet.table", source_of(table), unit=BLANK)
    first = _TABLE if is_declared or is_question else made
    others += [table] * is_question
    if len(others) == 1 and isinstance(others[0], str) and _SELECT.match(others[0]):
        asked = python_of(call("discreet.sql", others[0], first))
        return Do(call("discreet.plan", Variable(f"*{asked}"), **paid))
    return Do(call("discreet.plan", first, *_questions(others, table), **paid))


def _questions(others: Sequence[object], table: object) -> list[object]:
    """Return the questions as a plan takes them: as they were made, or as a word says them."""
    meant = [_question(each, table) for each in others]
    known = [each for each in meant if each is not None] or [call("discreet.count")]
    is_long = sum(len(python_of(each)) for each in known) > _LONGEST
    return [_QUESTIONS] if is_long or _QUESTIONS in known else known


def _question(asked: object, table: object) -> object:
    if callable(getattr(asked, "aggregates", None)):
        return Variable(repr(asked))
    return (
        _QUESTIONS if isinstance(asked, (list, tuple)) and asked else question_meant(asked, table)
    )


def source_of(value: object) -> object:
    """Return what was given where a table belongs, as a fix can show it: a path, or "data"."""
    return value if isinstance(value, str) else Variable("data")


def _paid(losses: Sequence[object], within: object) -> Mapping[str, Any]:
    """Return the loss that was given anywhere, or the errors; a loss to be chosen without any."""
    loss = next((each for each in losses if is_loss(each)), None)
    if loss is None and type(within) in (int, float, str):
        return {"within": within}
    return {"spend": BLANK if loss is None else Variable(repr(loss))}


def question_meant(asked: object, table: object) -> Call | None:
    """Return the question that a word, a text or a function says; None where it says none.

    Example:
        >>> python_of(question_meant("AVG(age)", None)), python_of(question_meant("COUNT(*)", None))
        ('discreet.mean("age")', 'discreet.count()')
    """
    columns = dict.fromkeys((*table.columns, *table.keys)) if isinstance(table, Table) else {}
    if not isinstance(asked, str):
        module, name = (getattr(asked, part, "") for part in ("__module__", "__name__"))
        return _of_name(name, "", columns) if module == "discreet" else None
    if asked in columns and isinstance(table, Table):
        is_number = asked in table.columns
        return call("discreet.mean", asked) if is_number else call("discreet.count", by=asked)
    written = _CALL.fullmatch(asked) or re.fullmatch(r"\s*(\w+)()\s*", asked)
    return _of_name(written[1], written[2] or "", columns) if written else None


def _of_name(word: str, column: str, columns: Mapping[str, object]) -> Call | None:
    """Return a question by its name, or by that of other tools; None for a name that is none."""
    name = word.casefold() if word.casefold() in ASKED else our_name(word, ASKED)
    if name in _ALONE:
        return call(f"discreet.{name}")
    if name not in ("sum", "mean", "variance", "std", "median", "histogram", "iqr"):
        return None
    return call(f"discreet.{name}", column or next(iter(columns), "wage"))
