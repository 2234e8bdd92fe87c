"""The stack: starts, supervises and stops everything on one machine, for `antifaz up` and for containers.

It imports settings and starts the other packages as processes of their own; nothing imports it.
"""
