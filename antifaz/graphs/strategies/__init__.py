"""Strategies for editing a graph: one per module, shared by the methods that name them.

Imported by methods, and by the strategies of temporal graphs.
"""
