import json

import pytest

from formats.reading import read_table


def columns_of(table):
    return {name: list(c.values[c.codes]) for name, c in zip(table.names, table.columns, strict=True)}


def lines(*records: object) -> list[bytes]:
    return ["\n".join(json.dumps(record) for record in records).encode()]


def test_reads_texts_numbers_truths_and_nothing(limits):
    content = b'{"a": "x", "b": 1.50, "c": true}\n{"a": null, "b": -3, "c": false}\r\n\n{"a": "", "b": 1e3, "c": null}'
    assert columns_of(read_table([content], "jsonl", {}, limits)) == {
        "a": ["x", "", ""],
        "b": ["1.50", "-3", "1000"],
        "c": ["true", "false", ""],
    }


def test_members_may_stand_in_another_order(limits):
    table = read_table([b'{"a": 1, "b": 2}\n{"b": 3, "a": 4}\n'], "jsonl", {}, limits)
    assert columns_of(table) == {"a": ["1", "4"], "b": ["2", "3"]}


def test_reads_many_batches(limits):
    records = [{"a": i % 7, "b": f"text {i}"} for i in range(5000)]
    content = "\n".join(map(json.dumps, records)).encode()
    table = read_table((content[i : i + 999] for i in range(0, len(content), 999)), "jsonl", {}, limits)
    assert table.n == 5000
    assert columns_of(table)["b"] == [f"text {i}" for i in range(5000)]


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        (b'{"a": "cnry"', "malformed_json"),
        (b'["cnry"]', "malformed_json"),
        (b'{"a": 1}, {"a": 2}', "malformed_json"),
        (b'{"b": "cnry"}', "different_keys"),
        (b'{"a": 1, "b": "cnry"}', "different_keys"),
        (b'{"a": 1, "a": 2}', "duplicate_key"),
        (b'{"a": NaN}', "not_a_number"),
        (b'{"a": -Infinity}', "not_a_number"),
        (b'{"a": 1e999999999}', "number_range"),
        # Two gigabytes, written out.
        (b'{"a": 5.5e00000000000000000000001296761473}', "number_range"),
        (b'{"a": 5.5E-0000000000401}', "number_range"),
        (b'{"a": ["cnry"]}', "nested_value"),
        (b'{"a": {"cnry": 1}}', "nested_value"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "json_depth"),
        (rb'{"a": "\ud800"}', "surrogate"),
        (rb'{"a": "\u0000"}', "nul_bytes"),
    ],
)
def test_names_the_line_that_is_wrong_and_not_what_it_holds(line, rule, limits, refused):
    error = refused(read_table, [b'{"a": 1}\n' * 300 + line + b"\n"], "jsonl", {}, limits)
    assert (error.rule, error.row) == (rule, 301)
    assert "cnry" not in str(error)


def test_half_objects_on_neighboring_lines_are_not_joined(limits, refused):
    error = refused(read_table, [b'{"a": 1}\n{"a": 1},{"a": 2}\n{"a": 1\n"a": 2}\n'], "jsonl", {}, limits)
    assert (error.rule, error.row) == ("malformed_json", 2)


def test_names_the_line_that_is_not_utf8(limits, refused):
    content = b'{"a": "xxxxxxxxxxxxxxxx"}\n' * 300_000 + b'{"a": "\xff"}\n'
    error = refused(
        read_table, [content[i : i + (1 << 20)] for i in range(0, len(content), 1 << 20)], "jsonl", {}, limits
    )
    assert (error.rule, error.detail.split()[:2]) == ("encoding", ["line", "300001"])


@pytest.mark.parametrize(
    ("content", "rule"), [(b"", "no_records"), (b"{}\n{}\n", "no_columns"), (b'{"": 1}\n', "empty_column_name")]
)
def test_refuses_files_without_records_or_columns(content, rule, limits, refused):
    assert refused(read_table, [content], "jsonl", {}, limits).rule == rule
