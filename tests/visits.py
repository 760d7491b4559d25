"""A plan file of visits, to which people and orders are joined: who made which order, of what age."""

FILE = """\
[data]
source = "visits.csv"
unit = { column = "who", max_rows = 2 }

[join.people]
source = "people.csv"
key = "id"
gives = ["age"]

[owner.orders]
source = "orders.csv"
on = "visit"
gives = ["who"]

[columns]
age = { lower = 0, upper = 9, step = 1 }
cost = { lower = 0, upper = 5, step = 1 }

[levels.ward]
columns = ["house", "ward"]
rows = [["North", "A"], ["South", "B"]]

[derive.house]
lookup = "ward"

[spend]
rho = 1
ledger = "visits.ledger"

[[ask]]
statistic = "count"
by = "house"
"""
