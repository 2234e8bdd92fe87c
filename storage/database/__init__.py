"""The database: connections, statements, pages of results, locks, and canonical bytes of a row.

Imported by every room of storage. It knows no table of ours.
"""
