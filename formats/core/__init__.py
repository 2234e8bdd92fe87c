"""Core: what every format needs: faults, limits, texts, cells, inflating, and what a format is.

Imported by all formats. It knows no file format, and no fault repeats a cell. Writers know numbers and texts only,
never the types of a policy.
"""
