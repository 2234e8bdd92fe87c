"""Keys and authentication codes: what binds a row, a secret or the head of the trail to a key that no database holds.

Imported by every room that stores something another process believes. It opens no connection.
"""
