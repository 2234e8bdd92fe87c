"""Columns: infer the meaning of a column from its name and values, before any policy declares it."""
