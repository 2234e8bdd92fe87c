"""Structures of graphs: degrees, neighborhoods, symmetries, supernodes and uncertain edges.

Imported by the judges and by `temporal`. They know nothing of the classes of tables, except those of node attributes.
"""
