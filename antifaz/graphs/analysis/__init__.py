"""Measurements on a graph, or on a release and its original.

Imported by attacks, measures, methods and strategies. It changes no edge.
"""
