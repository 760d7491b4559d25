"""An answer as the table that a document holds."""

from operator import itemgetter

from ..statistic.statistic import Answer, columns_of
from .document import AnswerAxis, AnswerTable
from .rows import Rows


def answer_table(answer: Answer) -> AnswerTable:
    """Return an answer's numbers as columns: those of its axes, then its numbers."""
    columns = columns_of(answer.axes, answer.measure, linear=answer.linear is not None)
    told = (answer.rows, answer.linear, answer.deviation)
    numbers = [
        *(found for found in told if found is not None),
        answer.values,
        answer.low,
        answer.high,
    ]
    width = len(columns) - len(numbers)
    index = [tuple(map(itemgetter(at), answer.index)) for at in range(width)]
    return AnswerTable(
        axes=[AnswerAxis(kind=axis.kind, name=axis.name) for axis in answer.axes],
        measure=answer.measure,
        adds_up=answer.adds_up,
        rows_within=answer.rows_within,
        columns=columns,
        rows=Rows([*index, *numbers]),
    )
