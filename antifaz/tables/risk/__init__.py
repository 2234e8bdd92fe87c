"""One file for each of the table risks."""
