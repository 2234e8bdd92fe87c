"""Kinds of portals: one module each, with what its API asks for. `portal.py` says what they have in common."""
