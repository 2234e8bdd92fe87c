"""Alembic's entry for the main database: connection and transaction are given by whoever runs the migrations."""

from alembic import context

from storage.orm import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
context.run_migrations()
