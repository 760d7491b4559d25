"""A ledger as another user or machine meets it: without the anchors of whoever charged it."""

import os
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from unittest.mock import patch


@contextmanager
def elsewhere():
    """Let this process have a state folder of its own, in which nothing is known."""
    with TemporaryDirectory() as folder, patch.dict(os.environ, XDG_STATE_HOME=folder):
        yield
