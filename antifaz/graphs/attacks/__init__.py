"""Graph attacks, one per file."""
