"""Releases that are not plain graphs: edges with probabilities, supernodes.

Imported by the methods that make them and the guarantees about them.
"""
