"""Arithmetic on public numbers; data may never enter."""
