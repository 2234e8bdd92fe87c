"""Jobs: leases and fences, the outbox of wake-up messages, turns of tenants, and results that are no release.

Imported by accounts, operations and processes. Every state is decided by one conditional statement. `jobs` claims,
extends and ends; jobs that lost their worker are ended by `storage.operations.sweeping`.
"""
