"""The catalogue: properties of every format, and that a new one needs one file."""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import formats
from antifaz.policy.graphs import GraphPolicy
from antifaz.policy.tables import TablePolicy
from api_schemas.data.datasets import GraphFormat, TableFormat
from formats.catalogue import all_formats, graph_formats, table_formats
from formats.reading import read_table
from formats.sniffing import sniff
from formats.writing import render_table
from tests.formats.limits import limits_of
from verifier.readers import graphs, tables

FAMILIES = {"table": table_formats(), "graph": graph_formats()}


def written(family: str) -> set[str]:
    return {name for name, known in FAMILIES[family].items() if known.write is not None}


def test_every_format_may_be_uploaded_by_its_name():
    assert set(table_formats()) == set(get_args(TableFormat))
    assert set(graph_formats()) == set(get_args(GraphFormat))


def test_a_policy_may_ask_for_every_format_that_is_written():
    for policy, family in ((TablePolicy, "table"), (GraphPolicy, "graph")):
        literal = get_args(policy.model_fields["formats"].annotation)[0]
        assert set(get_args(literal)) == written(family)


def test_the_verifier_has_a_reader_of_its_own_for_every_format_that_is_written():
    assert set(tables._READERS) == written("table")
    assert {*graphs._READERS, "edgelist"} == written("graph")


@pytest.mark.parametrize("name", sorted(all_formats()))
def test_a_format_is_defined_in_the_module_of_its_name(name):
    module = "delimited" if name in ("csv", "tsv") else name.replace("-", "_")
    [place] = Path(formats.__path__[0]).glob(f"*/{module}.py")
    source = place.read_text()
    assert f'name="{name}"' in source


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_no_two_formats_claim_the_same_ending_and_one_takes_what_none_recognizes(family):
    endings = [ending for known in FAMILIES[family].values() for ending in known.endings]
    assert len(set(endings)) == len(endings)
    assert sum(known.fallback for known in FAMILIES[family].values()) == 1


@pytest.mark.parametrize("name", sorted(written("table") | written("graph")))
def test_a_format_that_is_written_says_how_its_files_are_served(name):
    known = all_formats()[name]
    assert known.suffix in known.endings
    assert known.media_type != "application/octet-stream"


NEW_FORMAT = """
import numpy as np
from formats.core.format import Sniffed, TableFormat
from formats.core.raw import RawTable, encode_texts

def _read(chunks, details, limits):
    name, *cells = b"".join(chunks).decode().split("~")[1:]
    return RawTable([name], [encode_texts(name, cells, limits)], len(cells))

def _write(columns):
    [cells] = columns
    yield "~".join(["", cells.name, *np.array(cells.labels.to_pylist(), object)[cells.codes]]).encode()

TILDES = TableFormat(
    name="tildes", endings=("til",), recognize=lambda head: head.startswith(b"~"), sniff=lambda look: Sniffed("tildes"),
    read=_read, write=_write, media_type="text/tildes", suffix="til",
)
"""


@pytest.fixture
def one_more_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "tildes.py").write_text(NEW_FORMAT)
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(tmp_path)])
    table_formats.cache_clear()
    yield
    table_formats.cache_clear()


@pytest.mark.usefixtures("one_more_file")
def test_a_new_format_is_one_file():
    limits = limits_of()
    for metadata, name in (({"format": "tildes"}, None), ({}, "x.TIL.gz"), ({}, None)):
        assert sniff("table", metadata, name, b"~age~31~32", True, limits).format == "tildes"
    table = read_table([b"~age~31~32~31"], "tildes", {}, limits)
    assert (table.names, table.n, list(table.columns[0].values)) == (["age"], 3, ["31", "32"])

    class Column:
        name, type, codes, labels = "age", "integer", table.columns[0].codes, table.columns[0].values

    assert b"".join(render_table([Column()], "tildes")) == b"~age~31~32~31"
    assert all_formats()["tildes"].media_type == "text/tildes"
