"""Graph methods, one per file."""
