"""Ways to protect temporal graphs."""
