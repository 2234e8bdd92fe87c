"""Public lists: codes and names for ready-made hierarchies, one list per file.

Imported by hierarchies and advice. Nothing but data that is public.
"""
