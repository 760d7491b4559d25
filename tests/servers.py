"""Databases that tests start and stop: PostgreSQL in a private folder, Spark in this process.

Where one is missing, a test that needs it skips and says what brings it.
"""

import atexit
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import pytest

_NO_SPARK = "no Spark: `make spark` brings it and runs these tests (Debian)"

_NUMBERS = count()
_OPEN: list = []  # connections, closed when newer tests have opened theirs, and at the end
_MOST_OPEN = 20


@cache
def _postgres() -> str | None:
    """Start a server of our own; return how to reach it, or None where there is no PostgreSQL."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = found[-1] if found else shutil.which("initdb")
    if initdb is None or find_spec("psycopg") is None:
        return None
    folder, as_user = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp")), []
    if os.geteuid() == 0:  # the server refuses to run as root
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        groups = [f"--regid={nobody.pw_gid}", "--clear-groups"]
        as_user = ["setpriv", f"--reuid={nobody.pw_uid}", *groups]
    folder.chmod(0o755)
    data, tool = folder / "data", Path(initdb).with_name("pg_ctl")
    how = {"stdout": subprocess.DEVNULL, "cwd": "/", "stdin": subprocess.DEVNULL}
    made = [str(initdb), "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "-N"]
    subprocess.run([*as_user, *made, "--locale=C.UTF-8"], check=True, **how)
    settings = f"-k {folder} -c listen_addresses='' -c fsync=off -c work_mem=256MB"
    settings += " -c jit=off"  # as a count sets it: to compile a query takes as long as to run it
    settings += " -c log_min_error_statement=panic -c log_min_messages=warning"
    log = str(folder / "log")
    control = [*as_user, str(tool), "-D", str(data), "-w", "-t", "600", "-l", log]  # under load
    subprocess.run([*control, "-o", settings, "start"], check=True, **how)

    def stop() -> None:
        for connection in _OPEN:
            connection.close()
        subprocess.run([*control, "-m", "immediate", "stop"], check=True, **how)
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    return f"host={folder} user=postgres dbname=postgres"


def postgres_log() -> str:
    """What the server has logged."""
    return (Path(dsn().split()[0].removeprefix("host=")) / "log").read_text()


def dsn() -> str:
    """How to reach the server of these tests; without one the test skips."""
    found = _postgres()
    if found is None:
        pytest.skip("no PostgreSQL server: `make postgres` brings one (Debian)")
    return found


def connected():
    """Return a new connection, to a schema of its own that is empty."""
    import psycopg

    connection = psycopg.connect(dsn(), autocommit=True)
    _OPEN.append(connection)
    while len(_OPEN) > _MOST_OPEN:
        _OPEN.pop(0).close()
    name = f"s{next(_NUMBERS)}_{os.getpid()}"
    connection.execute(f"CREATE SCHEMA {name}")
    connection.execute(f"SET search_path = {name}")
    return connection


def filled(columns: dict[str, str], rows: Sequence[Sequence[object]], name: str = "t"):
    """Return a connection with one table: columns by name and type, and rows.

    The letter 0, which no text of PostgreSQL holds, becomes U+2400.
    """
    connection = connected()
    listed = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
    connection.execute(f'CREATE TABLE "{name}" ({listed})')
    with connection.cursor() as cursor, cursor.copy(f'COPY "{name}" FROM STDIN') as copy:
        for row in rows:
            copy.write_row([c.replace("\0", "\u2400") if isinstance(c, str) else c for c in row])
    return connection


def postgres_examples(columns):
    """Return a connection with one table of columns, each of text or of numbers."""
    kinds = {
        name: "text" if any(isinstance(cell, str) for cell in cells) else "double precision"
        for name, cells in columns.items()
    }
    yield filled(kinds, [*zip(*columns.values(), strict=True)])


_KINDS = {  # of an Arrow type: what PostgreSQL and Spark call it
    "string": ("text", "string"),
    "double": ("double precision", "double"),
    "float": ("real", "float"),
    "int32": ("integer", "int"),
    "int64": ("bigint", "bigint"),
    "bool": ("boolean", "boolean"),
    "date32[day]": ("date", "date"),
    "timestamp[us]": ("timestamp", "timestamp_ntz"),
    "timestamp[us, tz=UTC]": ("timestamptz", "timestamp"),
    "decimal128(10, 2)": ("numeric(10, 2)", "decimal(10, 2)"),
    "decimal128(38, 0)": ("numeric(38, 0)", "decimal(38, 0)"),
    "decimal128(2, 2)": ("numeric(2, 2)", "decimal(2, 2)"),
    "decimal128(38, 18)": ("numeric(38, 18)", "decimal(38, 18)"),
    "decimal128(38, 38)": ("numeric(38, 38)", "decimal(38, 38)"),
}


def placed(server, found):
    """Return the rows of an Arrow table where a server counts them, as its table `t`."""
    cells = [tuple(row.values()) for row in found.to_pylist()]
    kinds = {field.name: _KINDS[str(field.type)] for field in found.schema}
    if server == "postgres":
        return filled({name: kind for name, (kind, _) in kinds.items()}, cells)
    listed = ", ".join(f"`{name}` {kind}" for name, (_, kind) in kinds.items())
    return spark().createDataFrame(cells, listed)


def spark_examples(columns):
    """Return a frame of columns, each of text or of numbers."""
    listed = ", ".join(
        f"`{name}` {'string' if any(isinstance(cell, str) for cell in cells) else 'double'}"
        for name, cells in columns.items()
    )
    yield spark().createDataFrame([*zip(*columns.values(), strict=True)], listed)


def session_of(folder, master, settings):
    """Start Spark in this process: it listens to this machine alone and writes to one folder."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": folder,
        "spark.sql.warehouse.dir": folder,
        **settings,
    }
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@cache
def _spark():
    """Start Spark with two workers that may fail three times; None where there is none."""
    if find_spec("pyspark") is None or shutil.which("java") is None:
        return None
    folder = tempfile.mkdtemp(prefix="spark-")
    settings = {
        "spark.sql.shuffle.partitions": "2",
        # Queries are many and small; where 48 MB of compiled code are full, nothing is compiled any more.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=512m",
    }
    session = session_of(folder, "local[2,4]", settings)
    session.sparkContext.setLogLevel("OFF")

    def stop() -> None:
        session.stop()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    return session


def spark():
    """A session; without Spark the test skips."""
    found = _spark()
    if found is None:
        pytest.skip(_NO_SPARK)
    return found


def spark_apart(script, folder, *arguments):
    """What a process of its own with Spark prints; its folders are in one of the test's."""
    if find_spec("pyspark") is None or shutil.which("java") is None:
        pytest.skip(_NO_SPARK)
    return subprocess.run(
        [sys.executable, str(script), *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
        env={**os.environ, "TMPDIR": str(folder)},
    )
