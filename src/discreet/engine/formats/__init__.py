"""Files of other programs, read as lists of cells by their own libraries; knows no engine."""
