"""From questions and a loss to a priced list; no data may enter."""
