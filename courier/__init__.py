"""The courier: the one process that connects to addresses which users chose.

It sends webhooks and takes releases to portals. PostgreSQL says what is to be sent; the courier takes it by a lease,
sends it, and writes down how that went. It has a database role of its own, which can read no original, and a key of
its own, which opens the keys of portals and the secrets of webhooks.
"""
