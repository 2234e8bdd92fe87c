"""Formats: bytes ↔ tables, graphs and temporal graphs, one module per file format.

Sniffing examines the beginning of an upload; reading takes the chunks of a stored original and the result of sniffing;
writing yields the exact bytes of a release, chunk by chunk. No fault contains a cell, an id or a label.

A new format is one new module that defines a `TableFormat`, a `GraphFormat` or a `TemporalFormat`; the catalogue
discovers it by walking the package.
"""
