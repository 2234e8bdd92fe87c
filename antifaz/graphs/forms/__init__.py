"""Releases that are no plain graphs: edges with probabilities, supernodes."""
