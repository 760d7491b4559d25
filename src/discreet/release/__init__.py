"""Pay, count, noise, fit: the walk from a plan to a release, and the door; the only room with coins."""
