"""How keys that nobody knows beforehand are found: who needs how much, and at which price.

Rules of this room:
- it knows integers, losses and noise, and neither tables nor engines; the proof is in docs/laws.
"""
