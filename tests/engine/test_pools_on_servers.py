"""Keys that nobody knows, looked for on Postgres: one state for all rounds, and the reference's keys.

The same noise, a function of a key's bytes, is given to every engine; so what is found is alike.
"""

import random
from fractions import Fraction
from itertools import product

import pandas as pd
import psycopg
import pytest

import discreet as dp
from discreet.aggregate import Exact
from discreet.engine.select_engine import engine_for
from discreet.entropy import Keyed
from discreet.errors import EngineError
from discreet.finding.finding import finding_for
from discreet.finding.pairs import Pairs
from discreet.releases.find import find, keyed_noise
from discreet.releases.sealed import at_least
from engine import test_group_sizes as sizes
from servers import connected, dsn, filled, postgres_log

pytestmark = pytest.mark.claim("C140")

WORDS = [
    "a",
    "A",
    "a ",
    "é",
    "e\u0301",
    "ｅ",
    "it's",
    "%s",
    "$1",
    "\\",
    "n|",
    "1\n",
    "\u2028",
    "",
    "𝒶",
    "ẞ",
    "ß",
]
WORDS += ["other", "CANARY-7f3a" * 9, None]
KINDS = {"who": "text", "word": "text"}
PAIRS = Pairs("word", (60, 42, 34))
FINDING = finding_for("word", 3, Fraction(4), Fraction(1, 10**4), replace=False)


def made(seed, units=60, many=500):
    """Rows of units of which most have more words than may stay; some words are frequent."""
    chance = random.Random(seed)
    weights = [1 / (1 + place) for place in range(len(WORDS))]
    return [
        {"who": f"p{chance.randrange(units)}", "word": chance.choices(WORDS, weights)[0]}
        for _ in range(many)
    ]


def declared(source, *, who="who", where=None, **how):
    whose = "row" if who is None else dp.unit(who, sampling="portable")
    keys = {"word": dp.unknown(max_groups=3, **how)}
    found = dp.table(source, unit=whose, keys=keys, name="t")
    return found if where is None else found.where(where)


def in_postgres(rows, kinds=KINDS):
    return filled(kinds, [[row.get(name) for name in kinds] for row in rows])


def pool_of(source, salt=3, pairs=PAIRS, **how):
    return engine_for(source).pooling(declared(source, **how), pairs).read(salt)


def sums(pool, found=()):
    """What a round adds to each key, by its text."""
    size = len(pool.noise(lambda keys: [0] * len(keys)).opened_by_the_door())
    names = [pool.names(frozenset([place]))[0] for place in range(size)]
    gone = frozenset(place for place, name in enumerate(names) if name in found)
    return dict(zip(names, pool.sums(gone).opened_by_the_door(), strict=True))


def read(source, **how):
    """The sums of a round where nothing is found, and of one where three keys are."""
    pool = pool_of(source, **how)
    try:
        return sums(pool), sums(pool, ["a", "é", "it's"])
    finally:
        pool.close()


HOWS = [
    {},
    {"missing": "it's", "salt": 2**64 - 1},
    {"longest": 1, "other": "A", "salt": 0},
    {"who": None, "pairs": Pairs("word", (60,))},
    {"where": "word <> 'a' OR who = 'p1'"},
]


@pytest.mark.exhaustive
@pytest.mark.parametrize("how", HOWS, ids=str)
def test_postgres_pools_what_the_reference_pools(how):
    """Key for key and integer for integer; DuckDB, too."""
    rows = made(1)
    expected = read(rows, **how)

    assert read(in_postgres(rows), **how) == expected
    assert read(pd.DataFrame(rows), **how) == expected
    assert len(expected[0]) > 5


