"""Temporal graphs: snapshots of one set of nodes."""
