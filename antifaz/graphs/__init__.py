"""Parts and data of graphs."""
