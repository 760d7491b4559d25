"""The report in a browser: hostile keys run nothing, ask for nothing and say nothing."""

import base64
import json
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
from session import run

from chromium import Page

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from discreet.document.accessors import labels
from discreet.document.document import Document
from discreet.plan_file.plan_file import read_plan_file
from discreet.plans.plan import plan
from discreet.privacy.loss import zcdp
from discreet.releases.open_ledger import ledger
from discreet.releases.rehearsal import rehearse
from discreet.report.about_file import Said
from discreet.report.page import page
from discreet.schema import about, bounds, table, unit
from discreet.statistic.count import count
from discreet.statistic.cube import cube
from discreet.statistic.histogram import histogram
from discreet.statistic.mean import mean
from discreet.statistic.publish import publish
from e2e.test_cli_heatmap import ROADS
from unit.made_country import country
from unit.report_documents import HOSTILE, hostile, made, small

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
NO_PAGE = "not an origin"
NOWHERE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
LIVE = (
    "<script>document.title='ran'; console.error('DISCREET-RAN')</script>"
    "<img src='http://127.0.0.1:9/leak.png'>"
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="there is no Chromium: see `make browser`"),
]


def browse(path: Path, scratch: Path, *options: str) -> tuple[str, str, str]:
    """Open a page; return the DOM, the browser's log, and its record of network use.

    A dialog would stop the browser for ever: the time limit is the test that there is none.
    """
    record = scratch / "net.json"
    done = subprocess.run(
        [
            *(str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
            *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
            *(
                "--disable-sync",
                "--enable-logging=stderr",
                "--v=0",
                NOWHERE,
                "--window-size=900,2600",
            ),
            *(f"--user-data-dir={scratch / 'profile'}", f"--log-net-log={record}", *options),
            path.as_uri(),
        ],
        capture_output=True,
        timeout=60,
        check=True,
        cwd=scratch,
    )
    network = record.read_text(encoding="utf-8", errors="replace")
    return done.stdout.decode(), done.stderr.decode(errors="replace"), network


def requests(network: str) -> set[str]:
    """Return the addresses that the page asked for; what Chromium asks by itself has no origin."""
    params = [event.get("params", {}) for event in json.loads(network)["events"]]
    return {
        found["url"]
        for found in params
        if found.get("url", "").startswith(("http:", "https:", "ws:", "wss:", "ftp:"))
        and found.get("initiator", NO_PAGE) != NO_PAGE
    }


def console(log: str) -> list[str]:
    """Return what the page said to the console."""
    return [line for line in log.splitlines() if "CONSOLE" in line]


@pytest.mark.parametrize("whole", [hostile, small], ids=["hostile", "small"])
def test_the_report_opens_in_silence(whole, tmp_path: Path):
    """No script ran, the console is empty, nothing outside was asked for; keys and titles alike."""
    path, document = tmp_path / "report.html", whole()
    words = about(title=LIVE, publisher=LIVE, questions=dict.fromkeys(labels(document), LIVE))
    path.write_text(page(document, Said(words)), encoding="utf-8")

    dom, log, network = browse(path, tmp_path, "--dump-dom")
    assert console(log) == []
    assert requests(network) == set()
    assert dom.count("<script") == dom.count('<script type="application/ld+json">') == 1
    assert "DISCREET-RAN" not in log
    assert dom.count("<circle") >= 3


def test_a_page_that_runs_and_asks_is_caught(tmp_path: Path):
    """The check has power: without our policy and escaping, both are seen."""
    text = re.sub(r"<meta http-equiv=[^>]*>", "", page(small()))
    path = tmp_path / "report.html"
    path.write_text(text.replace("<main>", f"<main>{LIVE}"), encoding="utf-8")

    _, log, network = browse(path, tmp_path, "--dump-dom")
    assert "DISCREET-RAN" in log
    assert requests(network) == {"http://127.0.0.1:9/leak.png"}


def test_the_policy_alone_stops_a_script_and_a_request(tmp_path: Path):
    """Were the escaping to fail, the page would still run and ask for nothing."""
    path = tmp_path / "report.html"
    path.write_text(page(small()).replace("<main>", f"<main>{LIVE}"), encoding="utf-8")

    dom, log, network = browse(path, tmp_path, "--dump-dom")
    assert "DISCREET-RAN" not in log
    assert "<title>ran</title>" not in dom
    assert requests(network) == set()
    assert any("Content Security Policy" in line for line in console(log))


def test_a_picture_of_the_report_can_be_taken(tmp_path: Path):
    """It draws something, in light and in dark, and the two differ."""
    path = tmp_path / "report.html"
    path.write_text(page(hostile(HOSTILE[:10])), encoding="utf-8")

    found = []
    for scheme in (0, 1):  # dark, light
        target = tmp_path / f"{scheme}.png"
        color = f"--blink-settings=preferredColorScheme={scheme}"
        browse(path, tmp_path, color, f"--screenshot={target}")
        found.append(target.read_bytes())
    assert all(picture.startswith(b"\x89PNG") and len(picture) > 20_000 for picture in found)
    assert found[0] != found[1]


def cube_rehearsed() -> Document:
    """Return a rehearsal, whose pages have a mark across."""
    return cube_page()[0]


@pytest.mark.parametrize(
    "whole", [hostile, small, cube_rehearsed], ids=["hostile", "small", "rehearsal"]
)
def test_nothing_runs_out_of_a_phone(whole, tmp_path: Path):
    """No table is wider than a screen of 320 to 500 pixels, with intervals and titles as they are."""
    path, document = tmp_path / "report.html", whole()
    words = about(title="Wages and schooling in the United States, 2000")
    path.write_text(page(document, Said(words)), encoding="utf-8")

    with Page(path, tmp_path, width=500) as browser:
        for width in (500, 400, 360, 320):
            size = {"width": width, "height": 900, "deviceScaleFactor": 2, "mobile": True}
            browser.do("Emulation.setDeviceMetricsOverride", **size)
            wide = browser.js("document.documentElement.scrollWidth")
            assert wide <= width, (width, wide)


AXE = find_spec("axe_playwright_python")
NO_AXE = "there is no axe: see `make browser`"
SEEN = {"light": (900, "light"), "dark": (900, "dark"), "phone": (390, "dark")}
KEYS = {
    "year": range(1990, 2000),
    "sex": [0, 1],
    "ward": ["A", "B", "C"],
    "band": range(6),
    "region": ["r0", "r1", "r2", "abroad"],
}
ASK = "axe.run(document).then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html)]))"


def every_kind() -> tuple[Document, Said]:
    """Return a page with each layout: lines, small multiples, shaded, maps, sorted, folded, sections."""
    keys = {
        **{name: list(values) for name, values in KEYS.items()},
        "name": list(HOSTILE[:14]),
    }
    people = table(
        [],
        unit=unit("person", max_rows=2),
        columns={"x": bounds(0, 100, step=1)},
        keys=keys,  # type: ignore[arg-type]
        name="people",
    )
    asked = plan(
        people,
        mean("x", by="year"),
        count(by=["ward", "year"]),
        count(by=["ward", "sex"]),
        count(by="name"),
        count(by=["ward", "sex", "band"]),
        mean("x", by="region"),
        count(by=["region", "sex"]),
        histogram("x", bins=4),
        spend=zcdp("1/50"),
    )
    words = about(
        title="Wages and schooling in the United States, census of 2000",
        publisher="Office of Examples",
        population="Persons aged 25 to 60 in the public-use sample",
        period="2000",
        source="US census of 2000, 1-in-100 sample",
        licence="CC BY 4.0",
        contact="statistics@example.org",
        notes=["Wages before tax."],
        labels={
            "sex": {"name": "Sex", "values": {0: "men", 1: "women"}},
            "region": {"map": {"file": country(2, 2), "property": "name"}},
        },
        reliability={"flags": [{"from": "2%", "flag": "E", "words": "use with caution"}]},
        questions={"mean x by year": {"title": "More schooling, higher incomes"}},
    )
    return made(asked, size=90_000), Said(words)


def cube_page() -> tuple[Document, Said]:
    """Return the page of a rehearsed cube, whose tables cross two keys."""
    people = table([], unit="row", keys={"ward": ["A", "B"], "sex": [0, 1]}, name="people")
    document = rehearse(plan(people, cube(["ward", "sex"]), spend=zcdp("1/50"))).document
    return document, Said(about(labels={"sex": {"name": "Sex", "values": {0: "men", 1: "women"}}}))


def axe(browser: Page) -> list[tuple[str, list[str]]]:
    """Return what axe finds in a page: the rule, and the elements that break it."""
    assert AXE is not None
    assert AXE.submodule_search_locations is not None
    script = Path(AXE.submodule_search_locations[0], "axe.min.js").read_text("utf-8")
    browser.js(f"{script};1")
    return browser.js(ASK)


def ruled_page() -> tuple[Document, Said]:
    """Return a page on which rules show some numbers, and flags stand behind others."""
    keys = {"ward": ["A", "B", "C", "D"], "sex": ["f", "m"]}
    columns = {"cost": bounds(0, 100, step=1)}
    people = table([], unit="row", keys=keys, columns=columns, name="visits")
    asked = (
        count(by=["ward", "sex"], publish=publish(at_least=1_000)),
        histogram("cost", bins=6, by="sex", publish=publish(at_least=500)),
        mean("cost", by="ward"),
    )
    flags = [
        {"from": "0.1%", "flag": "E", "words": "use with caution"},
        {"from": "1%", "flag": "F", "words": "too unreliable for most uses"},
    ]
    document = made(plan(people, *asked, spend=zcdp("1/50")), size=9_000)
    return document, Said(about(one="person", reliability={"by": "cv", "flags": flags}))


def test_the_page_with_rules_has_all_that_they_add():
    """Numbers that are not shown, both flags, and what they mean: else axe would look at nothing."""
    document, record = ruled_page()
    text = page(document, record)
    shown = [released.shown for released in document.statistics[:2]]
    assert all(rule is not None for rule in shown)
    assert "numbers of count by ward and sex are shown" in text
    assert "use with caution" in text
    assert "too unreliable for most uses" in text


@pytest.mark.skipif(AXE is None, reason=NO_AXE)
@pytest.mark.parametrize(
    "kind", [every_kind, cube_page, ruled_page], ids=["every kind", "cube", "rules and flags"]
)
def test_axe_finds_nothing(kind, tmp_path: Path):
    """In light, in dark, and on a phone."""
    path = tmp_path / "report.html"
    path.write_text(page(*kind()), encoding="utf-8")
    check_by_axe(path, tmp_path)


@pytest.mark.skipif(AXE is None, reason=NO_AXE)
def test_axe_finds_nothing_on_the_page_of_a_heat_map(tmp_path: Path, monkeypatch):
    """As the command writes it, with its map, raw, cleaned and error."""
    monkeypatch.chdir(tmp_path)
    points = [f"{0.01 * (number % 3)},{0.01 * (number % 2)}" for number in range(500)]
    Path("trips.csv").write_text("\n".join(["longitude,latitude", *points]))
    Path("roads.json").write_text(json.dumps(ROADS))
    ledger("trips.ledger", budget=zcdp(1), subject="trips.csv")
    line = "discreet heatmap trips.csv --graph roads.json --within 150 --ledger trips.ledger"
    code, said = run(f"{line} --rho 1/8 --out trips.map")
    assert code == 0, said
    path = tmp_path / "trips.map" / "report.html"
    assert "data:image/png;base64," in path.read_text("utf-8")
    check_by_axe(path, tmp_path)


def check_by_axe(path: Path, scratch: Path) -> None:
    """See that axe finds nothing in a page, in light, in dark, and on a phone."""
    with Page(path, scratch) as browser:
        for name, (width, scheme) in SEEN.items():
            size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 600}
            browser.do("Emulation.setDeviceMetricsOverride", **size)
            media = [{"name": "prefers-color-scheme", "value": scheme}]
            browser.do("Emulation.setEmulatedMedia", features=media)
            paper = browser.js("getComputedStyle(document.body).backgroundColor")
            assert (paper == "rgb(20, 23, 27)") == (scheme == "dark")
            assert (name, axe(browser)) == (name, [])


