"""What changes edges: moves, switches, noise, and what they do to a graph."""
