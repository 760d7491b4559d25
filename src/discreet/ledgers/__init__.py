"""Who has paid: the rules of the book and the file that keeps it; knows only losses."""
