"""Attempts to re-identify nodes or contacts of a released temporal graph."""
