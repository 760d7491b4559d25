"""Arithmetic that cannot round the wrong way; no floats, no data."""
