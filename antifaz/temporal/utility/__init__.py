"""Utility of a released temporal graph."""
