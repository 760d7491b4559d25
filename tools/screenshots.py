"""Pictures of the report page of the demo, as a browser shows it: on a screen and on a phone.

    make screenshots

Rules of this module:
- the demo is released anew in a folder of its own, so that the pictures show what a user gets;
- noise is random: two runs give two pictures.
"""

import base64
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from chromium import Page

VIEWS = {"light": (900, 1000), "phone": (390, 844)}  # width, height


def main() -> int:
    """Release the demo and take the pictures."""
    target = Path(sys.argv[1])
    with TemporaryDirectory() as name:
        folder = Path(name)
        done = [sys.executable, "-m", "discreet", "demo", str(folder / "demo")]
        subprocess.run(done, check=True, stdout=subprocess.DEVNULL, timeout=300)
        report = folder / "demo" / "census-1.release" / "report.html"
        with Page(report, folder) as browser:
            for view, (width, height) in VIEWS.items():
                size = {"width": width, "height": height, "deviceScaleFactor": 1}
                browser.do("Emulation.setDeviceMetricsOverride", mobile=True, **size)
                shot = browser.do("Page.captureScreenshot")
                picture = target / f"report-{view}.png"
                picture.write_bytes(base64.b64decode(shot["data"]))
                print(f"{picture}: {picture.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
