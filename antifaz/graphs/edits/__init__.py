"""Changes to edges: moves, switches, noise, and their effect on a graph.

Imported by methods and the parts that measure them. Randomness comes from the generator of the caller.
"""
