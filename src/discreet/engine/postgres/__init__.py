"""PostgreSQL: a table of a server, counted there by one statement; knows no other engine."""
