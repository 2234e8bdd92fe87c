"""One file for each of the table risk."""
