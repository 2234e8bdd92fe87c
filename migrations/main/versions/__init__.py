"""One Python file for each revision, with its SQL beside it."""
