"""Utility measures of graphs, one per file."""
