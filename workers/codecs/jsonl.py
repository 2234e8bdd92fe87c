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
_AT_ONCE = 256
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
        if not lines:
            continue
        names = names or [key for key, _ in _record(lines[0], 1)]
        batches.append([_coded(texts, done) for texts in _read_lines(lines, names, done)])
        done += len(lines)
    check_rows(done, settings)
    normal = checked_names(names, settings)
    cleaned = [
        clean_column(name, *unified([batch[position] for batch in batches]), settings)
        for position, name in enumerate(normal)
    ]
    return RawTable(normal, cleaned, done)


def _batches(pieces: Iterator[bytes], settings: Settings) -> Iterator[list[str]]:
    """Whole lines, some megabytes at a time."""
    rest, lines = b"", 0
    longest = max(_BATCH_BYTES, 2 * settings.max_cell_bytes) * 16
    for piece in pieces:
        rest += piece
        if len(rest) > longest:
            raise invalid("row_too_long", f"a line is longer than {longest} bytes")
        cut = rest.rfind(b"\n")
        if cut >= 0 and len(rest) >= _BATCH_BYTES:
            yield _lines(rest[:cut], lines)
            lines += rest.count(b"\n", 0, cut + 1)
            rest = rest[cut + 1 :]
    yield _lines(rest, lines)


def _lines(content: bytes, lines_before: int) -> list[str]:
    return [line for line in map(str.strip, decoded(content, lines_before).split("\n")) if line]


def _read_lines(lines: list[str], names: list[str], done: int) -> list[list[str]]:
    """The columns of some lines, a few hundred at a time: more live objects would only busy the garbage collector."""
    columns: list[list[str]] = [[] for _ in names]
    for start in range(0, len(lines), _AT_ONCE):
        some = lines[start : start + _AT_ONCE]
        read = _read_at_once(some, names) or _read_one_by_one(some, names, done + start)
        for column, texts in zip(columns, read, strict=True):
            column += texts
    return columns


def _read_at_once(lines: list[str], names: list[str]) -> list[list[str]] | None:
    """The columns of lines that are just as they should be, parsed as one list; None where any is not."""
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
    """The columns of lines whose members stand in another order, or the error that says which line is wrong."""
    rows = []
    for row, line in enumerate(lines, start=done + 1):
        pairs = _record(line, row)
        rows.append(pairs if [key for key, _ in pairs] == names else _reordered(pairs, names, row))
    return [[pairs[position][1] for pairs in rows] for position in range(len(names))]


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
    exponent = found[1].lstrip("+-").lstrip("0")
    if len(exponent) > 3 or int(exponent or "0") > _LARGEST_EXPONENT:
        raise _Refused("number_range", "a number is too large or too small")
    return format(Decimal(digits), "f")


def _refuse_constant(name: str) -> NoReturn:
    raise _Refused("not_a_number", "NaN and Infinity are not JSON")


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
    raise invalid("surrogate", "a text has half of a surrogate pair", row=done + place + 1)
