"""CSV files, line by line: nothing in one row reaches another; knows no engine."""
