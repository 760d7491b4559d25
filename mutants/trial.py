"""One mutant on trial: a copy of the checkout with the patch, and the claim's tests against it.

Rules of this module:
- the copy comes before the installed package wherever Python looks, also in what a test starts;
- each trial is a process of its own, a child of one that has imported what most tests need;
- a test kills by failing; code that cannot be imported and code that hangs are no verdict;
- hypothesis takes the same examples each time, and does not shrink what fails.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .listed import ROOT, Mutant

LIMIT = 300  # seconds that a trial may take
_COPIED = ("src", "figures", "tests", "tools", "docs", "examples", "poison", "bench")
_IMPORTED = "-Wignore::pytest.PytestAssertRewriteWarning"  # hypothesis is there before pytest looks
_PYTEST = ("-x", "-q", "-rfE", "--tb=no", "--hypothesis-profile=mutants", _IMPORTED)
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?::.+)$", flags=re.MULTILINE)
_ERROR = re.compile(r"^ERROR .*", flags=re.MULTILINE)
_SERVERS = threading.local()  # one for each thread
_PASSED, _FELL, _NONE = 0, 1, 5  # how pytest ends


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant.

    Attributes:
        mutant: which.
        word: "killed", "SURVIVED", "STALE", "BROKEN" (its code cannot be tried), or "TOO SLOW"
            where no test had killed it within the limit.
        by: the test that killed it, or what is broken.
        seconds: how long that took.
    """

    mutant: Mutant
    word: str
    by: str = ""
    seconds: float = 0.0


@contextmanager
def copied() -> Iterator[Path]:
    """Return a copy of what the tests need of this checkout, of links where a disk allows it.

    What is changed is a file of its own then; nothing may be written into another.
    """
    with tempfile.TemporaryDirectory(prefix="discreet-mutant-") as folder:
        root = Path(folder)
        root.chmod(0o755)  # some tests become another user
        for name in _COPIED:
            shutil.copytree(ROOT / name, root / name, copy_function=_linked)
        for path in [*ROOT.glob("*.toml"), *ROOT.glob("*.md"), ROOT / "Makefile"]:
            shutil.copy2(path, root)
        yield root


def _linked(path: str, copy: str) -> None:
    try:
        os.link(path, copy)
    except OSError:  # another disk
        shutil.copy2(path, copy)


def tried(mutant: Mutant) -> Verdict:
    """Run the claim's tests on a copy with the patch: first the likely killers, then all."""
    start = time.monotonic()
    text = mutant.patched(ROOT)
    if text is None:
        return Verdict(mutant, "STALE")
    word, by = "SURVIVED", ""
    with copied() as root:
        (root / mutant.file).unlink()
        (root / mutant.file).write_text(text, encoding="utf-8")
        for chosen in filter(None, (mutant.by, bearing(mutant.claim))):
            word, by = _outcome(*_said(root, chosen, mutant.claim))
            if word != "SURVIVED":
                break
    return Verdict(mutant, word, by, time.monotonic() - start)


def bearing(claim: str) -> tuple[str, ...]:
    """Return the files that hold a test with the claim's mark."""
    mark = re.compile(rf"mark\.claim\(\s*\"{claim}\"")
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    found = [path for path in files if mark.search(path.read_text(encoding="utf-8"))]
    return tuple(path.relative_to(ROOT).as_posix() for path in found)


def _said(root: Path, tests: Sequence[str], claim: str) -> tuple[int | None, str]:
    """Run tests; run them again where pytest has failed without a word of which test has."""
    code, said = ran(root, tests, claim)
    return ran(root, tests, claim) if code == _FELL and not failed(said) else (code, said)


def ran(
    root: Path, tests: Sequence[str], claim: str | None = None, limit: float = LIMIT
) -> tuple[int | None, str]:
    """Run tests in a copy; return how pytest ended, None if it was stopped, and what it said."""
    marks = [] if claim is None else ["--claim", claim]
    with tempfile.NamedTemporaryFile() as said:
        words = [*_PYTEST, *marks, *tests]
        line = json.dumps([str(root), words, said.name, _environment(root), limit])
        code = json.loads(_answered(line))
        return code, Path(said.name).read_text(encoding="utf-8", errors="replace")


def _answered(line: str) -> str:
    """Return what this thread's server answers; start it first."""
    if not hasattr(_SERVERS, "mine"):
        _SERVERS.mine = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("server.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    server = _SERVERS.mine
    server.stdin.write(line + "\n")
    server.stdin.flush()
    return str(server.stdout.readline())


def failed(said: str) -> list[str]:
    """Return the tests that pytest says have failed, without its reasons."""
    return [_name(line) for line in _FAILED.findall(said)]


def _name(line: str) -> str:
    """Return a test's name before the sign of a reason; in its brackets that may be text."""
    depth = 0
    for place, letter in enumerate(line):
        depth += (letter == "[") - (letter == "]")
        if depth <= 0 and line.startswith(" - ", place):
            return line[:place]
    return line


def refuse_installed(root: Path) -> None:
    """Raise RuntimeError unless a process of a trial imports discreet from the copy."""
    asked = [sys.executable, "-c", "import discreet; print(discreet.__file__)"]
    answer = subprocess.run(
        asked,
        cwd=root / "docs",
        env=_environment(root),
        capture_output=True,
        text=True,
        check=False,
    )
    place = answer.stdout.strip()
    if answer.returncode == 0 and not Path(place).is_relative_to(root / "src"):
        raise RuntimeError(f"{place} would be tried in place of the copy in {root}")


def _environment(root: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(root / "src"), "COLUMNS": "500"}


def _outcome(code: int | None, said: str) -> tuple[str, str]:
    if code is None:
        return "TOO SLOW", ""
    if code == _FELL and failed(said):
        return "killed", failed(said)[0]
    if code in (_PASSED, _NONE):
        return "SURVIVED", ""
    last = said.strip().rpartition("\n")[2]
    return "BROKEN", next(iter(_ERROR.findall(said)), f"pytest, which ended with {code}: {last}")
