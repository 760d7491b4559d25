"""All rounds of a search for keys as one statement, whose pairs the server makes once.

Rules of this module:
- nothing is made on the server: the statement is a cursor of a transaction that only reads, as a
  standby allows, and it ends with the transaction;
- a round is worked out when it is fetched, and not before. Which keys it leaves out is a setting of
  the transaction by then: whole numbers, in a parameter;
- the pairs are what the cursor has written down for itself: all its rounds look at one state;
- after the last round a cursor is opened anew, in the same state: it makes the same pairs.

Why a round is not worked out before: its rows are those of one branch of UNION ALL, and the server
asks a branch for its first row when the one before it has no more. The branch before ends with a
row that says how many follow, so that no fetch goes further than its round. The setting is read by
a function that the server takes to be STABLE: it is called while the branch runs, and its value is
not put into the plan.

Decision 158.
"""

from collections.abc import Callable
from typing import cast

from sqlglot import exp

from ..sql.pool import FOUND, MOST, PAIRS, WEIGHTS, with_pairs
from ..sql.query import Counting
from ..sql.server import Rows

ROUNDS = 5  # of one cursor; a search has as many
_CURSOR, _SETTING = "discreet_rounds", "discreet.found"
_READ = f"SELECT * FROM {PAIRS}"  # noqa: S608 - names of our own
_GONE = (
    "SELECT UNNEST(CAST(STRING_TO_ARRAY(CURRENT_SETTING('"
    + _SETTING
    + "', TRUE), ',') AS BIGINT[]))"
)
_KEYS = f"""discreet_keys AS MATERIALIZED (SELECT k, ROW_NUMBER() OVER (ORDER BY k) - 1 AS g
  FROM (SELECT DISTINCT k FROM {PAIRS}) AS d)"""  # noqa: S608
_LISTS = f"""discreet_lists AS MATERIALIZED (SELECT ARRAY_AGG(q.g) AS l
  FROM {PAIRS} AS p JOIN discreet_keys AS q ON p.k = q.k GROUP BY p.u)"""  # noqa: S608
_OF_UNITS = f"""SELECT g, CAST(LEAST(SUM(w), {MOST}) AS BIGINT) AS s FROM (
    SELECT UNNEST(a.l) AS g, n.w FROM (SELECT ARRAY(SELECT e.g FROM UNNEST(l) AS e(g)
      WHERE NOT e.g IN ({_GONE})) AS l FROM discreet_lists OFFSET 0) AS a
    JOIN {WEIGHTS} AS n ON CARDINALITY(a.l) = n.d) AS j GROUP BY g"""  # noqa: S608
_OF_ROWS = f"""SELECT q.g, CAST(LEAST(SUM(CAST(p.n AS DECIMAL) * n.w), {MOST}) AS BIGINT) AS s
  FROM {PAIRS} AS p JOIN discreet_keys AS q ON p.k = q.k JOIN {WEIGHTS} AS n ON n.d = 1
  WHERE NOT q.g IN ({_GONE}) GROUP BY q.g"""  # noqa: S608


def text_of(made: str, *, of_rows: bool) -> str:
    """Return the text of a cursor: rows of how many follow, then as many of number, key and sum.

    Proof that a unit with too many keys adds nothing: there is one list for each unit, because they
    are grouped by it, and no weight for a list that is longer than may be.

    Args:
        made: of the query that makes the pairs and reads them.
        of_rows: whether each row is a unit.
    """
    steps = [_KEYS] if of_rows else [_KEYS, _LISTS]
    each = _OF_ROWS if of_rows else _OF_UNITS
    answers = []
    for number in range(ROUNDS):
        step = f"discreet_round_{number}"
        steps.append(f"{step} AS MATERIALIZED ({each})")
        keyed = "JOIN discreet_keys AS q ON r.g = q.g" if number == 0 else ""
        key = "q.k" if number == 0 else "NULL"
        answers += [
            f"SELECT COUNT(*) AS g, NULL AS k, 0 AS s FROM {step}",  # noqa: S608
            f"SELECT r.g, {key}, r.s FROM {step} AS r {keyed}",  # noqa: S608
        ]
    before, _, _ = made.rpartition(_READ)
    return f"{before.rstrip()}, {', '.join(steps)} {' UNION ALL '.join(answers)}"


class Rounds:
    """One state of the pairs of a table, asked round after round."""

    def __init__(
        self, run: Callable[[str, tuple[object, ...]], Rows], pairs: Counting, salt: int
    ) -> None:
        """Keep what is asked; nothing is read yet.

        Args:
            run: from a text and its parameters to rows, in one transaction.
            pairs: the query that makes them.
            salt: chooses which keys of a unit stay.
        """
        self._run = run
        self._pairs = pairs
        self._salt = salt
        self._left = 0
        self._is_open = False

    def ask(self, query: Counting) -> Rows:
        """Return the number, the key and the sum of each key that a round does not leave out.

        The keys stand in the first round of a cursor.
        """
        if not self._left:
            self._open(query)
        gone = ",".join(map(str, query.tables[FOUND]["g"].tolist()))
        self._run("SELECT pg_catalog.set_config($1, $2, true)", (_SETTING, gone))
        self._left -= 1
        ((many, _, _),) = self._run(f"FETCH 1 FROM {_CURSOR}", ())
        return self._run(f"FETCH {int(cast('int', many))} FROM {_CURSOR}", ()) if many else []

    def _open(self, query: Counting) -> None:
        text, parameters = cursor_text(self._pairs, query, self._salt)
        if self._is_open:
            self._run(f"CLOSE {_CURSOR}", ())
        self._run("SELECT pg_catalog.set_config('cursor_tuple_fraction', '1', true)", ())
        self._run(f"DECLARE {_CURSOR} NO SCROLL CURSOR FOR {text}", parameters)
        self._left, self._is_open = ROUNDS, True


def cursor_text(pairs: Counting, query: Counting, salt: int) -> tuple[str, tuple[object, ...]]:
    """Return the statement of all rounds, and what it is given.

    Args:
        pairs: the query that makes them.
        query: of one round, with the table of weights.
        salt: chooses which keys of a unit stay.
    """
    from .connection import statement

    of_rows = "u" not in [column.alias_or_name for column in pairs.query.selects]
    read = with_pairs(exp.select("*").from_(PAIRS), pairs.query)
    made = statement(Counting(read, (), {WEIGHTS: query.tables[WEIGHTS]}), salt)
    return text_of(made.text, of_rows=of_rows), made.parameters
