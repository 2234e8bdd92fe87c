"""Risks of re-identification in temporal graphs."""
