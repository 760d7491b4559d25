"""The strangest row through every door: `make poison`.

Rules of this package:
- every source, every role of a column, every strange cell: the table against the table with one row
  more; the kind of outcome is the same, and no vector moves further than declared;
- nothing here knows how cells are read: it declares, asks and compares;
- each case names the finding that it would have been, so that a run at an older commit lists them.
"""
