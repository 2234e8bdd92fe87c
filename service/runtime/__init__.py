"""What one process of the service holds: its state, limits, metrics, events, the announcer of work, the identity
provider.

Imported by every room above. It answers no request by itself.
"""
