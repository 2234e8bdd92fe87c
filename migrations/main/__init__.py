"""The main database's revisions."""
