"""A ledger in a folder whose locks exclude nobody is refused before anything is charged."""

import os
import shutil
import subprocess
import sys
import time

import pytest

import discreet as dp
from discreet.errors import LedgerError
from discreet.ledgers import store

pytestmark = pytest.mark.claim("C283")

GIVEN = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
static int through(const char *name, int fd, int command, void *given) {
    if (getenv("UNTOLD")) {
        if (command == F_OFD_SETLK) { errno = EINVAL; return -1; }
    } else if (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK) return 0;
    return ((int (*)(int, int, void *))dlsym(RTLD_NEXT, name))(fd, command, given);
}
int fcntl(int fd, int command, ...) {
    va_list rest; va_start(rest, command); void *given = va_arg(rest, void *); va_end(rest);
    return through("fcntl", fd, command, given);
}
int fcntl64(int fd, int command, ...) {
    va_list rest; va_start(rest, command); void *given = va_arg(rest, void *); va_end(rest);
    return through("fcntl64", fd, command, given);
}
"""
PROGRAM = """
import sys
import discreet as dp
from discreet.errors import LedgerError

plan = dp.plan(dp.table([{"a": 1}], name="t", unit="row"), dp.count(), spend=dp.pure("1/10"))
try:
    ledger = dp.ledger(sys.argv[1], budget=dp.pure(1), subject="t")
    dp.run(plan, ledger=ledger, request="once")
    print("charged")
except LedgerError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """A library by which each lock of a file is given to whoever asks, as some drives do."""
    if not sys.platform.startswith("linux") or shutil.which("cc") is None:
        pytest.skip("needs Linux and a C compiler")
    folder = tmp_path_factory.mktemp("locks")
    (folder / "given.c").write_text(GIVEN)
    made = [
        "cc",
        "-shared",
        "-fPIC",
        "-o",
        str(folder / "given.so"),
        str(folder / "given.c"),
        "-ldl",
    ]
    subprocess.run(made, check=True)
    return folder / "given.so"


def ran(ledger, library=None, **more):
    """What a process of its own says that charges a ledger once."""
    environment = {**os.environ, **({"LD_PRELOAD": str(library)} if library else {}), **more}
    command = [sys.executable, "-c", PROGRAM, str(ledger)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return done.stdout


@pytest.mark.slow
def test_a_new_ledger_is_not_made_where_locks_exclude_nobody(given, tmp_path):
    """Three lines, and no file is left."""
    said = ran(tmp_path / "t.ledger", given)

    assert "locks do not exclude in the folder of t.ledger" in said
    assert len(said.strip().splitlines()) == 3
    assert [*tmp_path.iterdir()] == []


@pytest.mark.slow
def test_a_ledger_that_is_there_is_not_charged_where_locks_exclude_nobody(given, tmp_path):
    """It was made on a sound disk; it is read as before, and charged where locks exclude again."""
    dp.ledger(tmp_path / "t.ledger", budget=dp.pure(1), subject="t")

    assert "locks do not exclude" in ran(tmp_path / "t.ledger", given)
    assert str(dp.ledger(tmp_path / "t.ledger").left()) == "epsilon = 1"
    assert ran(tmp_path / "t.ledger") == "charged\n"
    assert str(dp.ledger(tmp_path / "t.ledger").left()) == "epsilon = 0.9"


def test_locks_of_this_machine_exclude_and_that_takes_milliseconds(tmp_path, monkeypatch):
    """Tried once in a folder; nothing is left there."""
    monkeypatch.setattr(store, "_TRIED", {})
    start = time.perf_counter()
    for _ in range(100):
        store.check_locks(tmp_path / "t.ledger")

    assert time.perf_counter() - start < 1  # a hundred times what it takes, on a busy machine
    assert len(store._TRIED) == 1
    assert [*tmp_path.iterdir()] == []


def test_a_second_handle_that_is_given_the_lock_is_seen(tmp_path, monkeypatch):
    """Without a compiler, too: what the system answers is exchanged."""
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(store, "_TRIED", {})
    monkeypatch.setattr(fcntl, "fcntl", lambda *_: 0)

    with pytest.raises(LedgerError, match="locks do not exclude"):
        dp.ledger(tmp_path / "t.ledger", budget=dp.pure(1), subject="t")
    assert not store._TRIED


@pytest.mark.slow
@pytest.mark.claim("C540")
def test_a_system_that_cannot_tell_needs_the_owners_word(given, tmp_path):
    """Without locks of a handle nothing is made or charged; with a word both, and it is kept."""
    assert "nobody can tell" in ran(tmp_path / "new.ledger", given, UNTOLD="1")
    assert [*tmp_path.iterdir()] == []

    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.pure(1), subject="t")
    assert "nobody can tell" in ran(ledger.path, given, UNTOLD="1")
    assert str(ledger.left()) == "epsilon = 1"
    ledger.trust_locks("one machine writes here")
    assert "locks do not exclude" in ran(ledger.path, given)
    assert ran(ledger.path, given, UNTOLD="1") == "charged\n"
