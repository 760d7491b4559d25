"""Files without end: a device, a pipe, a file of 20 GB, nesting, and zips that unfold.

Each command runs in a process of its own that is given 1 GB and, so that a pipe which is waited for
or a parser that never ends is killed and seen, a limit of processor time; the answer is three lines.
"""

import os
import resource
import struct
import subprocess
import sys
import zipfile

import pytest

import discreet as dp

pytestmark = [pytest.mark.claim("C18"), pytest.mark.slow]

MEMORY, SECONDS = 2**30, 30  # the commands take some 0.15 GB and 1 s
PLAN = "plan FILE"
GRAPH = "heatmap t.csv --graph FILE --within 9 --ledger l.ledger --rho 1/8"
READERS = [PLAN, "release FILE", "rehearse FILE", "show FILE", "verify FILE", "denoise FILE", GRAPH]
READERS += [
    "ledger show FILE",
    "ledger verify l.ledger FILE",
    "init FILE",
    "verify r --ledger FILE",
]
READERS += ["heatmap FILE --box 0,0,1,1 --cells 2x2 --ledger l.ledger --rho 1/8"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("longitude,latitude\n1,1\n")
    dp.ledger("l.ledger", budget=dp.zcdp(1))
    table = dp.table([], unit="row", name="t.csv")
    dp.run(dp.plan(table, dp.count(), spend=dp.zcdp("1/8")), ledger="l.ledger").save("r")
    return tmp_path


def limited(seconds=SECONDS):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def run(words):
    """Run a command; return its exit code and what it says on standard error."""
    command = [sys.executable, "-m", "discreet.cli.cli", *words.split()]
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command,
        capture_output=True,
        preexec_fn=limited,
        timeout=120,
        check=False,
        text=True,
        env=env,
    )
    return done.returncode, done.stderr


def check_refused(words):
    code, said = run(words)

    assert code in (2, 4), (words, code, said)
    assert said.count("\n") == 3, said
    assert "MemoryError" not in said
    assert dp.ledger("l.ledger").left() == dp.zcdp("7/8")


@pytest.mark.exhaustive("what has no end")
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_is_refused(reader, folder):
    """A device that never ends, and a pipe that never begins."""
    os.mkfifo("pipe")
    for name in ("/dev/zero", "pipe"):
        check_refused(reader.replace("FILE", name))


@pytest.mark.exhaustive("what has no end")
@pytest.mark.parametrize("reader", [reader for reader in READERS if "heatmap FILE" not in reader])
def test_a_file_of_20_gigabytes_is_refused(reader, folder):
    """It takes no room on the disk, and none in memory."""
    if reader == "init FILE":
        reader = "init FILE --out draft.toml"
    with open("big", "wb") as file:
        file.truncate(20 * 2**30)

    check_refused(reader.replace("FILE", "big"))


DEEP = ".".join(["a"] * 50_000)
TEXTS = {
    "a part nested 50,000 deep": f"[{DEEP}]\n",
    "a name nested 50,000 deep": f"{DEEP} = 1\n",
    "names in a line": f"x = {{ {DEEP} = 1 }}\n",
    "lists in lists": "x = " + "[" * 1_000_000,
    "a million names": "".join(f"a{i} = 1\n" for i in range(1_000_000)),
    "a million parts": "[[ask]]\n" * 1_000_000,
    "one long text": f'x = "{"a" * 19_000_000}"',
    "quotes without end": '"' * 19_000_000,
    "dots without end": "." * 19_000_000,
}


@pytest.mark.exhaustive("what has no end")
@pytest.mark.parametrize("name", TEXTS)
def test_a_plan_file_without_end_is_refused(name, folder):
    """Before the parser works on it."""
    (folder / "plan.toml").write_text(TEXTS[name])

    check_refused("plan plan.toml")


def hollow(path):
    """60 million characters that would be 1.5 GB of lists."""
    path.write_text("[" + "[]," * 20_000_000 + "[]]")


def nested(path):
    path.write_text('{"a":' * 5_000_000)


def unfolding(path):
    """300 KB that unfold to 80 million characters."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("release.json", b"[]," * 27_000_000)


def listed(count, *, comment=b"", long=False):
    """A zip that lists one empty file so many times: its list is read before it can be counted."""
    one = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)
    start = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, 0, 0, 1, 0) + b"a"
    entries, size = (one + b"a") * count, (len(one) + 1) * count
    place = len(start) + size
    bits64 = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, len(start))
    bits64 += struct.pack("<4sLQL", b"PK\6\7", 0, place, 1)
    few = (1, 1, 47) if long else (count % 2**16, count % 2**16, size)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *few, len(start), len(comment))
    return start + entries + (bits64 if long else b"") + end + comment


def crowded(path):
    path.write_bytes(listed(4_000_000))


def crowded_with_a_comment(path):
    path.write_bytes(listed(4_000_000, comment=b"a release " * 1_000))


def crowded_by_64_bits(path):
    """The short list says one file, and the long one, which readers believe, four million."""
    path.write_bytes(listed(4_000_000, long=True))


@pytest.mark.exhaustive("what has no end")
@pytest.mark.parametrize(
    "make", [hollow, nested, unfolding, crowded, crowded_by_64_bits, crowded_with_a_comment]
)
def test_a_release_without_end_is_refused(make, folder):
    """Lists without numbers, nesting, zips that unfold or hold more than can be listed."""
    make(folder / "a.release")

    check_refused("verify a.release")


def test_a_process_without_limits_would_be_seen(folder):
    """The check has power: a parser handed the depth itself is killed, and the test fails."""
    (folder / "plan.toml").write_text(f"[{'.'.join(['a'] * 3_000_000)}]\n")
    code = "import tomllib; tomllib.loads(open('plan.toml').read())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        preexec_fn=lambda: limited(3),
        capture_output=True,
        check=False,
    )

    assert done.returncode != 0
