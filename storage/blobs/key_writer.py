"""The key writer: writes sealed keys to the keyring, those of many requests in one statement.

When `keep` returns, the keys are committed. Each key belongs to its own blob, so writing it twice does no harm.
"""

import asyncio
from collections.abc import Mapping
from uuid import UUID

from sqlalchemy import BigInteger, LargeBinary, Uuid, column, select
from sqlalchemy.dialects.postgresql import insert

from storage.database.batching import Batched, asked_table, driver_sql
from storage.database.session import keyring_arguments
from storage.orm import SealedKey
from storage.settings import Settings


class KeyWriter:
    """Writes sealed keys over its own connection, which is opened when needed."""

    def __init__(self, settings: Settings) -> None:
        self._keys: Batched[tuple[UUID, bytes], bool] = Batched(
            keyring_arguments(settings), _insert_statement(), lambda row: True
        )

    async def keep(self, sealed: Mapping[UUID, bytes]) -> None:
        """Commit the sealed keys of these blobs; after an error, some may be stored and some not."""
        await asyncio.gather(*(self._keys.ask(key) for key in sealed.items()))

    async def close(self) -> None:
        """Close the connection."""
        await self._keys.close()


def _insert_statement() -> str:
    asked = asked_table(("blob_id", Uuid()), ("sealed", LargeBinary()))
    keys = select(asked.c.blob_id, asked.c.sealed)
    kept = insert(SealedKey).from_select(["blob_id", "sealed"], keys).on_conflict_do_nothing().cte("kept")
    return driver_sql(select(column("place", BigInteger)).select_from(asked).add_cte(kept))
