"""JSON values: strict parsing of uploads, and released labels as JSON."""

import json
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from api_schemas.strict_json import BadJson, parse_json
from formats.core import faults
from formats.core.cells import Cells
from formats.core.limits import Limits


def strict_json(content: bytes, limits: Limits, row: int | None = None) -> Any:
    """Parse a JSON text, or raise a `Fault` with its row."""
    try:
        return parse_json(content, limits.max_json_depth)
    except BadJson as error:
        fault = faults.bad_json(error, row)
    raise fault


def json_labels(cells: Cells) -> Any:
    """Labels as JSON: numbers, texts, or null for a missing value."""
    if cells.number is not None:
        texts = cells.labels
    else:
        texts = pa.array([json_text(text) for text in cells.labels.to_pylist()], pa.large_string())
    return pc.if_else(pc.equal(cells.labels, ""), pa.scalar("null", pa.large_string()), texts)


def json_text(text: str) -> str:
    """A text as JSON."""
    return json.dumps(text, ensure_ascii=False)
