"""How often DuckDB reads rows, and by which query: time and memory; knows no other engine."""
