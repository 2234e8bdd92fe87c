"""Formats of tables, one module each, and their writers.

Found by the catalogue. They import `core` and each other's parts, never a format of graphs.
"""