@pytest.mark.skipif(AXE is None, reason=NO_AXE)
def test_axe_sees_what_is_wrong(tmp_path: Path):
    """The check has power: a pale text, a wide table without the keyboard, a picture without words."""
    path, text = tmp_path / "report.html", page(*every_kind())
    text = text.replace("--quiet: #59636e", "--quiet: #b9c3ce").replace(' role="img"', "")
    text = text.replace(' role="region" tabindex="0"', "")
    text = text.replace("</main>", '<img width="9"><table><tr><th></th></tr></table></main>')
    path.write_text(text, encoding="utf-8")
    with Page(path, tmp_path, width=320) as browser:
        rules = {rule for rule, _ in axe(browser)}
    assert {"color-contrast", "image-alt"} <= rules


def test_no_number_is_written_over_another_on_a_phone(tmp_path: Path):
    """The numbers under pictures, at 390 pixels: as many as there is room for."""
    path = tmp_path / "report.html"
    path.write_text(page(*every_kind()), encoding="utf-8")
    boxes = """[...document.querySelectorAll('.axis svg')].map(svg => [...svg.querySelectorAll('text')]
        .map(text => text.getBoundingClientRect()).filter(box => box.width)
        .map(box => [box.left, box.right]))"""
    with Page(path, tmp_path) as browser:
        size = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
        browser.do("Emulation.setDeviceMetricsOverride", **size)
        axes = browser.js(boxes)
    assert sum(len(axis) > 1 for axis in axes) >= 2
    for axis in axes:
        for (_, right), (left, _) in pairwise(sorted(axis)):
            assert right < left


