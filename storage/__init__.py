"""Persistence: settings, database, encrypted blobs, keys, jobs, releases, audit trail, tokens.

Imported by the service, the workers and the courier, each with its own role in the database. It never imports the
engine.
"""
