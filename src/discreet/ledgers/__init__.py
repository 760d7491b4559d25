"""Who has paid: the rules of the book and the file that keeps it; knows only losses.

Rules of this room:
- what shows a ledger may ask noise what all charges keep together; nothing else knows a law.
"""
