"""Measurements on a graph, or on a release and its original."""