@pytest.mark.claim("C606")
@pytest.mark.parametrize("words", [2, 3, 4])
@pytest.mark.parametrize("kind", ["text", "bigint"])
def test_units_with_as_many_keys_as_stay_and_one_more_are_pooled_as_by_the_reference(kind, words):
    """Pairs of a unit that has few keys are not hashed; of one that has a key more, all are."""
    who = {"text": "p{}".format, "bigint": int}[kind]
    rows = [{"who": who(n), "word": WORDS[(n + at) % 9]} for n in range(40) for at in range(words)]

    expected = read(rows)

    assert read(in_postgres(rows, {"who": kind, "word": "text"})) == expected
    assert sum(expected[0].values()) == 40 * min(words, 3) * PAIRS.weights[min(words, 3) - 1]


@pytest.mark.claim("C130")
def test_keys_of_several_columns_are_those_of_the_reference():
    """Text and whole numbers, with bars and missing cells; and counts of what was found."""
    rows = [{**row, "line": place % 3 - 1} for place, row in enumerate(made(9))]
    rows += [{"who": "q", "word": word, "line": 7} for word in ("a | b", "|", "||", " | ")]
    kinds = {"who": "text", "word": "text", "line": "bigint"}

    def of(source):
        whose = dp.unit("who", sampling="portable")
        keys = {"pair": dp.unknown(max_groups=3, of=["line", "word"], missing="none")}
        return dp.table(source, unit=whose, keys=keys, name="t")

    def pooled(source):
        pool = engine_for(source).pooling(of(source), Pairs("pair", PAIRS.weights)).read(3)
        try:
            return sums(pool)
        finally:
            pool.close()

    def counted(source):
        known = of(source).with_keys("pair", ["-1 | a", "7 | ||", "none"])
        (aggregate,) = dp.count_units("pair", max_groups=2).aggregates(known)
        (found,) = engine_for(source).prepare(known, (aggregate,)).count(5)
        return found.opened_by_the_door()

    expected = pooled(rows)
    assert pooled(in_postgres(rows, kinds)) == expected
    assert pooled(pd.DataFrame(rows)) == expected
    assert "7 | a || b" in expected or "7 | ||||" in expected
    assert counted(in_postgres(rows, kinds)) == counted(rows) == counted(pd.DataFrame(rows))


@pytest.mark.claim("C131")
def test_sizes_of_groups_are_those_of_the_reference(tmp_path):
    """The counts, and a release whose intervals hold them; the transaction is over afterwards."""
    rows = made(10)
    pairs, sizes = Pairs("word", (1, 1, 1)), (1, 5, 20)
    counts = []
    for source in (rows, in_postgres(rows), pd.DataFrame(rows)):
        pool = pool_of(source, pairs=pairs)
        counts.append(at_least(pool.sums(frozenset()), sizes).opened_by_the_door())
        pool.close()
    assert counts[0] == counts[1] == counts[2]
    assert counts[0][0] > counts[0][1] > 0

    source = in_postgres(rows)
    plan = dp.plan(declared(source), dp.group_sizes("word", at_least=sizes), spend=dp.zcdp(50))
    release = dp.run(plan, ledger=dp.ledger(tmp_path / "t.ledger", budget=dp.zcdp(50), subject="t"))
    assert len(release["group_sizes word"].rows) == 3
    assert source.info.transaction_status == 0


@pytest.mark.claim("C131")
@pytest.mark.slow
@pytest.mark.parametrize("groups", [1, 2, 3])
def test_no_unit_moves_the_sizes_of_groups_further_than_declared(groups):
    """The tables of `test_group_sizes`, made of what each unit adds in a pool of keys of its own.

    Two keys of a unit where one is paid for are seen.
    """
    units = [(role, keys) for role in (0, 1, 9) for keys in sizes.UNITS]
    rows = [
        {"who": f"{number}", "word": f"{number} {row['film']}"}
        for number, unit in enumerate(units)
        for row in sizes.rows_of([unit])
        if row["who"] is not None
    ]
    source, asked = in_postgres(rows), (1, 2, 3)

    def within(kept, relation):
        found = sums(pool_of(source, pairs=Pairs("word", (1,) * kept)))
        added = [[found.get(f"{n} {key}", 0) for key in sizes.KEYS] for n in range(len(units))]

        def vector(world):
            totals = (
                sum(each) for each in zip(*(added[units.index(u)] for u in world), strict=True)
            )
            return at_least(Exact(tuple(totals)), asked).opened_by_the_door()

        worlds = [[vector([*w, (9, keys)]) for keys in sizes.UNITS] for w in sizes.worlds()]
        most = sizes.declared_moves(asked, groups, relation)
        return all(
            sizes.within(one, other, most)
            for found in worlds
            for one, other in product(found[:1] if relation == "add_remove" else found, found)
        )

    assert within(groups, "add_remove")
    assert within(groups, "replace")
    assert groups == len(sizes.KEYS) or not within(groups + 1, "add_remove")


