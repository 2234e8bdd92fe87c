"""Views of a graph: its pairs, its edges from both ends, its nodes' surroundings.

The lowest room of graphs. It neither changes nor judges a graph.
"""
