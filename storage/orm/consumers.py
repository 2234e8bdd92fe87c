"""Consumers: the processes that take work, and when each last proved that it does."""

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from storage.orm.base import Base


class Consumer(Base):
    """One queue of one consumer. Nothing is decided by these rows but what readiness and metrics say."""

    __tablename__ = "consumers"
    id: Mapped[str] = mapped_column(primary_key=True)
    """Kind, host and process number, and a random part."""
    queue: Mapped[str] = mapped_column(primary_key=True)
    beat_at: Mapped[datetime | None]
    """When it last proved that it takes work; None after an orderly end."""
    consumed_at: Mapped[datetime | None]
    """When it last took something from this queue."""
