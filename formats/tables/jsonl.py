"""JSON lines: one flat object per line, all with the same members as the first.

In releases, a missing value is null, and a column is written as numbers if all its labels are numbers.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, NoReturn

import pyarrow as pa

from api_schemas.strict_json import BadJson
from formats.core import faults
from formats.core.cells import Cells, glue, joined_rows
from formats.core.format import Look, Sniffed, TableFormat
from formats.core.json_values import json_labels, json_text, strict_json
from formats.core.limits import Limits
from formats.core.names import checked_names
from formats.core.raw import RawTable, check_rows, clean_column, unified
from formats.core.text import BYTE_ORDER_MARK, beginning, decoded, refuse_wide, utf8_bytes

# --- sniffing --------------------------------------------------------------------------------------------------------


def _recognize(head: bytes) -> bool:
    return beginning(head).startswith(b"{")


def _sniff(look: Look) -> Sniffed:
    refuse_wide(look.head)
    lines = look.head.removeprefix(BYTE_ORDER_MARK).split(b"\n")
    whole = lines if look.complete else lines[:-1]
    if not whole:
        raise faults.row_too_long(len(look.head))
    names: list[str] | None = None
    for row, line in enumerate((line for line in whole if line.strip()), start=1):
        record = _json_record(line.strip(), row, look.limits)
        names = names if names is not None else list(record)
        if record.keys() != set(names):
            raise faults.different_keys(row)
    return Sniffed("jsonl", {"encoding": "utf-8", "decimal": "."}, checked_names(names or [], look.limits))


def _json_record(line: bytes, row: int, limits: Limits) -> dict[str, Any]:
    record = strict_json(line, limits, row)
    if not isinstance(record, dict):
        raise faults.not_an_object(row)
    for value in record.values():
        if isinstance(value, dict | list):
            raise faults.nested_value(row)
        if isinstance(value, str) and len(value) > limits.max_cell_bytes:
            raise faults.cell_too_long(limits.max_cell_bytes, row=row)
    return record


# --- reading ---------------------------------------------------------------------------------------------------------

_BATCH_BYTES = 4 << 20
_AT_ONCE = 256
_LARGEST_EXPONENT = 400
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)$")


class _Refused(Exception):
    """A line is refused; carries the function that makes its fault from the row."""


def _read(chunks: Iterable[bytes], details: Mapping[str, Any], limits: Limits) -> RawTable:
    """Read a file of JSON objects, one per line; numbers keep their written text."""
    names: list[str] = []
    batches: list[list[Any]] = []
    done = 0
    for lines in _batches(utf8_bytes(chunks, "utf-8", limits), limits):
        if not lines:
            continue
        names = names or [key for key, _ in _record(lines[0], 1)]
        batches.append([_coded(texts, done) for texts in _read_lines(lines, names, done)])
        done += len(lines)
    check_rows(done, limits)
    normal = checked_names(names, limits)
    cleaned = [
        clean_column(name, *unified([batch[position] for batch in batches]), limits)
        for position, name in enumerate(normal)
    ]
    return RawTable(normal, cleaned, done)


def _batches(pieces: Iterator[bytes], limits: Limits) -> Iterator[list[str]]:
    """Whole lines, a few megabytes at a time."""
    rest, lines = b"", 0
    longest = max(_BATCH_BYTES, 2 * limits.max_cell_bytes) * 16
    for piece in pieces:
        rest += piece
        if len(rest) > longest:
            raise faults.row_too_long(longest)
        cut = rest.rfind(b"\n")
        if cut >= 0 and len(rest) >= _BATCH_BYTES:
            yield _lines(rest[:cut], lines)
            lines += rest.count(b"\n", 0, cut + 1)
            rest = rest[cut + 1 :]
    yield _lines(rest, lines)


def _lines(content: bytes, lines_before: int) -> list[str]:
    return [line for line in map(str.strip, decoded(content, lines_before).split("\n")) if line]


def _read_lines(lines: list[str], names: list[str], done: int) -> list[list[str]]:
    """The columns of some lines, a few hundred at a time: more live objects would only slow down garbage collection."""
    columns: list[list[str]] = [[] for _ in names]
    for start in range(0, len(lines), _AT_ONCE):
        some = lines[start : start + _AT_ONCE]
        read = _read_at_once(some, names) or _read_one_by_one(some, names, done + start)
        for column, texts in zip(columns, read, strict=True):
            column.extend(texts)
    return columns


def _read_at_once(lines: list[str], names: list[str]) -> list[list[str]] | None:
    """The columns of well-formed lines, parsed as one list; None if any line is not well-formed."""
    if not all(line[0] == "{" and line[-1] == "}" for line in lines):
        return None
    try:
        rows = _FAST_DECODER.decode(f"[{','.join(lines)}]")
    except (ValueError, RecursionError, _Refused):
        return None
    if len(rows) != len(lines) or set(map(len, rows)) != {len(names)}:
        return None
    columns = []
    for position, name in enumerate(names):
        keys, values = zip(*[row[position] for row in rows], strict=True)
        if set(keys) != {name} or not set(map(type, values)) <= _FLAT:
            return None
        columns.append([value if type(value) is str else _text(value) for value in values])
    return columns


def _read_one_by_one(lines: list[str], names: list[str], done: int) -> list[list[str]]:
    """The columns of lines whose members may be in another order, or the error that names the wrong line."""
    rows = []
    for row, line in enumerate(lines, start=done + 1):
        pairs = _record(line, row)
        rows.append(pairs if [key for key, _ in pairs] == names else _reordered(pairs, names, row))
    return [[pairs[position][1] for pairs in rows] for position in range(len(names))]


def _record(line: str, row: int) -> list[tuple[str, str]]:
    fault = faults.not_an_object(row)
    try:
        value = _DECODER.decode(line)
        if isinstance(value, _Members):
            return value
    except _Refused as refused:
        fault = refused.args[0](row)
    except RecursionError:
        fault = faults.bad_json(BadJson("depth", "is nested too deeply"), row)
    except ValueError:
        fault = faults.bad_json(BadJson("syntax", "is not JSON"), row)
    raise fault


def _reordered(pairs: list[tuple[str, str]], names: list[str], row: int) -> list[tuple[str, str]]:
    members = dict(pairs)
    if members.keys() != set(names):
        raise faults.different_keys(row)
    return [(name, members[name]) for name in names]


class _Members(list[tuple[str, str]]):
    """The members of an object, as texts."""


def _members(pairs: list[tuple[str, Any]]) -> _Members:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _refused("duplicate_key", "an object has two members of the same name")
    return _Members((key, value if type(value) is str else _text(value)) for key, value in pairs)


def _refused(rule: str, detail: str) -> _Refused:
    return _Refused(partial(faults.bad_json, BadJson(rule, detail)))


def _text(value: Any) -> str:
    if value is None:
        return ""
    if value is True or value is False:
        return "true" if value else "false"
    raise _Refused(faults.nested_value)


def _plain(digits: str) -> str:
    """A number without an exponent."""
    found = _EXPONENT.search(digits)
    if found is None:
        return digits
    exponent = found[1].lstrip("+-").lstrip("0")
    if len(exponent) > 3 or int(exponent or "0") > _LARGEST_EXPONENT:
        raise _refused("number_range", "a number is too large or too small")
    return format(Decimal(digits), "f")


def _refuse_constant(name: str) -> NoReturn:
    raise _refused("not_a_number", "NaN and Infinity are not JSON")


_FLAT = {str, bool, type(None)}
_FAST_DECODER = json.JSONDecoder(
    object_pairs_hook=tuple, parse_int=str, parse_float=_plain, parse_constant=_refuse_constant
)
_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_int=str, parse_float=_plain, parse_constant=_refuse_constant
)


def _coded(texts: list[str], done: int) -> Any:
    try:
        return pa.array(texts, pa.string()).dictionary_encode()
    except UnicodeEncodeError:
        place = next(i for i, text in enumerate(texts) if any("\ud800" <= c <= "\udfff" for c in text))
    raise faults.bad_json(BadJson("surrogate", "a text has half of a surrogate pair"), done + place + 1)


# --- writing ---------------------------------------------------------------------------------------------------------


def _write(columns: Sequence[Cells]) -> Iterator[bytes]:
    if not columns:
        return
    written = [cells.with_labels(glue(f"{json_text(cells.name)}: ", json_labels(cells))) for cells in columns]
    written[0] = written[0].with_labels(glue("{", written[0].labels))
    written[-1] = written[-1].with_labels(glue(written[-1].labels, "}\n"))
    yield from joined_rows(written, ", ")


JSONL = TableFormat(
    name="jsonl",
    endings=("jsonl", "ndjson"),
    recognize=_recognize,
    media_type="application/x-ndjson",
    suffix="jsonl",
    repeats_labels=True,
    sniff=_sniff,
    read=_read,
    write=_write,
)
