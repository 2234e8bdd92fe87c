"""Bodies about tenants and the service itself: tokens, keys, audit, health.

Imported by routes. No body returns a secret that was stored.
"""
