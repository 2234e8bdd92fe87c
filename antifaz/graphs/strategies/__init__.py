"""How a degree sequence is made anonymous: one strategy per module, shared by the method `k_degree`."""
