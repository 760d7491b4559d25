"""One noise law per file; knows integers, not tables; a float only as a filter, proven."""
