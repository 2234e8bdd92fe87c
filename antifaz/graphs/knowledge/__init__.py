"""An attacker's knowledge of a graph, and what it finds."""
