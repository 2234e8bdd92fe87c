"""The committed description of the API, and its operations as pages show them.

tests/api_schemas checks that it describes the routes. Operations are built on demand, because every process of a run
collects all tests.
"""

import json
from functools import cache

from service.documentation.operations import Operation, operations
from service.openapi import COMMITTED

DOCUMENT = json.loads(COMMITTED.read_text(encoding="utf-8"))
TAGS = sorted({operation["tags"][0] for path in DOCUMENT["paths"].values() for operation in path.values()})


@cache
def documented() -> dict[str, Operation]:
    """Every operation, by its id."""
    return {operation.id: operation for operation in operations(DOCUMENT)}
