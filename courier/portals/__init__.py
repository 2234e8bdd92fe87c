"""Kinds of portals: one module each for its API. `portal.py` has what they share."""
