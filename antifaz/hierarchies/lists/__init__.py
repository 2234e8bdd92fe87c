"""Public lists: codes and names for ready-made hierarchies, one list per file."""
