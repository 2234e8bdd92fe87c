"""The courier: the only process that connects to addresses chosen by users.

It sends webhooks and publishes releases on portals. PostgreSQL holds the work; the courier claims it under a lease,
sends it, and records the result. It has its own database role, which cannot read originals, and its own key, which
opens the keys of portals and the secrets of webhooks.
"""
