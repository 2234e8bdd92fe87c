"""Columns: what the name and the values of a column show of its meaning, before any policy says it."""
