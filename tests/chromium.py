"""A Chromium that a test drives as a hand does: keys, sizes, and what it said and asked for.

It speaks the protocol of the developer tools over two pipes, so that no library is needed.
"""

import base64
import contextlib
import json
import os
import shutil
import subprocess
import sys

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
NOWHERE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
PIPED = "import os, sys; os.dup2({}, 3); os.dup2({}, 4); os.execv(sys.argv[1], sys.argv[1:])"
KEYS = {
    "Tab": ("Tab", 9, ""),
    "Enter": ("Enter", 13, "\r"),
    "Space": (" ", 32, " "),
    "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowRight": ("ArrowRight", 39, ""),
    "Home": ("Home", 36, ""),
    "End": ("End", 35, ""),
}


class Page:
    """One page of one browser; close it."""

    def __init__(self, path, scratch, *, width=900, height=1200, dark=False):
        ours, theirs = os.pipe(), os.pipe()
        self.browser = subprocess.Popen(
            [
                *(sys.executable, "-c", PIPED.format(theirs[0], ours[1])),
                *(str(BROWSER), "--headless=new", "--no-sandbox", "--disable-gpu"),
                *("--remote-debugging-pipe", "--no-first-run", "--disable-background-networking"),
                *("--disable-component-update", "--disable-sync", "--disable-quic", NOWHERE),
                f"--user-data-dir={scratch / 'profile'}",
            ],
            pass_fds=(theirs[0], ours[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs[0])
        os.close(ours[1])
        self._in, self._out = os.fdopen(theirs[1], "wb", 0), os.fdopen(ours[0], "rb")
        self._number, self._session, self._asked, self.said = 0, None, {}, []
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        found = self.do("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for room in ("Page", "Runtime", "Log", "Network"):
            self.do(f"{room}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.do("Emulation.setDeviceMetricsOverride", **size)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.do("Emulation.setEmulatedMedia", features=scheme)
        self.do("Page.navigate", url=path.as_uri())
        while (
            self.js("document.readyState") != "complete"
            or self.js("location.href") == "about:blank"
        ):
            pass

    def do(self, method, **parameters):
        """Send one command, and return its answer; what comes before it is kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._in.write(json.dumps(message).encode() + b"\0")
        while True:
            heard = self._heard()
            if heard.get("id") == self._number:
                assert "error" not in heard, heard
                return heard.get("result", {})

    @property
    def asked(self):
        """The addresses that the page asked for, and its own policy did not stop."""
        return [*self._asked.values()]

    def js(self, code):
        """Return what an expression is, as plain data."""
        found = self.do("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, *names):
        """Press keys, one after the other."""
        for name in names:
            key, code, text = KEYS[name]
            also = {"key": key, "code": name, "windowsVirtualKeyCode": code}
            self.do("Input.dispatchKeyEvent", type="keyDown", text=text, **also)
            self.do("Input.dispatchKeyEvent", type="keyUp", **also)

    def picture(self, path):
        """Take a picture of the whole page."""
        found = self.do("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(found["data"]))

    def close(self):
        """End the browser that this page started."""
        with contextlib.suppress(Exception):
            self._session = None
            self.do("Browser.close")
        self.browser.terminate()
        self.browser.wait(20)
        self._in.close()
        self._out.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _heard(self):
        found = bytearray()
        while (byte := self._out.read(1)) != b"\0":
            assert byte, "the browser has ended"
            found += byte
        heard = json.loads(found)
        told = heard.get("params", {})
        if heard.get("method") == "Network.requestWillBeSent":
            self._asked[told["requestId"]] = told["request"]["url"]
        if heard.get("method") == "Network.loadingFailed" and told.get("blockedReason") == "csp":
            self._asked.pop(told["requestId"], None)
        if heard.get("method") in (
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
            "Log.entryAdded",
        ):
            self.said.append(json.dumps(told)[:500])
        return heard
