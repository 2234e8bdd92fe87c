"""One file for each of the graph risk."""
