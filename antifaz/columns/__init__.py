"""Columns: infer the meaning of a column from its name and values, before any policy declares it.

Imported by advice and kinds. It declares nothing: `words` and `names` read a column's name, `shapes` its values, `lint`
finds columns that should not be released unchanged.
"""
