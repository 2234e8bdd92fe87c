"""JSON lines: one flat object per line, all with the members of the first."""

import json
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, NoReturn

import pyarrow as pa

from storage.settings import Settings
from workers.codecs.raw import RawTable, check_rows, checked_names, clean_column, invalid, unified
from workers.codecs.stream import decoded, utf8_bytes

_BATCH_BYTES = 4 << 20
_LARGEST_EXPONENT = 400
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)$")


class _Refused(Exception):
    """A line is not one of ours; carries the rule and what it says."""


def read_jsonl(chunks: Iterable[bytes], settings: Settings) -> RawTable:
    """Read a file of JSON objects, one a line; numbers keep the text in which they are written."""
    names: list[str] = []
    batches: list[list[Any]] = []
    done = 0
    for lines in _batches(utf8_bytes(chunks, "utf-8", settings), settings):
        rows = _parse(lines, names, done)
        if not rows:
            continue
        names = names or [key for key, _ in rows[0]]
        batches.append([_coded([pairs[position][1] for pairs in rows], done) for position in range(len(names))])
        done += len(rows)
    check_rows(done, settings)
    normal = checked_names(names, settings)
    columns = [
        clean_column(name, *unified([batch[position] for batch in batches]), settings)
        for position, name in enumerate(normal)
    ]
    return RawTable(normal, columns, done)


def _batches(pieces: Iterator[bytes], settings: Settings) -> Iterator[list[str]]:
    """Whole lines, some megabytes at a time."""
    rest = b""
    longest = max(_BATCH_BYTES, 2 * settings.max_cell_bytes) * 16
    for piece in pieces:
        rest += piece
        if len(rest) > longest:
            raise invalid("row_too_long", f"a line is longer than {longest} bytes")
        cut = rest.rfind(b"\n")
        if cut >= 0 and len(rest) >= _BATCH_BYTES:
            yield decoded(rest[:cut]).split("\n")
            rest = rest[cut + 1 :]
    yield decoded(rest).split("\n")


def _parse(lines: list[str], names: list[str], done: int) -> list[list[tuple[str, str]]]:
    rows: list[list[tuple[str, str]]] = []
    for line in lines:
        if not line.strip():
            continue
        row = done + len(rows) + 1
        pairs = _record(line, row)
        keys = [key for key, _ in pairs]
        if not names:
            names = keys
        if keys != names:
            pairs = _reordered(pairs, names, row)
        rows.append(pairs)
    return rows


def _record(line: str, row: int) -> list[tuple[str, str]]:
    refusal = ("malformed_json", "a line is not a JSON object")
    try:
        value = _DECODER.decode(line)
        if isinstance(value, _Members):
            return value
    except _Refused as refused:
        refusal = refused.args[0], refused.args[1]
    except RecursionError:
        refusal = "json_depth", "a line is nested too deeply"
    except ValueError:
        refusal = "malformed_json", "a line is not JSON"
    raise invalid(*refusal, row=row)


def _reordered(pairs: list[tuple[str, str]], names: list[str], row: int) -> list[tuple[str, str]]:
    members = dict(pairs)
    if members.keys() != set(names):
        raise invalid("different_keys", "a line has not the members of the first line", row=row)
    return [(name, members[name]) for name in names]


class _Members(list[tuple[str, str]]):
    """The members of an object, as texts."""


def _members(pairs: list[tuple[str, Any]]) -> _Members:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _Refused("duplicate_key", "a line has two members of the same name")
    return _Members((key, value if type(value) is str else _text(value)) for key, value in pairs)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if value is True or value is False:
        return "true" if value else "false"
    raise _Refused("nested_value", "a member is a list or an object")


def _plain(digits: str) -> str:
    """A number without an exponent."""
    found = _EXPONENT.search(digits)
    if found is None:
        return digits
    if abs(int(found[1][:6])) > _LARGEST_EXPONENT:
        raise _Refused("number_range", "a number is too large or too small")
    return format(Decimal(digits), "f")


def _refuse_constant(name: str) -> NoReturn:
    raise _Refused("not_a_number", "NaN and Infinity are not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_int=str, parse_float=_plain, parse_constant=_refuse_constant
)


def _coded(texts: list[str], done: int) -> Any:
    try:
        return pa.array(texts, pa.string()).dictionary_encode()
    except UnicodeEncodeError:
        place = next(i for i, text in enumerate(texts) if any("\ud800" <= c <= "\udfff" for c in text))
    raise invalid("surrogate", "a text has half of a surrogate pair", row=done + place + 1)
