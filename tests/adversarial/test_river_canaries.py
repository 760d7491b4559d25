"""Canaries: secrets planted in the data occur nowhere, whatever a river does or fails at.

They stand in units, in keys that are not declared, in numeric cells and in column text. Searched is
everything that could be read afterwards: what is printed, logged and warned of, errors with their
causes and the locals of our own frames, plans, the ledger's files, the release's files, what is
left in the temporary folder. `tests/e2e/test_cli_canary.py` does the same for a CSV by command.
"""

import gc
import logging
import shlex
import tempfile
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pytest

import discreet as dp
from adversarial.rivers import KINDS, Torn, planned, source_of, started
from discreet.cli.cli import main
from discreet.engine.select_engine import engine_for
from discreet.ledgers.sqlite import File
from discreet.releases import run

SECRETS = [
    "Xq7canary3f9",
    "917265403881",
    "Zebulon",
    "=2+5canary",
    "4.0426e-77",
    "canary\nrow",
    "canary\\nrow",
]
ROWS = [{"who": s, "ward": s, "cost": s} for s in SECRETS] * 5
ROWS += [{"who": f"p{i}", "ward": "A", "cost": f"{i % 50}"} for i in range(20)]


@dataclass
class Net:
    """Everything that a river says or leaves behind, as one text."""

    folder: Path
    texts: list[str] = field(default_factory=list)

    def keep(self, *things: object) -> None:
        for thing in things:
            self.texts += [str(thing), repr(thing)]
            if hasattr(thing, "_repr_html_"):
                self.texts.append(thing._repr_html_())

    def caught(self, act: Callable[[], object]) -> None:
        try:
            act()
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - all of them are searched
            self.texts += all_of(error)

    def files(self) -> None:
        for path in sorted(self.folder.rglob("*")):
            if path.is_file():
                self.texts += [path.name, path.read_bytes().decode("latin-1")]
            if path.suffix == ".parquet":
                self.keep(duckdb.connect().read_parquet(str(path)).fetchall())

    def found(self) -> list[str]:
        whole = "\n".join(self.texts)
        return [secret for secret in SECRETS if secret in whole]


def all_of(error: BaseException) -> list[str]:
    """The texts of an error and of all that hangs on to it, and the locals of frames of ours."""
    texts, seen, todo = [], [], [error]
    while todo:
        one = todo.pop()
        if one is None or one in seen:
            continue
        seen.append(one)
        texts += [repr(one), str(one), *getattr(one, "__notes__", []), *map(repr, one.args)]
        texts += traceback.format_exception_only(one)
        for frame, _ in traceback.walk_tb(one.__traceback__):
            if "discreet" in frame.f_globals.get("__name__", ""):
                texts += [f"{name} = {value!r}" for name, value in frame.f_locals.items()]
        todo += [one.__cause__, one.__context__]
    return texts


@pytest.fixture
def net(tmp_path, monkeypatch, capfd, caplog):
    """A net around the test: an own temporary folder, all logs, all warnings, both streams."""
    out = tmp_path / "out"
    (out / "temp").mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(out / "temp"))
    caplog.set_level(logging.DEBUG)
    found = Net(out)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        yield found
        gc.collect()
    found.keep(*(warning.message for warning in told), caplog.text, *capfd.readouterr())
    found.files()
    assert found.found() == []


def data(folder: Path) -> Path:
    (folder / "data").mkdir()
    return folder / "data"


@pytest.mark.exhaustive("canaries of a river")
@pytest.mark.claim("C09")
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_good_river_tells_nothing_but_its_numbers(kind, net, tmp_path):
    """Plan, release, repeat, table, picture, folder, zip, ledger and its check."""
    plan, ledger = planned(source_of(kind, data(tmp_path), ROWS)), started(net.folder)
    release = dp.run(plan, ledger=ledger, who="sven", why="annual table")
    again = dp.run(plan, ledger=ledger)

    net.keep(plan, plan.plain(), plan.events(), release, again, release.document, release.table())
    net.keep(release.table().rows, ledger, ledger.book(), dp.rehearse(plan))
    for name in ("visits.release", "visits.zip"):
        net.keep(dp.verify(release.save(net.folder / name), ledger=ledger))
    release.plot().savefig(net.folder / "picture.svg")


def no_column(source, net):
    table = dp.table(source, name="visits", unit="row", columns={"price": dp.bounds(0, 1)})
    dp.run(dp.plan(table, dp.sum("price"), spend=dp.zcdp(1)), ledger=started(net.folder))