def test_no_key_is_sent_back_to_the_server():
    """A round is told numbers: also of keys that one unit alone has, and that were set aside."""
    source = in_postgres(made(4))
    pool, told = pool_of(source), []
    added = pool._added
    pool._added = lambda found: told.append(found) or added(found)

    pool.sums(frozenset([0, 2]))
    pool.close()
    assert told == [[0, 2]]


def test_whole_numbers_truth_values_and_enums_are_found_by_their_text():
    """As the reference writes them."""
    rows = [{"who": f"p{n}", "word": n % 3 - 1} for n in range(9)]
    expected = read(rows)

    assert read(in_postgres(rows, {"who": "text", "word": "bigint"})) == expected
    assert read(in_postgres(rows, {"who": "text", "word": "smallint"})) == expected
    truths = in_postgres(
        [{"who": "p", "word": True}, {"who": "q", "word": False}],
        {"who": "text", "word": "boolean"},
    )
    assert read(truths)[0] == {"0": 60, "1": 60}
    source = connected()
    source.execute("CREATE TYPE mood AS ENUM ('glad', 'sad')")
    source.execute("CREATE TABLE t (who bigint, word mood)")
    source.execute("INSERT INTO t VALUES (1, 'glad'), (2, 'sad'), (2, NULL)")
    assert read(source)[0] == {"glad": 60, "sad": 60}


def test_the_same_noise_finds_the_same_keys_on_every_engine():
    """All five rounds, with what was found in earlier ones; some are found, and some not."""
    rows, draw = made(2, units=200, many=2_000), keyed_noise(FINDING, Keyed())
    found = []
    for source in (rows, pd.DataFrame(rows), in_postgres(rows)):
        pool = pool_of(source, pairs=FINDING.pairs)
        found.append(find(FINDING, pool, draw))
        pool.close()

    assert found[0] == found[1] == found[2]
    assert 3 <= len(found[0]) < len(WORDS)


def changed(schema):
    """Let another session take keys out of the table, and put new ones in."""
    with psycopg.connect(dsn(), autocommit=True) as other:
        other.execute(f"DELETE FROM {schema}.t WHERE word = 'A'")
        other.execute(
            f"INSERT INTO {schema}.t SELECT 'p' || n, 'new' FROM generate_series(1, 50) n"
        )


def test_all_rounds_see_one_state_of_the_table():
    """What others write meanwhile is seen by the next act, and by no round of this one."""
    source = in_postgres(made(3))
    (schema,) = source.execute("SELECT current_schema()").fetchone()
    pool = pool_of(source)
    before = [sums(pool), sums(pool, ["a"])]

    changed(schema)

    assert [sums(pool), sums(pool, ["a"])] == before
    pool.close()
    after = sums(pool_of(source))
    assert "A" in before[0]
    assert "A" not in after
    assert after["new"] > 0


def asked_of(monkeypatch):
    """What the server is asked from here on: texts and what they are given."""
    from discreet.engine.postgres import connection as place

    asked, run = [], place._fetched
    monkeypatch.setattr(
        place, "_fetched", lambda cursor, wanted: asked.append(wanted) or run(cursor, wanted)
    )
    return asked


