"""Bodies about tenants and the service itself: tokens, keys, audit, health."""
