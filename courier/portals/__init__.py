"""Kinds of portals: one module each for its API. `portal.py` has what they share.

Imported by the courier alone. They connect only through `courier.calls`, and see nothing but public releases.
"""
