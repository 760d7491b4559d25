"""The third law: the one that docs/extend.md adds, as it stands beside the page."""

from pathlib import Path

PAGE = Path(__file__).parents[2] / "examples" / "extending" / "twice_laplace.py"
exec(compile(PAGE.read_text("utf-8"), str(PAGE), "exec"))
TwiceLaplace = globals()["TwiceLaplace"]
