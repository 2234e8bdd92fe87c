"""What is measured on a graph, or on a release and its original."""