@pytest.mark.claim("C629")
@pytest.mark.parametrize(
    "how", [{}, {"who": None, "pairs": Pairs("word", (60,))}], ids=["units", "rows"]
)
def test_the_server_makes_the_pairs_once_for_five_rounds(how, monkeypatch):
    """Five rounds are those of the reference, each with other keys left out; so is a sixth, made anew."""
    rows = made(6)
    ours, theirs = pool_of(in_postgres(rows), **how), pool_of(rows, **how)
    names = [None, "a", "é", "it's", "n|", "1\n", "$1"]
    asked = asked_of(monkeypatch)
    for number in range(1, 7):
        gone = names[:number]
        assert sums(ours, gone) == sums(theirs, gone)
    ours.close()

    declared_ = [wanted.text for wanted in asked if wanted.text.startswith("DECLARE")]
    assert len(declared_) == 1  # the first one was declared when the pool was read
    assert all(wanted.text.count(" MD5(") == 0 for wanted in asked if wanted.text not in declared_)


@pytest.mark.claim("C629")
def test_a_round_is_not_worked_out_before_it_is_asked_for(monkeypatch):
    """Which keys it leaves out is told after the rounds before were fetched; they go as a parameter."""
    pool = pool_of(in_postgres(made(7)))
    asked = asked_of(monkeypatch)
    first = sums(pool)
    after = [
        sums(pool, found) for found in (["a"], ["a", "é"], [name for name in first if name != "A"])
    ]
    pool.close()

    assert after[0]["a"] == 0 < after[0]["A"]
    assert after[1]["é"] == 0 < after[0]["é"]
    assert {name for name, total in after[2].items() if total} == {"A"}
    assert all("," not in wanted.text for wanted in asked if "FETCH" in wanted.text)
    told = [wanted.parameters[1] for wanted in asked if "set_config" in wanted.text]
    assert len(told) == 3
    assert all(word not in text for text in told for word in ("a", "é", "A"))


@pytest.mark.claim("C629")
def test_a_unit_of_which_too_many_keys_are_left_adds_nothing(monkeypatch):
    """Whatever made the pairs: here no key was taken away."""
    from discreet.engine.sql import pool as place

    rows = [{"who": who, "word": word} for word in WORDS[:5] for who in ("many", f"of {word}")]
    monkeypatch.setattr(place, "_first_keys", lambda _names, distinct, _most: distinct)

    found = sums(pool_of(in_postgres(rows)))

    assert found == dict.fromkeys(WORDS[:5], 60)


def test_a_pool_leaves_nothing_behind():
    """No transaction, no table, no setting; also where a round fails, and where nobody closes."""
    source = in_postgres(made(4))
    source.execute("SET DateStyle = 'German'")
    asked = "SELECT current_setting('search_path'), current_setting('DateStyle'), (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_cursors), coalesce(current_setting('discreet.found', true), '')"
    before, log = source.execute(asked).fetchone(), postgres_log()

    pool_of(source).close()
    assert source.info.transaction_status == 0
    assert source.execute(asked).fetchone() == before
    pool = pool_of(source)
    pool._added = lambda _: source.execute("SELECT 1 / 0")
    with pytest.raises(EngineError) as caught:
        pool.sums(frozenset([0]))
    assert "zero" not in str(caught.value)
    pool.close()
    assert source.execute(asked).fetchone() == before
    pool = pool_of(source)
    del pool
    assert source.info.transaction_status == 0
    assert "CANARY" not in postgres_log()[len(log) :]


def test_one_unit_moves_the_sums_by_at_most_the_resolution():
    """Salt by salt, whatever was found; nobody else's keys change."""
    rows = made(5, units=12, many=120)
    extra = [{"who": "new", "word": word} for word in WORDS * 2]
    more, less = in_postgres(rows + extra), in_postgres(rows)

    for salt in (0, 1, 7):
        for one, other in zip(read(more, salt=salt), read(less, salt=salt), strict=True):
            moved = [one.get(key, 0) - other.get(key, 0) for key in {*one, *other}]
            assert all(step in (0, *PAIRS.weights) for step in moved)
            assert sum(step**2 for step in moved) <= PAIRS.weights[0] ** 2
            assert sum(step > 0 for step in moved) <= len(PAIRS.weights)
