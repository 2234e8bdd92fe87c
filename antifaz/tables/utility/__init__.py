"""One file for each of the table utility measures."""
