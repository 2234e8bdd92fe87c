"""How a graph is edited: one strategy per module, shared by the methods that name them."""
