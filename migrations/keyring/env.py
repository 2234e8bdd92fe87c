"""Alembic's entry for the keyring: connection and transaction are given by whoever runs the migrations."""

from alembic import context

from storage.orm import KeyringBase

context.configure(connection=context.config.attributes["connection"], target_metadata=KeyringBase.metadata)
context.run_migrations()
