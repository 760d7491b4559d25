"""One noise law per file; knows integers, not tables; floats only as a filter with a proven error."""
