"""Engines with some, or none, of what only makes them faster (`Speed`), whatever they say."""

from contextlib import contextmanager

import pytest

from discreet.engine.duckdb import engine
from discreet.engine.sql.dialect import Dialect
from discreet.engine.sql.faster.speed import SLOW


@contextmanager
def at(speed):
    """Have every engine be as fast as this; `SLOW` reads each source once, in one pass, too."""
    own = Dialect.__dict__["speed"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dialect, "speed", property(lambda _: speed, own.__set__))
        if speed == SLOW:
            patch.setattr(engine, "is_for_passes", lambda _: False)
        yield
