"""Views of a graph: its pairs, its edges from both ends, its nodes' surroundings."""
