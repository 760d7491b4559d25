"""The model of release.json: its files, checks and equality; data, and nothing of how it looks."""
