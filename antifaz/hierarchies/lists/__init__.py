"""Public lists: codes and names that ready-made hierarchies are made of, one list per file."""