def test_the_first_number_is_on_the_first_screen_of_a_phone(tmp_path: Path):
    """Below title, byline and four facts, on 390 by 844 pixels; the title comes first."""
    path = tmp_path / "report.html"
    path.write_text(page(*every_kind()), encoding="utf-8")
    with Page(path, tmp_path) as browser:
        size = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
        browser.do("Emulation.setDeviceMetricsOverride", **size)
        first = "document.querySelector('.panel td.value').getBoundingClientRect().bottom"
        assert 0 < browser.js(first) < 844
        tops = [
            browser.js(f"document.querySelector('{part}').getBoundingClientRect().top")
            for part in ("h1", ".byline", ".key", ".panel")
        ]
        assert tops == sorted(tops)


def test_the_page_of_the_demo_is_printed_on_four_sheets(tmp_path: Path):
    """Of A4, at most; and it takes less than 150 kB."""
    path, plan_file = tmp_path / "report.html", tmp_path / "census.toml"
    plan_file.write_bytes((files("discreet.cli") / "plans" / "census.toml").read_bytes())
    demo = read_plan_file(plan_file)
    text = page(rehearse(demo.plan).document, Said(demo.about))
    assert len(text.encode()) < 150_000
    path.write_text(text, encoding="utf-8")
    with Page(path, tmp_path) as browser:
        printed = browser.do("Page.printToPDF", preferCSSPageSize=True)
    pages = re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed["data"]))
    assert 1 <= len(pages) <= 4
