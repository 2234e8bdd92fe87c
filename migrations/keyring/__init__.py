"""The keyring's revisions."""
