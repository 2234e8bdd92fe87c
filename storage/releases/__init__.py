"""Releases: their files, reports, cards and lists.

Imported by the audit and by processes. A row whose code does not match is never shown.
"""
