"""The keeper: sealed keys on their way into the keyring, those of many requests together.

Whoever keeps a key knows, when the answer comes, that it is committed. A key is bound to a blob that nobody else has,
so keeping it twice is keeping it.
"""

import asyncio
from collections.abc import Mapping
from uuid import UUID

from sqlalchemy import BigInteger, LargeBinary, Uuid, column, select
from sqlalchemy.dialects.postgresql import insert

from storage.orm import SealedKey
from storage.rounds import Rounds, asked_table, in_the_drivers_words
from storage.session import keyring_arguments
from storage.settings import Settings


class KeyKeeper:
    """Keeps sealed keys, over a connection of its own that is opened when it is needed."""

    def __init__(self, settings: Settings) -> None:
        self._keys: Rounds[tuple[UUID, bytes], bool] = Rounds(keyring_arguments(settings), _keeping(), lambda row: True)

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
    return in_the_drivers_words(select(column("place", BigInteger)).select_from(asked).add_cte(kept))
