"""One engine per file: aggregates in, exact integers out; the only room that reads data."""
