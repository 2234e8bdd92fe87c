"""Persistence: settings, database, encrypted blobs, keys, jobs, releases, audit trail, tokens."""
