"""A user's session in one text: its files, then what is typed and what must appear.

A line `...` stands for any lines, `...` inside a line for any text. Blanks and rules are not
compared, because tables are as wide as their widest cell. `[exit 3]` ends a command; without it the
exit code must be 0. Besides `discreet`, a session knows `replace FILE OLD NEW` and `show FILE`.
"""

import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from discreet.cli.cli import main


@dataclass(frozen=True)
class Step:
    command: str
    expected: str
    exit_code: int


@dataclass(frozen=True)
class Session:
    files: dict[str, str]
    steps: list[Step]


def parsed(text: str) -> Session:
    """Return the session that a transcript holds; what stands before the first file is a comment."""
    parts = re.split(r"^-- (.+) --\n", text, flags=re.MULTILINE)[1:]
    files = dict(zip(parts[::2], parts[1::2], strict=True))
    return Session(files, [_step(part) for part in files.pop("session").split("$ ")[1:]])


def _step(text: str) -> Step:
    command, _, expected = text.partition("\n")
    found = re.search(r"^\[exit (\d+)\]\n?", expected, flags=re.MULTILINE)
    code = int(found.group(1)) if found else 0
    return Step(command, expected[: found.start()] if found else expected, code)


def run(command: str) -> tuple[int, str]:
    """Run a command in this process; return its exit code, and what it says on both streams."""
    words = shlex.split(command)
    if words[0] == "replace":
        path, old, new = Path(words[1]), words[2], words[3]
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {path}"
        path.write_text(text.replace(old, new), encoding="utf-8")
        return 0, ""
    if words[0] == "show":
        return 0, Path(words[1]).read_text(encoding="utf-8")
    assert words[0] == "discreet", command
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        code = main(words[1:])
    return code, out.getvalue()


def matches(expected: str, actual: str) -> bool:
    """Tell whether a text is as expected."""
    pattern = "\n".join(
        "(?:.*\n)*?.*"
        if line == "..."
        else re.sub(r"(\\ )?\\\.\\\.\\\.(\\ )?", ".*", re.escape(line))
        for line in plain(expected).split("\n")
    )
    return re.fullmatch(pattern, plain(actual)) is not None


HIDDEN = "too few to say"
NUMBER = re.compile(rf"{HIDDEN}|-?\d[\d,.]*")


def resembles(expected: str, actual: str) -> bool:
    """Tell whether a text is as expected but for noise: other digits, of the same size.

    A whole number may be off by 100 or by a quarter, a decimal by half. A number of which too few
    rows are left may be hidden, and then its line is not compared. This is 5 deviations or more of
    what the pages show, so that a page whose numbers are of something else is caught.
    """
    masked = [NUMBER.sub("#", text) for text in (expected, actual)]
    if not matches(*masked):
        return False
    lines = [line for line in plain(expected).split("\n") if "..." not in line]
    printed = plain(actual).split("\n")
    return all(any(_near(line, other) for other in printed) for line in lines)


def _near(expected: str, actual: str) -> bool:
    if NUMBER.sub("#", expected) != NUMBER.sub("#", actual):
        return False
    if HIDDEN in expected + actual:
        return True
    pairs = zip(NUMBER.findall(expected), NUMBER.findall(actual), strict=True)
    return all(abs(_read(a) - _read(b)) <= _room(a, b) for a, b in pairs)


def _read(text: str) -> float:
    return float(text.replace(",", "").rstrip("."))


def _room(first: str, second: str) -> float:
    size = abs(_read(first))
    return size / 2 if "." in first.rstrip(".") + second.rstrip(".") else max(100, size / 4)


def plain(text: str) -> str:
    """Return a text without rules, blank lines and runs of blanks."""
    lines = (re.sub(r"[─\s]+", " ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
