"""The word `discreet` in a terminal: begin so that Ctrl-C is answered from the first moment.

Rules of this module:
- it imports nothing of discreet before Ctrl-C has an answer: while rooms are imported, nothing has
  been read or charged, so the process may end there and then.
"""

import os
import signal
from types import FrameType

_SAID = (
    b"Interrupted: the command was stopped by Ctrl-C.\n"
    b"  why: it had not begun, so nothing was charged\n"
    b"  fix: run it again\n"
)
_CODE = 130


def main() -> int:
    """Run the command line, and return its exit code."""
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # nohup ignores it
    if heard:
        signal.signal(signal.SIGINT, _stop)
    from discreet.cli import cli

    if heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return cli.main()


def _stop(_: int, __: FrameType | None) -> None:
    os.write(2, _SAID)
    os._exit(_CODE)


if __name__ == "__main__":
    raise SystemExit(main())
