"""The lattice of full-domain generalizations, and cuts of classes that improve on it.

Imported by methods alone.
"""
