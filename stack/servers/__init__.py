"""The embedded PostgreSQL and Redis: finding their programs, folders, ports, and readiness.

Imported by the rest of the stack. It opens no database of ours beyond creating it.
"""
