"""Alembic's entry for the keyring: `migrations.databases` provides connection and transaction."""

from alembic import context

from storage.orm import KeyringBase

context.configure(connection=context.config.attributes["connection"], target_metadata=KeyringBase.metadata)
context.run_migrations()
