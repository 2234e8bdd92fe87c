"""Migrations of both databases: ``python -m migrations upgrade|downgrade|current [main|keyring|all]``.

Nothing imports them. Each revision also grants the rights of the roles on what it creates.
"""
