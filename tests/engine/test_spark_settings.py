"""What a session of Spark is set to changes no integer, and no text that a question holds.

`make spark` runs it.
"""

from decimal import Decimal

import pytest

import discreet as dp
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from engine.sources import opened
from servers import spark

pytestmark = pytest.mark.claim("C51")

TEXTS = [
    "a",
    "a\\b",
    "a\\\\b",
    "a'b",
    'a"b',
    "${spark.app.name}",
    "${system:user.name}",
    "$1",
    ":x",
]
TEXTS += ["a\nb", "\\u0041", "A", "é", "`", "--x", "/*x*/", "'; x", "%", "{{x}}", "?", "\0", ""]
SETTINGS = [
    None,
    "spark.sql.parser.escapedStringLiterals",
    "spark.sql.ansi.doubleQuotedIdentifiers",
    "spark.sql.legacy.consecutiveStringLiterals.enabled",
]


def rows():
    return [{"u": n % 11, "t": TEXTS[n % len(TEXTS)], "v": n % 4} for n in range(200)]


def counted(source, engine):
    """Numbers of rows by each text, and of those that a condition finds by it."""
    found = dp.table(
        source,
        name="t",
        unit=dp.unit("u", max_rows=15, sampling="portable"),
        keys={"t": TEXTS},
        columns={"v": dp.bounds(0, 3, step=1)},
    )
    written = [text.replace("'", "''") for text in TEXTS]
    listed = ", ".join(f"'{text}'" for text in written[1:9])
    asked = [dp.count("t"), dp.count(where=f"t IN ({listed})")]
    asked += [dp.count(where=f"t = '{written[place]}'") for place in (1, 5, 6, 10)]
    aggregates = tuple(one for a in asked for one in a.aggregates(found))
    return opened(engine(source).prepare(found, aggregates).count(3))


@pytest.mark.exhaustive
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_text_is_what_it_says_whatever_the_session_makes_of_it(setting):
    """No value of the session in the place of ${...}, and no other reading of a backslash."""
    there = rows()
    source = spark().createDataFrame([(*row.values(),) for row in there], "u int, t string, v int")
    expected = counted(there, lambda _: MemoryEngine())
    before = spark().conf.get(setting) if setting else None
    if setting:
        spark().conf.set(setting, "true")
    try:
        assert counted(source, engine_for) == expected
    finally:
        if setting:
            spark().conf.set(setting, before)


@pytest.mark.parametrize("is_ansi", ["true", "false"])
def test_keys_of_decimals_are_found_however_the_session_writes_them(is_ansi):
    """Out of ANSI mode the text of 0 is 0E-18, which equals no key that is written out."""
    cells = [(1, Decimal("0")), (2, Decimal("1E-18")), (3, Decimal("-1E-7")), (4, Decimal("1.5"))]
    source = spark().createDataFrame(cells, "u int, d decimal(38, 18)")
    found = dp.table(source, name="t", unit="row", keys={"d": ["0", "1e-18", "-0.0000001", "1.5"]})
    aggregates = dp.count("d").aggregates(found)
    before = spark().conf.get("spark.sql.ansi.enabled")
    spark().conf.set("spark.sql.ansi.enabled", is_ansi)
    try:
        assert opened(engine_for(source).prepare(found, aggregates).count(3)) == [(1, 1, 1, 1)]
    finally:
        spark().conf.set("spark.sql.ansi.enabled", before)


def test_a_name_in_which_spark_puts_a_setting_is_refused():
    source = spark().createDataFrame([(1, 2)], "u int, `${spark.app.name}` int")

    with pytest.raises(InputError, match="has a column whose name holds"):
        counted(source, engine_for)
