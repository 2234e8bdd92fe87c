"""Generalization hierarchies, one kind per file.

Imported by policies, tables and the rooms above. `hierarchy` is the interface; a hierarchy is resolved for a column and
tested for nesting before it is used.
"""
