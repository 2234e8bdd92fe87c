"""Formats of graphs and temporal graphs, one module each, and their writers.

Found by the catalogue. They may use formats of tables for lists of nodes and edges.
"""
