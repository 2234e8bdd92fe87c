"""The conformance of formats: ours fulfill it, and every way not to fulfill it is noticed."""

from dataclasses import replace

import pytest

from formats.catalogue import graph_format, graph_formats, table_format, table_formats
from formats.core.faults import Fault
from formats.core.format import Sniffed, TableFormat
from formats.core.inflate import plain_bytes
from formats.core.names import checked_names
from formats.core.raw import RawTable, check_rows, encode_texts
from formats.extending.conformance import faults_of, faults_of_reading
from tests.formats.test_hostile_files import GRAPHS, TABLES

FILE = b"~name~alpha~omega"


def sniff(look):
    if not look.head.startswith(b"~"):
        raise Fault("unreadable", "the file does not begin with a tilde")
    return Sniffed("tildes", {}, [decoded(look.head.split(b"~")[1])])


def read(chunks, details, limits):
    name, *cells = [decoded(cell) for cell in b"".join(plain_bytes(chunks, limits)).split(b"~")[1:]] or [""]
    names = checked_names([name], limits)
    check_rows(len(cells), limits)
    return RawTable(names, [encode_texts(name, cells, limits)], len(cells))


def decoded(cell):
    text = cell.decode(errors="replace")
    if "\ufffd" in text:
        raise Fault("encoding", "the file is not valid UTF-8")
    return text


TILDES = TableFormat(name="tildes", endings=("til",), sniff=sniff, read=read)


def test_there_is_a_file_of_every_format_of_ours():
    assert (set(TABLES), set(GRAPHS)) == (set(table_formats()), set(graph_formats()))


@pytest.mark.parametrize("name", TABLES)
def test_our_formats_of_tables_behave_as_formats_must(name):
    assert faults_of_reading(table_format(name), TABLES[name]) == []


@pytest.mark.parametrize("name", GRAPHS)
def test_our_formats_of_graphs_behave_as_formats_must(name):
    assert faults_of_reading(graph_format(name), GRAPHS[name]) == []


def test_a_format_that_is_complete_has_no_faults():
    assert faults_of(TILDES) == []
    assert faults_of_reading(TILDES, FILE) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"name": "Tildes"}, "its name must be"),
        ({"kinds": ("table", "graph")}, "kinds must be left out"),
        ({"write": lambda columns: iter(())}, "it must not write"),
        ({"recognize": lambda head: True}, "it must not recognize files"),
        ({"fallback": True}, "it must not recognize files"),
        ({"endings": ()}, "endings must be"),
        ({"endings": "til"}, "endings must be"),
        ({"endings": (".til",)}, "endings must be"),
        ({"endings": ("til", "gz")}, "endings of compressed files"),
    ],
)
def test_a_format_that_cannot_be_added_is_noticed(change, fault):
    [found] = faults_of(replace(TILDES, **change))
    assert found.startswith(fault)


def unlimited(chunks, details, limits):
    return read(chunks, details, replace(limits, max_bytes=1 << 30))


def in_one_chunk(chunks, details, limits):
    return read([next(iter(chunks))], details, limits)


def with_many_rows(chunks, details, limits):
    return read(chunks, details, replace(limits, max_rows=1 << 30))


def with_long_cells(chunks, details, limits):
    return read(chunks, details, replace(limits, max_cell_bytes=1 << 30))


def quoting(chunks, details, limits):
    table = read(chunks, details, limits)
    if set(table.columns[0].values) != {"alpha", "omega"}:
        raise Fault("encoding", f"neither {' nor '.join(table.columns[0].values)}")
    return table


def with_an_error_inside(chunks, details, limits):
    content = b"".join(plain_bytes(chunks, limits))
    try:
        content.decode("ascii")
    except UnicodeDecodeError as error:
        raise Fault("encoding", "the file is not ASCII") from error
    return read([content], details, limits)


def with_another_error(chunks, details, limits):
    content = b"".join(plain_bytes(chunks, limits))
    content.decode("ascii")
    return read([content], details, limits)


def with_a_rule_of_its_own(chunks, details, limits):
    table = read(chunks, details, limits)
    if table.n < 2:
        raise Fault("too_few", "the file is too short")
    return table


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"sniff": lambda look: replace(sniff(look), format="other")}, "the sniffer must name its format"),
        ({"sniff": lambda look: replace(sniff(look), columns=["x"])}, "the sniffer must name the columns"),
        ({"sniff": lambda look: replace(sniff(look), columns=[str(look.complete)])}, "the beginning of a file must"),
        ({"read": in_one_chunk}, "a file that arrives in pieces"),
        ({"read": unlimited}, "a file beyond max_bytes"),
        ({"read": with_many_rows}, "a file beyond max_rows"),
        ({"read": with_long_cells}, "a file beyond max_cell_bytes"),
        ({"read": quoting}, "the fault encoding quotes a cell"),
        ({"read": with_an_error_inside}, "the fault encoding carries another error"),
        ({"read": with_another_error}, "a damaged file raises UnicodeDecodeError"),
        ({"read": with_a_rule_of_its_own}, "too_few is no rule"),
    ],
)
def test_a_careless_format_is_noticed(change, fault):
    assert any(found.startswith(fault) for found in faults_of_reading(replace(TILDES, **change), FILE))


def test_a_file_that_the_format_refuses_tells_nothing_else():
    assert faults_of_reading(TILDES, b"letters") == ["the file is refused: unreadable"]
