"""Build what is published, and try it: `make dist`, or python tools/dist.py [FOLDER].

From the commit that is checked out: a wheel and a source distribution, built twice in different
places, time zones and languages, which must be the same to the byte; checked by twine; installed
into an empty environment, where the README's first example must print what the README says; and a
list of all that an installation brings (CycloneDX).
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


def example() -> tuple[str, str]:
    """Return the README's first example, and what it prints there."""
    text = ROOT.joinpath("README.md").read_text(encoding="utf-8")
    code, said = re.findall(r"```(?:python|text)\n(.*?)```", text, re.DOTALL)[:2]
    return code, said


def tried(wheel: Path, folder: Path, bill: Path) -> None:
    """Install a wheel into an empty environment, list what that brings, run the first example."""
    venv.create(folder / "empty", with_pip=True)
    python = folder / "empty" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel)
    tool = Path(sys.executable).with_name("cyclonedx-py")
    options = ("--pyproject", ROOT / "pyproject.toml", "--output-reproducible", "--of", "JSON")
    run(tool, "environment", *options, "--output-file", bill, python)
    run(python, "-m", "pip", "install", "--quiet", f"{wheel}[demo]")
    code, expected = example()
    run(python.with_name("discreet"), "demo", cwd=folder)
    said = run(python, "-c", code, cwd=folder)
    if said != expected:
        sys.exit(f"the README's first example prints another text:\n{said}")


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
        "two builds are the same to the byte; twine finds nothing; the README's first example runs"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist")
