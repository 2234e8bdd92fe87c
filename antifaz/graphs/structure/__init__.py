"""How a graph is looked at: its pairs, its edges from both ends, its nodes' surroundings."""
