"""Base classes of the tables of both databases, with naming conventions and column types."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import DateTime, Double, LargeBinary, MetaData, Text, Uuid
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import DeclarativeBase

NAMES = {
    "pk": "%(table_name)s_pkey",
    "fk": "%(table_name)s_%(column_0_name)s_fkey",
    "uq": "%(table_name)s_%(column_0_N_name)s_key",
    "ix": "%(table_name)s_by_%(column_0_N_name)s",
}
"""Names of constraints that the model does not name."""


class Base(DeclarativeBase):
    """Tables of the main database."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {
        str: Text,
        datetime: DateTime(timezone=True),
        dict[str, Any]: JSONB(none_as_null=True),
        list[Any]: JSONB(none_as_null=True),
        list[str]: ARRAY(Text),
        bytes: LargeBinary,
        UUID: Uuid,
        float: Double,
    }


class KeyringBase(DeclarativeBase):
    """Tables of the keyring database."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {str: Text, datetime: DateTime(timezone=True), bytes: LargeBinary, UUID: Uuid}
