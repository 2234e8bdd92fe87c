"""The embedded stack: PostgreSQL, Redis and our own processes on one machine, started, supervised and stopped."""
