"""Round trip: a saved release is what was released, and no leaf of it can be changed unseen.

Every number, text and list of release.json and every cell of table.csv and table.parquet is
changed, one at a time; `load` or `verify` with the ledger refuses each.
"""

import csv
import json
import re
import zipfile
from io import StringIO
from itertools import islice
from pathlib import Path

import duckdb
import pytest

import discreet as dp
from adversarial.rivers import ROWS, declared, started
from discreet.releases import verify as room

UNSEEN_WITHOUT_LEDGER = {  # leaves that `verify` alone cannot know; the ledger knows them all
    "created": "a note of the clock, on which no rule depends",
    "software.name": "who wrote the file; the numbers are checked by the version that reads it",
    "software.version": "the same",
    "request": "the name of the request in the ledger; with another one the ledger has no entry",
    "ledger.id": "where it was paid: only the ledger can say",
    "ledger.subject": "the same",
    "ledger.seq": "the same",
    "ledger.hash": "the same",
    "ledger.spent.rho": "what stood spent after this charge: only the ledger can say, and it does",
    "plan.table.read.digits": "which columns of a list or of pandas were read as numbers; no number "
    "depends on this note",
    "statistics.vectors.noisy": "a mean of too few rows to say: its answer is the whole range "
    "whatever the integers are; any integer, changed together with its answer, is noise to `verify`",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """One release with all kinds of leaves, and the ledger that paid for it."""
    folder = tmp_path_factory.mktemp("river")
    table = declared(list(ROWS))
    plan = dp.plan(
        table,
        dp.count(by="ward"),
        dp.count_units(by="ward", max_groups=1),
        dp.sum("cost", weight=3),
        dp.mean("cost", by="ward"),
        dp.mean(["cost"], by="ward"),
        dp.histogram("cost", bins=[0, 10, 50]),
        spend=dp.zcdp("1/2"),
    )
    ledger = started(folder)
    release = dp.run(plan, ledger=ledger, request="May", who="sven", why="annual table")
    return release, ledger, folder


def leaves(value, path=()):
    """Every place in plain data that holds no object: its path and what stands there."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from leaves(part, (*path, name))
    elif isinstance(value, list):
        yield path, value
        for at, part in enumerate(value):
            yield from leaves(part, (*path, at))
    else:
        yield path, value


def changes(value, least: float) -> list[object]:
    """Other values of about the same kind, and of other kinds; a number moves by at least this."""
    if isinstance(value, bool):
        return [not value, int(value)]
    if isinstance(value, (int, float)):
        return [value + 1, -value - 1, value * (1 + least) + least, str(value), None]
    if isinstance(value, str):
        return [value + " ", value[:-1], value.swapcase() + "x", "", "1/3", 0, None]
    if isinstance(value, list):
        turned = value[::-1] if value[::-1] != value else [*value, *value]
        return [value[:-1] if value else [0], turned, [*value, value[-1] if value else 0]]
    return [0, "", {}]


def with_leaf(document, path, value):
    """A copy with one leaf changed."""
    changed = json.loads(document)
    place = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return json.dumps(changed)


def unseen(document, folder: Path, ledger, *, within=(), turn=(0, 1)) -> set[str]:
    """The leaves, without places in lists, of which neither `load` nor `verify` sees a change."""
    start, step = turn
    missed = []
    least = 2**-24 if ledger is None else 2**-40  # alone, `verify` forgives other processors
    for path, value in islice(leaves(json.loads(document)), start, None, step):
        for other in changes(value, least) if path[: len(within)] == within else ():
            text = with_leaf(document, path, other)
            if other == value and type(other) is type(value):
                continue
            (folder / "release.json").write_text(text)
            try:
                dp.verify(folder / "release.json", ledger=ledger)
            except dp.errors.DiscreetError:
                continue
            missed.append(".".join(step for step in path if isinstance(step, str)))
    return set(missed)


@pytest.mark.claim("C15")
@pytest.mark.slow
@pytest.mark.parametrize("name", ["visits.release", "visits.zip"])
def test_save_load_verify_give_the_same_release(world, name):
    """Bit for bit, from a folder and from a zip; six checks hold, and the numbers are the same."""
    release, ledger, folder = world

    saved = release.save(folder / name)
    back = dp.load(saved)

    assert back.document == release.document
    assert back.document.text() == release.document.text()
    assert back.table().rows == release.table().rows
    assert len(dp.verify(saved, ledger=ledger).checks) == 6
    assert len(dp.verify(release, ledger=ledger).checks) == 5


@pytest.mark.claim("C15")
@pytest.mark.slow
def test_with_the_ledger_every_changed_leaf_is_caught(world, tmp_path, turns):
    """Numbers, texts and lists, each changed in several ways: none passes."""
    release, ledger, _ = world
    document = release.document.text()

    assert len(list(leaves(json.loads(document)))) > 200
    assert unseen(document, tmp_path, ledger, turn=turns(5)) == set()


@pytest.mark.claim("C15")
@pytest.mark.slow
def test_without_the_ledger_only_notes_can_be_changed(world, tmp_path, turns):
    """What passes unseen without a ledger stands in a short list, each with its reason."""
    release, _, _ = world

    found = unseen(release.document.text(), tmp_path, None, turn=turns(5))

    assert found <= set(UNSEEN_WITHOUT_LEDGER)
    assert all(UNSEEN_WITHOUT_LEDGER.values())


@pytest.mark.claim("C15")
@pytest.mark.slow
def test_a_leaf_that_is_gone_or_new_is_caught(world, tmp_path):
    """Every name of every object is taken out, and one is added."""
    release, ledger, _ = world
    document = release.document.text()

    def objects(value, path=()):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for name, part in parts:
            if isinstance(value, dict):
                yield (*path, name)
            if isinstance(part, (dict, list)):
                yield from objects(part, (*path, name))

    for path in objects(json.loads(document)):
        for act in ("gone", "new"):
            changed = json.loads(document)
            place = changed
            for step in path[:-1]:
                place = place[step]
            if act == "gone":
                del place[path[-1]]
            else:
                place["planted"] = 1
            (tmp_path / "release.json").write_text(json.dumps(changed))
            with pytest.raises(dp.errors.DiscreetError):
                dp.verify(tmp_path / "release.json", ledger=ledger)


@pytest.mark.claim("C15")
@pytest.mark.slow
def test_every_changed_cell_of_the_csv_is_caught(world, tmp_path):
    """Each cell of table.csv, its header too; and a row that is gone, twice or elsewhere."""
    release, _, _ = world
    saved = alone(release.save(tmp_path / "r"), "table.csv")
    honest = (saved / "table.csv").read_bytes().decode()
    header, *rows = list(csv.reader(StringIO(honest, newline="")))
    texts = [honest.replace("\r\n", "\n"), honest + "\r\n", honest[:-2], ""]
    for table in (rows[:-1], [*rows, rows[0]], rows[::-1]):
        texts.append(written([header, *table]))
    for at, row in enumerate([header, *rows]):
        for column, cell in enumerate(row):
            other = str(int(cell) + 1) if re.fullmatch(r"-?\d+", cell) else cell + "x"
            copy = [list(line) for line in [header, *rows]]
            copy[at][column] = other
            texts.append(written(copy))
    missed = []
    for text in texts:
        (saved / "table.csv").write_bytes(text.encode())
        try:
            dp.verify(saved)
        except dp.errors.VerifyError as error:
            missed += [text] * ("table.csv" not in str(error))
        else:
            missed.append(text)

    (saved / "table.csv").write_bytes(honest.encode())
    assert missed == []
    assert len(texts) > 80
    assert len(dp.verify(saved).checks) == 4


def alone(saved: Path, name: str) -> Path:
    """A saved release with one file only beside release.json, so that a check is quick."""
    for path in saved.iterdir():
        if path.name not in (name, "release.json"):
            path.unlink()
    return saved


def written(table) -> str:
    text = StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_MINIMAL).writerows(table)
    return text.getvalue()


@pytest.mark.claim("C15")
@pytest.mark.slow
def test_every_changed_cell_of_the_parquet_file_is_caught(world, tmp_path, turns):
    """Each number and each text, made another one."""
    start, step = turns(5)
    release, _, _ = world
    saved = alone(release.save(tmp_path / "r"), "table.parquet")
    path = saved / "table.parquet"
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t AS SELECT * FROM '{path}'")
    found = connection.table("t")
    assert len(dp.verify(saved).checks) == 4
    for column, kind in zip(found.columns, found.types, strict=True):
        for row in range(start, len(release.table()), step):
            other = "x" if str(kind) == "VARCHAR" else 12345
            connection.execute("CREATE OR REPLACE TABLE u AS SELECT * FROM t")
            connection.execute(f'UPDATE u SET "{column}" = ? WHERE rowid = ?', [other, row])
            connection.execute(f"COPY u TO '{path}'")
            with pytest.raises(dp.errors.VerifyError, match=r"table\.parquet"):
                dp.verify(saved)


@pytest.mark.claim("C15")
@pytest.mark.slow
def test_a_changed_digit_of_the_report_is_caught(world, tmp_path):
    """Sixty digits all over the page, in numbers, pictures and words."""
    release, _, _ = world
    saved = alone(release.save(tmp_path / "r"), "report.html")
    report = saved / "report.html"
    page = report.read_text(encoding="utf-8")
    digits = [found.start() for found in re.finditer(r"[0-9]", page)]
    assert len(dp.verify(saved).checks) == 4
    for at in digits[:: max(1, len(digits) // 60)]:
        digit = str((int(page[at]) + 1) % 10)
        report.write_text(page[:at] + digit + page[at + 1 :], encoding="utf-8")
        with pytest.raises(dp.errors.VerifyError, match=r"report\.html"):
            dp.verify(saved)


@pytest.mark.claim("C15")
def test_a_broken_file_in_a_zip_is_caught(world, tmp_path):
    """A member whose bytes were changed, and a second table.csv, are refused in three lines."""
    release, _, _ = world
    saved = release.save(tmp_path / "r.zip")
    with zipfile.ZipFile(saved, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("table.csv", "a")
    with pytest.raises(dp.errors.VerifyError, match=r"table\.csv"):
        dp.verify(saved)

    other = release.save(tmp_path / "s.zip")
    raw = bytearray(other.read_bytes())
    with zipfile.ZipFile(other) as archive:
        start = archive.getinfo("table.csv").header_offset + 30 + len("table.csv")
    raw[start + 20] ^= 0xFF
    other.write_bytes(bytes(raw))
    with pytest.raises(dp.errors.VerifyError, match=r"table\.csv"):
        dp.verify(other)


@pytest.mark.slow
def test_a_check_that_compares_only_the_integers_is_caught(world, tmp_path, monkeypatch):
    """The check has power: where `verify` looks at less, changed leaves pass and are listed."""
    release, ledger, _ = world
    honest = room._same

    def lazy(what, stated, derived):
        if what != "the result that was stored":
            honest(what, stated, derived)

    monkeypatch.setattr(room, "_same", lazy)
    monkeypatch.setattr("discreet.document.equality.same_answers", lambda *_: True)

    missed = unseen(release.document.text(), tmp_path, ledger, within=("statistics", 0, "answer"))

    assert missed == {"statistics.answer.rows"}
