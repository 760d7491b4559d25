"""Spark: a data frame of a session, counted by its workers; knows no other engine."""
