"""The third law: the one that docs/extend.md writes, read from the page."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "extend.md"
(TEXT,) = re.findall(
    r"^```python\n(# src/discreet/noise/.*?)^```$",
    PAGE.read_text("utf-8"),
    re.MULTILINE | re.DOTALL,
)
exec(compile(TEXT, str(PAGE), "exec"))
TwiceLaplace = globals()["TwiceLaplace"]
