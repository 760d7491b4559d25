"""What a ledger notes for people: the time and the user's name. No rule depends on them."""

import os
from datetime import UTC, datetime


def now() -> str:
    """Return the time as the ledger notes it: ISO 8601, UTC, seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def user() -> str:
    """Return the login name of whoever runs this process, or "unknown"."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return os.environ.get("USERNAME") or os.environ.get("USER") or "unknown"
