"""DuckDB: how it opens a source, reads it, and counts; knows no other engine."""
