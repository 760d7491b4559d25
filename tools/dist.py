"""Build what is published, and try it: `make dist`, or python tools/dist.py [FOLDER].

From the commit that is checked out: a wheel and a source distribution, built twice in different
places, time zones and languages, which must be the same to the byte; checked by twine; installed
into an empty environment, where the README's Python and commands run, and its first example prints
what it says; and a list of all that an installation brings (CycloneDX).
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
PLACES = (  # of two builds: what must not show in the result
    {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "1"},
    {"TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "2"},
)


def run(*words: str | Path, **options: object) -> str:
    """Run a command, and return what it prints; the first that fails ends all."""
    done = subprocess.run(
        [*map(str, words)], check=False, capture_output=True, text=True, **options
    )
    if done.returncode:
        sys.exit(
            f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def committed() -> tuple[bytes, str]:
    """Return the files of the commit that is checked out, and its time."""
    command = ["git", "-C", str(ROOT), "archive", "--format=tar", "HEAD"]
    files = subprocess.run(command, check=True, capture_output=True).stdout
    return files, run("git", "-C", ROOT, "log", "-1", "--format=%ct").strip()


def built(files: bytes, when: str, folder: Path, place: dict[str, str], umask: int) -> list[Path]:
    """Build a wheel and a source distribution in a folder, and return them."""
    source = folder / "source"
    with tarfile.open(fileobj=BytesIO(files)) as tar:
        tar.extractall(source, filter="data")
    code = (
        "import os, sys; from hatchling import build; os.umask(int(sys.argv[2], 8)); "
        "build.build_sdist(sys.argv[1]); build.build_wheel(sys.argv[1])"
    )
    environment = {**os.environ, "SOURCE_DATE_EPOCH": when, **place}
    run(sys.executable, "-c", code, folder, f"{umask:o}", cwd=source, env=environment)
    return sorted(path for path in folder.iterdir() if path.is_file())


def readme() -> tuple[list[str], str, list[str]]:
    """Return the README's blocks of Python, what the first prints, and what is typed in a shell."""
    text = ROOT.joinpath("README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(python|text|console)\n(.*?)```", text, re.DOTALL)
    of = {kind: [block for other, block in blocks if other == kind] for kind, _ in blocks}
    typed = re.findall(r"^\$ (.*)$", "".join(of["console"]), re.MULTILINE)
    return of["python"], of["text"][0], typed


def shows(expected: str, said: str) -> bool:
    """Tell whether a text is as expected, where a line `...` stands for any lines."""
    wanted = (
        r"(?:.*\n)*?" if line == "..." else f"{re.escape(line)}\n" for line in lines_of(expected)
    )
    printed = "".join(f"{line}\n" for line in lines_of(said))
    return re.fullmatch("".join(wanted), printed) is not None


def lines_of(text: str) -> list[str]:
    """Return the lines of a text without blank ones."""
    return [line.rstrip() for line in text.split("\n") if line.strip()]


def tried(wheel: Path, folder: Path, bill: Path) -> None:
    """Install a wheel into an empty environment, list what that brings, run the README there."""
    venv.create(folder / ".venv", with_pip=True)
    python = folder / ".venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel)
    tool = Path(sys.executable).with_name("cyclonedx-py")
    options = ("--pyproject", ROOT / "pyproject.toml", "--output-reproducible", "--of", "JSON")
    run(tool, "environment", *options, "--output-file", bill, python)
    run(python, "-m", "pip", "install", "--quiet", f"{wheel}[demo]")
    codes, expected, typed = readme()
    run(python.with_name("discreet"), "demo", cwd=folder)
    said = run(python, "-c", codes[0], cwd=folder)
    if not shows(expected, said):
        sys.exit(f"the README's first example prints another text:\n{said}")
    run(python, "-c", "\n".join(codes), cwd=folder)
    run("bash", "-ec", "\n".join(typed), cwd=folder)


def main(target: Path) -> None:
    """Build, compare, check, try; keep the files and their digests."""
    files, when = committed()
    with TemporaryDirectory() as name:
        twice = []
        for number, (place, umask) in enumerate(zip(PLACES, (0o022, 0o077), strict=True)):
            folder = Path(name, f"build {number}")
            folder.mkdir()
            twice.append(built(files, when, folder, place, umask))
        first, second = twice
        if [path.read_bytes() for path in first] != [path.read_bytes() for path in second]:
            sys.exit("two builds of one commit differ")
        run(sys.executable, "-m", "twine", "check", "--strict", *first)
        target.mkdir(exist_ok=True)
        kept = [Path(shutil.copy(path, target)) for path in first]
        (wheel,) = (path for path in kept if path.suffix == ".whl")
        bill = wheel.with_name(f"{wheel.name.split('-py3')[0]}.cdx.json")
        tried(wheel, Path(name), bill)
    for path in (*kept, bill):
        print(
            f"{sha256(path.read_bytes()).hexdigest()}  {path.name}  {path.stat().st_size:,} bytes"
        )
    print(
        "two builds are the same to the byte; twine finds nothing; the README runs as it is written"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist")
