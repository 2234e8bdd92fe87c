"""Changes to edges: moves, switches, noise, and their effect on a graph."""
