"""Policies: the model that all kinds share, one module for each kind, parsing and contradictions."""
