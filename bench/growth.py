"""How costs grow: one size is doubled, all else stays; and what a release of 1,000,000 cells takes.

Rules of this module:
- CPU seconds of this process; the two sizes of a doubling take turns, and the least of the rounds
  counts: a busy machine only adds;
- fixed costs hide growth, so that a doubling counts where the smaller size takes FLOOR seconds;
- a size that takes longer than PATIENCE ends its axis: what would follow is said to be missed.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from pathlib import Path

import discreet as dp
from discreet.ledgers.file import Ledger
from discreet.ledgers.rules import ChargeRequest

from .book import grown
from .engine import declared, made
from .table import Cell, Section, got, seconds

WANTED = 2.2
FLOOR = 0.05
PATIENCE = 20.0
FILLING = 120.0  # seconds for which a ledger is filled
ROWS = 1_000
ROUNDS = 3

Act = Callable[[], object]
Places = Iterator[Path]


@dataclass(frozen=True, slots=True)
class Axis:
    """What is doubled.

    Attributes:
        name: what is counted.
        most: its largest size; the sizes below are a half, a fourth and so on.
        least: the smallest size that is tried.
        ready: returns what is timed at a size, or None where it cannot be made ready in time.
    """

    name: str
    most: int
    least: int
    ready: Callable[[int], Act | None]


def sections(scale: int = 1) -> list[Section]:
    """Return the tables of growth; all sizes are divided by `scale`."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for axis in _axes(Path(folder), scale) for row in doublings(axis)]
    about = (
        f"CPU seconds at a size and at twice the size, on {ROWS:,} rows where rows are not what "
        f"grows. Times start at {1000 * FLOOR:.0f} ms, because fixed costs hide growth below. A "
        "release is planned, paid from a fresh ledger, counted and saved as a folder."
    )
    columns = ("what", "from", "CPU s", "to", "CPU s", "ratio")
    return [Section("Growth", about, columns, rows), _books(scale), _large(1_000_000 // scale)]


def _books(scale: int) -> Section:
    """Return what charges take in a ledger of 2 entries, and in longer ones beside it."""
    rows: list[list[Cell | str]] = []
    with tempfile.TemporaryDirectory() as folder:
        places = (Path(folder) / str(number) for number in count())
        for large in (1_000 // scale, 10_000 // scale, 100_000 // scale):
            first, second = taken([by_book(places)(size) for size in (2, large)])
            ratio = got(second / first, most=1.5)
            rows.append(
                ["20 charges, each stored", "2", got(first), f"{large:,}", got(second), ratio]
            )
    about = (
        "CPU seconds of charges and stores alone, in a ledger with so many entries before. Only "
        "the head and the rows of a request are read, never the book."
    )
    columns = ("what", "entries", "CPU s", "entries", "CPU s", "ratio")
    return Section("A long ledger", about, columns, rows)


def _axes(folder: Path, scale: int) -> list[Axis]:
    data = _data(folder)
    places = (folder / str(number) for number in count())
    return [
        Axis("keys of a count, released and saved", 1_000_000 // scale, 10, by_keys(data, places)),
        Axis("bins of a histogram, released and saved", 2**20 // scale, 1, by_bins(data, places)),
        Axis(
            "bins that do not divide the bounds, the same",
            2**20 // scale,
            1,
            by_odd_bins(data, places),
        ),
        Axis("histograms in one release", 200 // scale, 5, by_questions(data, places)),
        Axis("releases stored in the ledger before", 1_000 // scale, 5, by_entries(data, places)),
        Axis("rows of a Parquet file, counts and means", 10_000_000 // scale, 1, by_rows(places)),
    ]


def doublings(axis: Axis) -> Iterator[list[Cell | str]]:
    """Yield the largest doublings of an axis, the smaller first; each size is made ready once."""
    sizes = [axis.most]
    while sizes[0] // 2 >= axis.least and len(sizes) < 4:
        sizes.insert(0, sizes[0] // 2)
    for small, large in pairwise(sizes):
        ends = [axis.ready(small), axis.ready(large)]
        if None in ends:
            yield _missed(axis, small, large)
            return
        first, second = taken([act for act in ends if act is not None])
        if first >= FLOOR or large == axis.most:
            ratio = got(second / first, most=WANTED if first >= FLOOR else None)
            yield [axis.name, f"{small:,}", got(first), f"{large:,}", got(second), ratio]
        if second > PATIENCE and large < axis.most:
            yield _missed(axis, large, axis.most)
            return


def _missed(axis: Axis, small: int, large: int) -> list[Cell | str]:
    cell = Cell("took too long", f"≤ {WANTED}", reached=False)
    return [axis.name, f"{small:,}", "", f"{large:,}", "", cell]


def taken(acts: Sequence[Act]) -> list[float]:
    """Return the least time of each act; they take turns, fewer where they are slow."""
    found = [[seconds(act)] for act in acts]
    for _ in range(ROUNDS if max(map(max, found)) < PATIENCE else 0):
        for times, act in zip(found, acts, strict=True):
            times.append(seconds(act))
    return [min(times) for times in found]


def _data(folder: Path) -> Path:
    """Write the rows that stay the same: a key and a number."""
    path = folder / "data.csv"
    lines = [f"{i % 500},{i * 7919 % 1000}" for i in range(ROWS)]
    path.write_text("\n".join(["key,x", *lines]) + "\n")
    return path


def by_keys(data: Path, places: Places) -> Callable[[int], Act]:
    """Return what releases a count by so many keys, and saves it."""

    def ready(size: int) -> Act:
        def act() -> None:
            table = dp.table(data, unit="row", keys={"key": range(size)}, name="data")
            released(dp.plan(table, dp.count(by="key"), spend=dp.zcdp("1/50")), next(places))

        return act

    return ready


def by_bins(data: Path, places: Places, more: int = 0) -> Callable[[int], Act]:
    """Return what releases a histogram of so many bins of bounds with more steps, and saves it."""

    def ready(size: int) -> Act:
        def act() -> None:
            steps = 2**20 + more
            bounds = {"x": dp.bounds(0, steps, step=1)}
            table = dp.table(data, unit="row", columns=bounds, name="data")
            asked = dp.histogram("x", bins=size)
            released(dp.plan(table, asked, spend=dp.zcdp("1/50")), next(places))

        return act

    return ready


def by_odd_bins(data: Path, places: Places) -> Callable[[int], Act]:
    """Return the same with bins that do not divide the width of the bounds."""
    return by_bins(data, places, more=7)


def by_questions(data: Path, places: Places) -> Callable[[int], Act]:
    """Return what releases so many histograms, told apart by their bins."""

    def ready(size: int) -> Act:
        def act() -> None:
            bounds = {"x": dp.bounds(0, 1000, step=1)}
            table = dp.table(data, unit="row", columns=bounds, name="data")
            edges = [[0, 1 + at, 1000] for at in range(size)]
            asked = [dp.histogram("x", bins=one) for one in edges]
            place = next(places)
            dp.run(dp.plan(table, *asked, spend=dp.zcdp("1/50")), ledger=_ledger(place))

        return act

    return ready


def by_entries(data: Path, places: Places) -> Callable[[int], Act | None]:
    """Return what releases one count from a ledger that has stored so many releases before."""
    table = dp.table(data, unit="row", keys={"key": range(10)}, name="data")
    asked = dp.plan(table, dp.count(by="key"), spend=dp.zcdp("1/50"))
    full = next(places)
    book = dp.ledger(full, budget=dp.zcdp(1000))
    text = dp.run(asked, ledger=book).document.text()
    state = {"stored": 1, "spent": 0.0}

    def ready(size: int) -> Act | None:
        while state["stored"] < size and state["spent"] < FILLING:
            state["spent"] += seconds(lambda: _stored(book, f"stored {int(state['stored'])}", text))
            state["stored"] += 1
        if state["stored"] < size:
            return None
        copied = Path(shutil.copy(full, next(places)))
        name = (f"again {number}" for number in count())
        return lambda: dp.run(asked, ledger=copied, request=next(name))

    return ready


def _stored(book: Ledger, name: str, text: str) -> None:
    """Charge and settle one release more, past the data."""
    charge = book.file.reserve(
        ChargeRequest(request=name, plan="ab" * 32, loss=dp.zcdp("1/50"), events=[])
    )
    book.file.settle(charge, text)


def by_book(places: Places) -> Callable[[int], Act]:
    """Return what charges a ledger that has so many entries, and stores two letters."""

    def ready(size: int) -> Act:
        book = grown(next(places), size)
        names = (f"asked {number}" for number in count())
        copied = 20 * (ROUNDS + 1) if size < 1_000 else 0  # a short book would not stay short
        books = iter([Ledger(shutil.copy(book.path, next(places))) for _ in range(copied)])

        def act() -> None:
            for _ in range(20):
                _stored(next(books, book), next(names), "{}")

        return act

    return ready


def by_rows(places: Places) -> Callable[[int], Act]:
    """Return what releases counts and means by key of so many rows."""

    def ready(size: int) -> Act:
        folder = next(places)
        folder.mkdir()
        table = declared(made(str(folder), size))
        asked = dp.plan(table, dp.count(by="key"), dp.mean("value", by="key"), spend=dp.zcdp(1))
        return lambda: dp.run(asked, ledger=_ledger(next(places)))

    return ready


def released(plan: object, place: Path) -> None:
    """Run a plan from a fresh ledger, save the release as a folder, and remove both."""
    place.mkdir()
    dp.run(plan, ledger=_ledger(place / "ledger")).save(place / "release")  # type: ignore[arg-type]
    shutil.rmtree(place)


def _ledger(path: Path) -> Ledger:
    return dp.ledger(path, budget=dp.zcdp(1000))


def _large(cells: int) -> Section:
    rows = [
        [f"{cells:,} {name}", *_told(name, cells)] for name in ("keys of a count", "bins", "means")
    ]
    about = (
        "In a process of its own, past `import discreet`, a release is planned, paid from a "
        "fresh ledger, counted and saved (table.csv, table.parquet, release.json, report.html). "
        "In another one it is loaded, and verified with its ledger and all its files. Peaks are "
        "of the process."
    )
    columns = ("what", "plan, run, save: CPU s", "peak memory", "release.json")
    columns += ("load: CPU s", "load and verify: CPU s", "peak memory")
    return Section("A release of a million cells", about, columns, rows)


def _told(name: str, cells: int) -> list[Cell | str]:
    with tempfile.TemporaryDirectory() as folder:
        first, second = (_alone(act, folder, name, cells) for act in ("release", "verified"))
    judged = {"seconds": 6.0, "peak": 600.0} if name != "means" else {}
    wanted = {"seconds": 4.0, "peak": 350.0} if name == "keys of a count" else {}
    return [
        got(first["seconds"], most=judged.get("seconds")),
        got(first["peak"], "MB", most=judged.get("peak")),
        got(first["size"], "MB"),
        got(second["load"]),
        got(second["seconds"], most=wanted.get("seconds")),
        got(second["peak"], "MB", most=wanted.get("peak")),
    ]


def _alone(act: str, folder: str, name: str, cells: int) -> dict[str, float]:
    code = f"from bench import growth; growth.{act}({folder!r}, {name!r}, {cells})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def release(folder: str, name: str, cells: int) -> None:
    """Plan, run and save a large release, and print the CPU seconds and the peak memory."""
    place = Path(folder)
    data = _data(place)

    def act() -> None:
        bounds = {"x": dp.bounds(0, 1_000, step="0.000001")}
        keys = {"key": range(cells)}
        table = dp.table(data, unit="row", columns=bounds, keys=keys, name="data")
        if name == "bins":
            table = dp.table(data, unit="row", columns=bounds, name="data")
        asked = {
            "keys of a count": dp.count(by="key"),
            "bins": dp.histogram("x", bins=cells),
            "means": dp.mean("x", by="key"),
        }[name]
        plan = dp.plan(table, asked, spend=dp.zcdp("1/50"))
        dp.run(plan, ledger=_ledger(place / "ledger")).save(place / "release")

    time = seconds(act)
    size = (place / "release" / "release.json").stat().st_size / 10**6
    print(json.dumps({"seconds": time, "size": size, "peak": _peak()}))


def verified(folder: str, _name: str, _cells: int) -> None:
    """Load a release, then verify it with its files and ledger, and print what that takes."""
    place = Path(folder)
    load = seconds(lambda: dp.load(place / "release"))
    time = seconds(lambda: dp.verify(place / "release", ledger=place / "ledger"))
    print(json.dumps({"load": load, "seconds": time, "peak": _peak()}))


def _peak() -> float:
    """Return the peak memory of this process in MB, without that of the one which started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
