"""Pay, draw, count, add, store: from a plan to a release through the door; holds the coins."""
