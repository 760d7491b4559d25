"""What every engine of SQL is asked, one query for all aggregates as a tree; knows no engine."""
