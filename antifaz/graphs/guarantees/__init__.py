"""Graph guarantees, one per file."""
