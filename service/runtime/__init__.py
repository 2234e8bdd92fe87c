"""What one process of the service holds: its state, limits, metrics, events, the announcer of work, the identity
provider.

Imported by every room above. It answers no request by itself. `limits` and `quotas` share the process between tenants,
`dispatch` sends wake-up messages, `identity_provider` reads tokens of others.
"""
