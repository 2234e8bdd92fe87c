"""Datasets and what belongs to one: declarations, digests of contents, hierarchies, policies, sealed columns.

Imported by jobs, releases and processes. Bytes of originals stay in `blobs`; `projections` is for workers alone.
"""
