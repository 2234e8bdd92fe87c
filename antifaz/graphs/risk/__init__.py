"""Risk measures of graphs, one per file."""
