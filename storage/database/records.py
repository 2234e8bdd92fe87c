"""Records: rows read as frozen dataclasses whose fields are named like the columns."""

from dataclasses import fields
from typing import Any

from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute


def columns_of(record: type, model: type[DeclarativeBase]) -> list[InstrumentedAttribute[Any]]:
    """The columns of a model that fill a record, in the order of its fields: ``Record(*row)`` builds it."""
    return [getattr(model, field.name) for field in fields(record)]
