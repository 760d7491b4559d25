"""One question per file: which integers it needs, and the answer from noisy ones; sees no data."""
