"""Entries of the trail and what contradicts them.

Imported by every room that changes something. It appends; nothing here changes or deletes an entry.
"""
