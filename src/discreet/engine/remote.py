"""A table of a Postgres server that a plan file names by its address.

Rules of this module:
- an address holds no password: a plan file is shown to others; psycopg finds it where PostgreSQL's
  own programs do (PGPASSFILE, PGPASSWORD, a service, the system's user);
- nothing is connected until a person allows it.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from ..errors import EngineError, InputError, shown

if TYPE_CHECKING:
    import psycopg

_SCHEMES = ("postgresql://", "postgres://")
_SECRETS = ("password", "sslpassword")


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a database, as `postgresql://host/database`."""

    text: str


def is_address(source: str) -> bool:
    """Say whether a source is the address of a Postgres database."""
    return source.startswith(_SCHEMES)


def has_password(address: str) -> bool:
    """Say whether an address holds a password, before the host or among its settings."""
    try:
        parts = urlsplit(address)
        return parts.password is not None or any(n in parse_qs(parts.query) for n in _SECRETS)
    except ValueError:
        return True  # what cannot be read may hold one


@contextmanager
def connected(address: Address, *, allowed: bool) -> "Iterator[psycopg.Connection[Any]]":
    """Connect to an address, and end the connection at the end.

    Raises:
        InputError: nobody allowed it, or psycopg is missing.
        EngineError: there is no such server, or it refuses this user.
    """
    if not allowed:
        raise InputError(
            f"the plan reads {shown(address.text)}, which is another machine or program.",
            kind="remote-not-allowed",
            why="a plan file alone must not open connections",
            fix="add --allow-remote, if you trust the plan and the address",
        )
    if find_spec("psycopg") is None:
        raise InputError(
            f"{shown(address.text)} needs psycopg.",
            kind="package-missing",
            why="it speaks with the server, and is not installed",
            fix='type: python -m pip install "psycopg[binary]"',
        )
    import psycopg

    connection = None
    with suppress(Exception):
        connection = psycopg.connect(address.text, autocommit=True, connect_timeout=30)
    if connection is None:
        raise EngineError(
            f"no connection to {shown(address.text)}.",
            kind="no-connection",
            why="there is no such server, or it does not let this user in",
            fix=f"try psql {shown(address.text)}; nothing was charged",
        )
    with connection:
        yield connection
