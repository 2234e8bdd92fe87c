"""Antifaz: the pure engine that protects tables and graphs about people.

It knows no web, database, queue, clock, disk or log, and no randomness of its own: the caller passes a generator.
"""
