"""Evidence: what the release shows, as classes, shapes and shares of records and nodes that are unchanged and alone.

Imported by every judge. It never sees the engine, only bytes and the sealed map.
"""
