"""Tables of counts that add up: which noise each gets, the best estimates, whole numbers.

Decision 19.
"""
