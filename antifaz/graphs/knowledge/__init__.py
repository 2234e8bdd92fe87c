"""What an attacker knows of a graph, and what that knowledge finds."""
