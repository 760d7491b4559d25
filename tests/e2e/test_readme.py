"""The README from the first command to the last, in a clean copy of the repository, in a real shell.

The copy's environment is a new one that borrows the packages of this one, so that nothing is fetched;
`make test` is only asked what it would do. Afterwards the copy is as clean as it was.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig

import pytest
from session import matches
from test_docs import COMPARED, ROOT, blocks

MARK = "\x1e the next block \x1e"
ACTIVATE = re.compile(r"^(\.|source) ")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        None in map(shutil.which, ("git", "bash", "make")), reason="needs git, bash and make"
    ),
]


def sh(command, folder, **more):
    """Type a command in the copy; return its exit code, and what it says on both streams."""
    env = {
        k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV", "GIT"))
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**env, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def clone(folder):
    """Copy what belongs to the repository, changes that are not committed included."""
    said = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in said.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    who = "-c user.name=reader -c user.email=reader@example.org"
    assert sh(f"git init -q && git add -A && git {who} commit -qm copy", folder)[0] == 0


def compiled(folder):
    """Copy what is compiled, but for what is being written now: a reader waits for it once."""
    for cache in (ROOT / "src").rglob("__pycache__"):
        to = folder / cache.relative_to(ROOT)
        shutil.copytree(cache, to, ignore=shutil.ignore_patterns("*.pyc.*"))


def environment(folder):
    """Make what `make demo` would install, from the packages that are here."""
    venv = folder / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    packages = next((venv / "lib").glob("python*")) / "site-packages"
    (packages / "borrowed.pth").write_text(f"{folder / 'src'}\n{sysconfig.get_path('purelib')}\n")
    script = venv / "bin" / "discreet"
    script.write_text(
        f"#!{venv / 'bin' / 'python'}\nfrom discreet_command import main\nexit(main())\n"
    )
    script.chmod(0o755)
    for name in ("demo", "test"):
        (venv / name).touch()


def console(text, folder, before):
    """Type a console block; what activates an environment holds for all that follows."""
    if not text.startswith("$ "):
        for line in text.splitlines():
            code, said = sh(f"{line} --dry-run" if line == "make test" else line, folder)
            assert code == 0, (line, said)
        return
    for step in text.removeprefix("$ ").split("\n$ "):
        command, _, expected = step.partition("\n")
        code, said = sh("; ".join([*before, command]), folder)
        assert code == 0, (command, said)
        assert not expected.strip() or matches(expected, said), f"$ {command}\n{said}"
        before += [command] if ACTIVATE.match(command) else []


def python(codes, folder):
    """Run all blocks of Python in one process, and return what each of them prints."""
    script = "".join(f"print({MARK!r})\n{code}\n" for code in codes)
    done = subprocess.run(
        [folder / ".venv" / "bin" / "python", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(f"{MARK}\n")[1:]


def walk(page, folder):
    """Do all that a page says: its commands first, then its Python."""
    found, before = blocks(page), []
    for kind, text in found:
        if kind == "console":
            console(text, folder, before)
    said = iter(python([text for kind, text in found if kind == "python"], folder))
    printed = ""
    for kind, text in found:
        printed = next(said) if kind == "python" else printed
        if kind in COMPARED:
            assert COMPARED[kind](text, printed), f"README says\n{text}\nbut it prints\n{printed}"


def status(folder):
    return sh("git status --porcelain", folder)


@pytest.fixture
def copy(tmp_path):
    clone(tmp_path)
    environment(tmp_path)
    return tmp_path


def test_the_readme_runs_as_written_in_a_clean_copy(copy):
    """Every block, in the shell of a reader who has typed all that stands above it."""
    compiled(copy)
    assert status(copy) == (0, "")

    walk(copy / "README.md", copy)

    assert status(copy) == (0, "")
    assert (copy / "demo" / "walk.release" / "report.html").exists()


LIES = {
    "a plan without its data": "$ .venv/bin/discreet release examples/census.toml",
    "a command before its environment": "$ discreet --version",
    "another number": "$ echo 1\n2",
    "no such target": "make nothing",
}


@pytest.mark.parametrize("name", LIES)
def test_a_readme_that_lies_is_caught(name, copy):
    """The check has power."""
    page = copy / "page.md"
    page.write_text(f"```console\n{LIES[name]}\n```\n")

    with pytest.raises(AssertionError):
        walk(page, copy)


def test_a_stray_file_is_seen(copy):
    """What the README once left in the tree."""
    page = copy / "README.md"
    page.write_text("```console\n$ .venv/bin/discreet ledger init examples/c.ledger --rho 1\n```\n")
    walk(page, copy)

    assert "examples/c.ledger" in status(copy)[1]
