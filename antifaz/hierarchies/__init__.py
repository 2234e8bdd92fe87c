"""Generalization hierarchies, one kind per file."""
