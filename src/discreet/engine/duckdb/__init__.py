"""DuckDB: how it opens a source, reads it, and counts."""
