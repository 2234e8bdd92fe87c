"""Migrations of both databases: ``python -m migrations upgrade|downgrade|current [main|keyring|all]``."""
