"""Alembic's entry for the main database: `migrations.databases` provides connection and transaction."""

from alembic import context

from storage.orm import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
context.run_migrations()
