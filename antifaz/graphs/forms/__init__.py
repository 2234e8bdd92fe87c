"""Releases that are not plain graphs: edges with probabilities, supernodes."""
