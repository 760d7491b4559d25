"""The report in a browser: hostile keys run nothing, ask for nothing and say nothing."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from chromium import Page

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from discreet.document.accessors import labels
from discreet.report.about_file import Said
from discreet.report.page import page
from discreet.schema import about
from unit.report_documents import HOSTILE, hostile, small

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


@pytest.mark.parametrize("made", [hostile, small], ids=["hostile", "small"])
def test_the_report_opens_in_silence(made, tmp_path: Path):
    """No script ran, the console is empty, nothing outside was asked for; keys and titles alike."""
    path, document = tmp_path / "report.html", made()
    words = about(title=LIVE, publisher=LIVE, questions=dict.fromkeys(labels(document), LIVE))
    path.write_text(page(document, Said(words)), encoding="utf-8")

    dom, log, network = browse(path, tmp_path, "--dump-dom")
    assert console(log) == []
    assert requests(network) == set()
    assert "<script" not in dom
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


@pytest.mark.parametrize("made", [hostile, small], ids=["hostile", "small"])
def test_nothing_runs_out_of_a_phone(made, tmp_path: Path):
    """No table is wider than a screen of 320 to 500 pixels, with intervals and titles as they are."""
    path, document = tmp_path / "report.html", made()
    words = about(title="Wages and schooling in the United States, 2000")
    path.write_text(page(document, Said(words)), encoding="utf-8")

    with Page(path, tmp_path, width=500) as browser:
        for width in (500, 400, 360, 320):
            size = {"width": width, "height": 900, "deviceScaleFactor": 2, "mobile": True}
            browser.do("Emulation.setDeviceMetricsOverride", **size)
            wide = browser.js("document.documentElement.scrollWidth")
            assert wide <= width, (width, wide)