def no_budget(source, net):
    dp.run(planned(source, "2"), ledger=started(net.folder))


def no_ledger(source, net):
    dp.run(planned(source), ledger=net.folder / "none.ledger")


def other_subject(source, net):
    dp.run(planned(source), ledger=dp.ledger(net.folder / "a", budget=dp.zcdp(1), subject="other"))


def other_plan(source, net):
    ledger = started(net.folder)
    dp.run(planned(source), ledger=ledger, request="may")
    dp.run(planned(source, "1/9"), ledger=ledger, request="may")


def changed_ledger(source, net):
    ledger = started(net.folder)
    dp.run(planned(source), ledger=ledger)
    raw = bytearray(ledger.path.read_bytes())
    place = raw.rfind(b"noisy")
    raw[place] ^= 1
    ledger.path.write_bytes(bytes(raw))
    dp.run(planned(source), ledger=ledger)


def saved_twice(source, net):
    release = dp.run(planned(source), ledger=started(net.folder))
    release.save(net.folder / "r")
    release.save(net.folder / "r")


def not_stored(source, net):
    ledger = started(net.folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(File, "settle", lambda *_: 1 // 0)
        dp.run(planned(source), ledger=ledger)


FAILURES = [no_column, no_budget, no_ledger, other_subject, other_plan]
FAILURES += [changed_ledger, saved_twice, not_stored]


@pytest.mark.exhaustive("canaries of a river")
@pytest.mark.claim("C09")
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fails", FAILURES, ids=lambda act: act.__name__)
def test_a_river_that_is_refused_tells_nothing(fails, kind, net, tmp_path):
    """Before the charge and after it; errors with the locals of our frames."""
    if fails is no_column and kind == "rows":
        pytest.skip("a list has no names that could be missing")
    source = source_of(kind, data(tmp_path), ROWS)

    net.caught(lambda: fails(source, net))

    assert any("Error" in text for text in net.texts)


def gone(folder):
    """A CSV file that is deleted between the look at its header and the reading."""
    return source_of("csv", folder, ROWS)


def uncastable(folder, limit="LIMIT 999"):
    """A view that casts what is no number: DuckDB's own message quotes the cell."""
    connection = source_of("connection", folder, [{**row, "ward": "A"} for row in ROWS])
    connection.execute("ALTER TABLE visits RENAME TO raw")
    query = "SELECT who, ward, CAST(who AS INT) AS cost FROM raw"
    connection.execute(f"CREATE VIEW visits AS {query} {limit}")
    return connection


def damaged(folder):
    """A Parquet file whose footer is whole, and whose pages are not."""
    rows = [{**row, "ward": "A", "who": f"{row['who']}{i}"} for i, row in enumerate(ROWS * 20)]
    path = source_of("parquet", folder, rows)
    content = bytearray(path.read_bytes())
    for place in range(4, len(content) // 2):
        content[place] ^= 0xA5
    path.write_bytes(bytes(content))
    return path


def torn(_folder):
    """Rows that were gone through once."""
    rows = Torn(ROWS)
    iter(rows)
    return rows


BROKEN = {
    "a view that cannot cast": uncastable,
    "damaged pages": damaged,
    "a file that is gone": gone,
    "rows that raise": torn,
}


@pytest.mark.exhaustive("canaries of a river")
@pytest.mark.claim("C09")
@pytest.mark.slow
@pytest.mark.parametrize("broken", BROKEN)
def test_a_river_that_fails_while_it_reads_tells_nothing(broken, net, tmp_path, monkeypatch):
    """The charge stays, the three lines are fixed, and nothing hangs on to them."""
    source, ledger = BROKEN[broken](data(tmp_path)), started(net.folder)
    monkeypatch.setattr(run, "engine_for", lambda found: Spoiling(engine_for(found), broken, found))

    net.caught(lambda: dp.run(planned(source, vouched="it has fewer rows"), ledger=ledger))

    said = "changed or taken away" if broken == "a file that is gone" else "be read or counted"
    assert any(said in text for text in net.texts)
    assert [entry.kind for entry in ledger.book().entries] == ["charge"]


@pytest.mark.claim("C09")
def test_a_view_that_nobody_vouches_for_is_answered_whatever_its_cells_hold(net, tmp_path):
    """The same view, read by us: what it cannot cast is missing."""
    release = dp.run(planned(uncastable(data(tmp_path), limit="")), ledger=started(net.folder))

    net.keep(release, release.document.text())


@dataclass(repr=False)
class Spoiling:
    """The real engine; a file that is to be gone is deleted once it was looked at."""

    engine: object
    broken: str
    source: object

    def prepare(self, table, aggregates):
        prepared = self.engine.prepare(table, aggregates)
        if self.broken == "a file that is gone":
            self.source[0].unlink()
        return prepared


PLAN = """\
[data]
source = "{source}"
name = "visits"
unit = {{ column = "who", max_rows = 2 }}

[columns]
cost = {{ lower = 0, upper = 50, step = 1 }}

[keys]
ward = ["A", "B"]

[spend]
rho = "{rho}"
ledger = "visits.ledger"

[[ask]]
statistic = "{ask}"
by = "ward"
"""
COMMANDS = [
    "init {data}",
    "plan good.toml",
    "rehearse good.toml",
    "release good.toml",
    "release good.toml --request again --out b.zip",
    "release dear.toml",
    "release wrong.toml",
    "plan wrong.toml",
    "show good.release",
    "verify good.release --ledger visits.ledger",
    "verify {data}",
    "show {data}",
    "ledger show visits.ledger",
    "ledger show {data}",
    "ledger verify visits.ledger good.release",
    "release {data}",
    "release good.toml --ledger {data}",
    "release broken.toml",
]


@pytest.mark.exhaustive("canaries of a river")
@pytest.mark.claim("C09")
@pytest.mark.slow
@pytest.mark.parametrize("as_json", ["", " --json"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_no_command_tells_a_cell_on_any_stream_or_in_any_file(
    kind, as_json, net, tmp_path, monkeypatch
):
    """Good and failing commands, also those that are given the data where a plan belongs."""
    place = data(tmp_path)
    found = source_of(kind, place, ROWS)
    path = found[0] if kind == "csv" else found
    broken = place / "broken"
    broken.mkdir()
    monkeypatch.chdir(net.folder)
    for name, source, rho, ask in [
        ("good", path, "1/50", "count"),
        ("dear", path, "9", "count"),
        ("wrong", path, "1/50", "Count"),
        ("broken", damaged(broken), "1/50", "count_units"),
    ]:
        Path(f"{name}.toml").write_text(PLAN.format(source=source, rho=rho, ask=ask))
    main(["ledger", "init", "visits.ledger", "--rho", "1", "--subject", "visits"])

    codes = [
        main(shlex.split(command.format(data=shlex.quote(str(path))) + as_json))
        for command in COMMANDS
    ]

    assert {0, 2, 3, 4, 5} <= set(codes)
    assert 70 not in codes


LEAKS = {
    "an error": lambda net: net.caught(lambda: {}[SECRETS[0]]),
    "a cause": lambda net: net.caught(lambda: dropped(SECRETS[1])),
    "a local": lambda net: net.caught(lambda: exec(FRAME, {"__name__": "discreet.x"})),
    "a file": lambda net: (net.folder / "a").write_text(SECRETS[3]),
    "a name of a file": lambda net: (net.folder / SECRETS[2]).write_text(""),
    "a plan": lambda net: net.keep(planned([]), SECRETS[4]),
}
FRAME = "cell = '-'.join(['Xq7', 'x']).replace('-x', 'canary3f9')\n1 // 0"


def dropped(cell):
    try:
        return int(f"x{cell}")
    except ValueError:
        raise dp.errors.EngineError("a", why="b", fix="c") from None


@pytest.mark.parametrize("leak", LEAKS)
def test_each_kind_of_leak_is_seen(leak, tmp_path):
    """The net has power: a secret in any of these places is found."""
    net = Net(tmp_path)
    net.files()
    assert net.found() == []

    LEAKS[leak](net)
    net.files()

    assert len(net.found()) == 1


@pytest.mark.parametrize("kind", ["rows", "frame"])
def test_an_engine_that_quotes_is_caught(kind, tmp_path, monkeypatch):
    """The net has power: where nothing keeps the engine quiet, its own message passes."""
    monkeypatch.setattr("discreet.engine.memory.quietly", lambda read: read())
    monkeypatch.setattr("discreet.engine.duckdb.engine.quietly", lambda read: read())
    net = Net(tmp_path)
    source = BROKEN["rows that raise" if kind == "rows" else "a view that cannot cast"](tmp_path)

    vouched = "it has fewer rows"
    net.caught(lambda: dp.run(planned(source, vouched=vouched), ledger=started(tmp_path)))

    assert net.found() != []
