"""Packages that add formats: found where files are read and nowhere else, and refused if they do not fit."""

import ast
import re
from pathlib import Path

import pytest

from formats.catalogue import graph_formats, table_formats
from formats.extending.extensions import formats_of_uploads
from tests.extensions import install_example, install_made_up, run

TILDES = """
from formats.core.format import Sniffed, TableFormat
from formats.core.raw import RawTable, encode_texts

def _read(chunks, details, limits):
    name, *cells = b"".join(chunks).decode().split("~")[1:]
    return RawTable([name], [encode_texts(name, cells, limits)], len(cells))

TILDES = TableFormat(name="tildes", endings=("til",), sniff=lambda look: Sniffed("tildes"), read=_read)
"""
NETWORK = """
import numpy as np
from formats.core.format import GraphFormat, Sniffed
from formats.core.raw import RawGraph

def _read(chunks, details, reading):
    return RawGraph(2, np.array([0]), np.array([1]), np.array(["a", "b"], object), None, 0, 0, False)

NETWORK = GraphFormat(name="network", endings=("net2",), sniff=lambda look: Sniffed("network"), read=_read)
"""
SNIFF = r"""
from formats.sniffing import sniff
from tests.formats.limits import limits_of
print([sniff(*case, b"~age\n31\n", True, limits_of()).format for case in {!r}])
"""
READ = """
from formats.reading import read_graph, read_table
from tests.formats.limits import limits_of
print({})
"""


def tildes(folder: Path, source: str = TILDES, name: str = "tildes", package: str = "tilde") -> Path:
    return install_made_up(folder, package, f"[antifaz.formats]\n{name} = {package}:TILDES\n", {package: source})


def test_without_packages_there_are_our_formats_alone():
    assert (formats_of_uploads("table"), formats_of_uploads("graph")) == ({}, {})


def test_a_file_is_given_to_a_format_of_a_package_by_its_name_or_by_the_metadata_alone(tmp_path):
    cases = [("table", {"format": "tildes"}, None), ("table", {}, "x.TIL.gz"), ("table", {}, "x.csv")]
    assert run(SNIFF.format(cases), tildes(tmp_path)).stdout == "['tildes', 'tildes', 'csv']\n"


def test_a_table_format_of_a_package_holds_no_graphs(tmp_path):
    done = run(SNIFF.format([("graph", {"format": "tildes"}, None)]), tildes(tmp_path))
    assert "the format does not fit this kind of dataset" in done.stderr


def test_tables_and_graphs_are_read_by_formats_of_packages(tmp_path):
    table = "read_table([b'~age~31~32'], 'tildes', {}, limits_of()).n"
    assert run(READ.format(table), tildes(tmp_path / "one")).stdout == "2\n"
    points = "[antifaz.formats]\nnetwork = network:NETWORK\n"
    network = install_made_up(tmp_path / "two", "network", points, {"network": NETWORK})
    graph = "read_graph([b'x'], 'network', {}, None, False, limits_of()).ids.tolist()"
    assert run(READ.format(graph), network).stdout == "['a', 'b']\n"


@pytest.mark.parametrize(
    ("name", "source", "reason"),
    [
        ("csv", TILDES.replace('"tildes", endings', '"csv", endings'), "has the name of another format, csv"),
        ("gml", TILDES.replace('"tildes", endings', '"gml", endings'), "has the name of another format, gml"),
        ("tildes", TILDES.replace('("til",)', '("til", "csv")'), "has file name endings of another format: csv"),
        ("tildes", TILDES.replace('("til",)', '("graphml",)'), "has file name endings of another format: graphml"),
        ("other", TILDES, "is called tildes, not other"),
        ("tildes", "TILDES = 7", "is no TableFormat or GraphFormat"),
        ("tildes", "import absent_module", "cannot be imported: No module named 'absent_module'"),
        ("tildes", TILDES.replace("TILDES =", "OTHER ="), "cannot be imported"),
        (
            "tildes",
            TILDES.replace("read=_read", "read=_read, write=lambda c: iter(())"),
            "is not complete: it must not",
        ),
    ],
)
def test_no_process_that_reads_files_starts_with_a_format_that_does_not_fit(tmp_path, name, source, reason):
    done = run("import formats.reading", tildes(tmp_path, source, name))
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1
    assert re.match(r"formats\.extending\.extensions\.UnfitFormat: tilde 0\.1: tilde:TILDES ", last)
    assert reason in last


@pytest.mark.parametrize("process", ["service.app", "workers.process.tasks"])
def test_the_api_and_the_workers_are_such_processes(tmp_path, process):
    done = run(f"import {process}", tildes(tmp_path, "TILDES = 7"))
    assert done.returncode == 1
    assert "UnfitFormat: tilde 0.1: tilde:TILDES is no TableFormat or GraphFormat" in done.stderr


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (TILDES, "has the name of another format, tildes"),
        (TILDES.replace('"tildes", endings', '"waves", endings'), "has file name endings of another format: til"),
    ],
)
def test_two_packages_cannot_add_one_format(tmp_path, source, reason):
    name = "waves" if "waves" in source else "tildes"
    both = tildes(tmp_path / "one", package="one"), tildes(tmp_path / "two", source, name, package="two")
    assert f"two 0.1: two:TILDES {reason}" in run("import formats.sniffing", *both).stderr


def test_of_a_package_that_is_installed_twice_the_first_on_the_path_counts(tmp_path):
    broken = tildes(tmp_path / "second", "import absent_module")
    assert run("import formats.reading", tildes(tmp_path / "first"), broken).returncode == 0


@pytest.mark.parametrize("process", ["courier.publications", "verifier.check, verifier.bundles", "metadata.profiles"])
def test_who_reads_no_uploads_imports_no_format_of_a_package(tmp_path, process):
    installed = install_example(tmp_path)
    done = run(f"import sys, {process}; print([n for n in sys.modules if n.startswith('antifaz_example')])", installed)
    assert done.stdout == "[]\n", done.stderr


def test_the_api_accepts_the_name_of_a_format_where_its_package_is_installed(tmp_path):
    code = "from api_schemas.data.datasets import UploadMetadata; print(UploadMetadata.model_json_schema())"
    [listed] = [
        option["enum"]
        for option in ast.literal_eval(run(code, tildes(tmp_path)).stdout)["properties"]["format"]["anyOf"]
        if "enum" in option
    ]
    assert listed == [*listed[:-1], "tildes"]
    assert set(listed[:-1]) == {*table_formats(), *graph_formats()}


def test_releases_are_never_written_in_a_format_of_a_package(tmp_path):
    code = """
from antifaz.policy.tables import TablePolicy
from formats.catalogue import all_formats
from formats.writing import render_table
print("tildes" in all_formats(), "tildes" in str(TablePolicy.model_json_schema()))
render_table([], "tildes")
"""
    done = run(code, tildes(tmp_path))
    assert done.stdout == "False False\n"
    assert "the format is not a table format" in done.stderr


def test_packages_with_formats_are_among_the_software_of_a_report(tmp_path):
    code = "from workers.run.report import software; print(software()['tilde'])"
    assert run(code, tildes(tmp_path)).stdout == "0.1\n"
