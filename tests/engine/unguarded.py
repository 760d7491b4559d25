"""Every check of the second look left out, so that a fault planted before it can be seen."""

from sqlglot import exp

from discreet.engine import memory
from discreet.engine.sql import guard, points, query


def unguarded(monkeypatch):
    """Trust whatever was kept, clamped and moved before, in both engines."""
    monkeypatch.setattr(guard, "clamped", lambda value, _low, _high: value)
    monkeypatch.setattr(query, "within", lambda _unfit: exp.true())
    monkeypatch.setattr(memory, "fit", lambda counts, _limits: set(counts))
    monkeypatch.setattr(memory, "_clamped", lambda _bounds, steps: steps)
    monkeypatch.setattr(memory, "_is_inside", lambda _ball, _point: True)
    monkeypatch.setattr(points, "is_inside", lambda _squares, _radius: exp.true())
