"""HTTP without knowledge of ours: problems, parameters, bodies, ranges, formats asked for, connections.

Imported by every room of the service. It reads no database and knows no resource. `pace` cuts off a slow upload or
body, `connections` a slow head; `protocol` refuses ambiguous requests.
"""
