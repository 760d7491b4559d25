"""A command whose standard error is a terminal: a real pseudo-terminal, read while it runs."""

import os
import pty
import subprocess
import sys
from pathlib import Path
from signal import SIGINT
from threading import Thread
from time import sleep


def on_terminal(words: list[str], folder: Path, press: bytes = b"") -> tuple[int, bytes, bytes]:
    """Run a command; return its exit code, its standard output, and what the terminal saw.

    Args:
        press: Ctrl-C is pressed when the terminal sees this.
    """
    leader, follower = pty.openpty()
    seen: list[bytes] = []
    reader = Thread(target=_read, args=(leader, seen))
    reader.start()
    command = [sys.executable, "-m", "discreet.cli.cli", *words]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=follower) as process:
        if press:
            while press not in b"".join(seen) and process.poll() is None:
                sleep(0.05)
            process.send_signal(SIGINT)
        out = process.communicate(timeout=120)[0]
    os.close(follower)
    reader.join()
    os.close(leader)
    return process.returncode, out, b"".join(seen)


def _read(leader: int, seen: list[bytes]) -> None:
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # the other end is closed
            return
        if not part:
            return
        seen.append(part)
