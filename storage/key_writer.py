"""The key writer: sealed keys on their way into the keyring, those of many requests together.

Whoever keeps a key knows, when the answer comes, that it is committed. A key is bound to a blob that nobody else has,
so keeping it twice is keeping it.
"""

import asyncio
from collections.abc import Mapping
from uuid import UUID

from sqlalchemy import BigInteger, LargeBinary, Uuid, column, select
from sqlalchemy.dialects.postgresql import insert

from storage.batching import Batched, asked_table, driver_sql
from storage.orm import SealedKey
from storage.session import keyring_arguments
from storage.settings import Settings


class KeyWriter:
    """Keeps sealed keys, over a connection of its own that is opened when it is needed."""

    def __init__(self, settings: Settings) -> None:
        self._keys: Batched[tuple[UUID, bytes], bool] = Batched(
            keyring_arguments(settings), _keeping(), lambda row: True
        )

    async def keep(self, sealed: Mapping[UUID, bytes]) -> None:
        """Commit the sealed keys of these blobs; an error means that some may be kept and some not."""
        await asyncio.gather(*(self._keys.ask(key) for key in sealed.items()))

    async def close(self) -> None:
        """Keep no more."""
        await self._keys.close()


def _keeping() -> str:
    asked = asked_table(("blob_id", Uuid()), ("sealed", LargeBinary()))
    keys = select(asked.c.blob_id, asked.c.sealed)
    kept = insert(SealedKey).from_select(["blob_id", "sealed"], keys).on_conflict_do_nothing().cte("kept")
    return driver_sql(select(column("place", BigInteger)).select_from(asked).add_cte(kept))
