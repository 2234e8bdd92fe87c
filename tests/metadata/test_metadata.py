"""Metadata as a pure function: the output of each profile for releases of every kind, without a server."""

import csv
import io
import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from formats.core.cells import Cells
from formats.tables.csv_writer import CsvStyle, render_csv
from metadata.facts import Facts, facts_of, slug
from metadata.profiles import PROFILES, rendered
from metadata.signposting import page_data
from metadata.words import license_url, promise
from tests.service.samples import ABOUT, KEPT, described

BASE = "https://data.example"
MECHANISM = KEPT | {
    "model": "edge_local_dp",
    "achieved": {"epsilon": 2.0},
    "evidence": "mechanism",
    "assumes": "nothing",
}


def release(kind: str = "table", artifacts: Any = (("csv", "table"),), **changes: Any) -> dict[str, Any]:
    about = {
        "id": "r1",
        "job_id": "j1",
        "name": "A name",
        "kind": kind,
        "shape": {"rows": 50, "columns": [{"name": "age", "type": "text"}]},
        "guarantees": [KEPT],
        "dictionary": [described("age")],
        "created_at": "2026-01-02T03:04:05.678Z",
    }
    files = [{"format": form, "part": part, "sha256": "ab" * 32, "bytes": 7} for form, part in artifacts]
    return {**about, "artifacts": files, **changes}


def facts(card: dict[str, Any] | None = None, **changes: Any) -> Facts:
    made = release(**changes)
    return facts_of(made, ABOUT if card is None else card, BASE, made["created_at"], "default")


def graph(**changes: Any) -> Facts:
    shape = {"nodes": 4, "edges": 3, "directed": True, "columns": [{"name": "age", "type": "text"}]}
    files = (("csv", "nodes"), ("edgelist", "graph"), ("graphml", "graph"))
    both = [described("age"), described("weight", type="decimal", meaning="a number")]
    return facts(**{"kind": "graph", "artifacts": files, "shape": shape, "dictionary": both, **changes})


def test_edges_refer_to_nodes_and_have_their_own_columns():
    package = json.loads(rendered("datapackage", graph(), "application/json"))
    nodes, edges, drawing = package["resources"]
    assert [field["name"] for field in nodes["schema"]["fields"]] == ["node", "age"]
    assert [field["name"] for field in edges["schema"]["fields"]] == ["source", "target", "weight"]
    assert [field["type"] for field in edges["schema"]["fields"]] == ["integer", "integer", "number"]
    reference = {"resource": "nodes-csv", "fields": ["node"]}
    assert edges["schema"]["foreignKeys"] == [{"fields": [end], "reference": reference} for end in ("source", "target")]
    assert "schema" not in drawing
    fields = json.loads(rendered("croissant", graph(), "application/ld+json"))["recordSet"][1]["field"]
    assert fields[0]["references"] == {"field": {"@id": "nodes/node"}}


def test_croissant_joins_one_step_and_no_chain():
    """The edges of a sample refer to its nodes, which refer to their supernodes: readers cannot follow both."""
    files = (("csv", "nodes"), ("edgelist", "graph"), ("csv", "sample_1_nodes"), ("edgelist", "sample_1"))
    made = graph(artifacts=files)
    sets = {each["name"]: each for each in json.loads(rendered("croissant", made, "application/ld+json"))["recordSet"]}
    assert sets["sample_1_nodes"]["field"][1]["references"] == {"field": {"@id": "nodes/node"}}
    assert not any("references" in field for field in sets["sample_1"]["field"])
    package = json.loads(rendered("datapackage", made, "application/json"))
    assert package["resources"][3]["schema"]["foreignKeys"], "there the chain is stated"


def test_croissant_names_fields_of_any_script_with_plain_letters():
    names = [
        "age",
        "Fin e",
        "Año de nac.",
        "Возраст лет",
        "ηλικία",
        "年齢",
        "Fin_e",
        "fin  e!",
        "Fin/e",
        "column_4",
        "%",
    ]
    made = facts(
        dictionary=[described(name) for name in names],
        shape={"rows": 50, "columns": [{"name": name, "type": "text"} for name in names]},
    )
    fields = json.loads(rendered("croissant", made, "application/ld+json"))["recordSet"][0]["field"]
    assert [field["@id"].removeprefix("table/") for field in fields] == [
        *("age", "Fin_e_2", "Ano_de_nac", "column_4_4", "column_5", "column_6", "Fin_e", "fin_e", "Fin_e_9"),
        *("column_4", "column_11"),
    ]  # fmt: skip
    assert all(field["name"] == field["@id"] for field in fields)
    assert [field["source"]["extract"]["column"] for field in fields] == names


def test_a_graph_without_edges_has_no_columns_of_edges():
    empty = graph(shape={"nodes": 4, "edges": 0, "directed": False, "columns": [{"name": "age", "type": "text"}]})
    assert [column.name for column in empty.files[1].columns] == ["source", "target"]


def test_a_header_that_a_spreadsheet_would_run_is_named_as_the_file_has_it():
    made = facts(dictionary=[described("=1+1")])
    assert made.files[0].header(made.files[0].columns[0]) == "'=1+1"


def test_syntactic_guarantees_are_never_called_anonymization():
    for profile, about in PROFILES.items():
        said = rendered(profile, facts(), about.media_types[0]).decode()
        assert "Anonymi" not in said
    assert "dpv:Deidentification" in rendered("dcat-ap", facts(), "text/turtle").decode()


def test_differential_privacy_is_said_to_be_one_of_the_mechanism():
    said = rendered("dcat-ap", facts(guarantees=[MECHANISM]), "text/turtle").decode()
    assert "dpv:DifferentialPrivacy" in said
    assert "dpv:Deidentification ;" not in said
    assert "verified by its mechanism" in promise(facts(guarantees=[MECHANISM]))


def test_a_pseudonym_is_said_to_be_one():
    said = rendered("dcat-ap", facts(dictionary=[described("who", role="identifier")]), "text/turtle").decode()
    assert "dpv:Pseudonymisation" in said


def test_what_does_not_hold_is_not_promised():
    broken = facts(guarantees=[KEPT | {"holds": False}])
    assert "No guarantee was verified" in promise(broken)
    assert "dqv:QualityMeasurement" not in rendered("dcat-ap", facts(guarantees=[], shape={}), "text/turtle").decode()


def test_a_card_with_nothing_on_it_still_makes_valid_documents():
    for profile, about in PROFILES.items():
        said = rendered(profile, facts(card={}), about.media_types[0]).decode()
        assert "A name" in said
        assert "None" not in said
        assert "null" not in said


@pytest.mark.parametrize(
    ("license_id", "address"),
    [
        ("CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/"),
        ("OGL-UK-3.0", "https://spdx.org/licenses/OGL-UK-3.0.html"),
        ("LicenseRef-ours", f"{BASE}/releases/r1#terms"),
    ],
)
def test_every_license_has_an_address(license_id, address):
    assert license_url(facts(card=ABOUT | {"license": license_id})) == address


def test_words_cannot_leave_their_place_in_any_notation():
    nasty = 'a" ; <x> . \\ \n & ]]> </dc:title> é'
    card = ABOUT | {"title": nasty, "description": nasty * 5, "keywords": [nasty]}
    for profile, about in PROFILES.items():
        for media_type in about.media_types:
            said = rendered(profile, facts(card=card), media_type).decode()
            if media_type == "text/turtle":
                assert '\\" ; <x>' in said
                assert said.count("\n") < 200
            elif media_type.endswith("json"):
                json.loads(said)
            else:
                assert "</dc:title> é" not in said


def test_a_doi_is_what_citations_give():
    with_doi = facts(card=ABOUT | {"doi": "10.1234/abc"})
    assert page_data(with_doi)["@id"] == "https://doi.org/10.1234/abc"
    assert json.loads(rendered("datacite", with_doi, "application/json"))["doi"] == "10.1234/abc"
    assert page_data(facts())["@id"] == f"{BASE}/releases/r1"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Pacientes de aquí", "pacientes-de-aqui"),
        ("../../etc/passwd", "etc-passwd"),
        ("日本", "release"),
        ("x" * 99, "x" * 60),
    ],
)
def test_a_file_name_says_the_dataset_and_nothing_that_a_system_could_not_hold(name, expected):
    assert slug(name) == expected


STYLES = [
    {"delimiter": ";", "decimal": ",", "bom": True},
    {"delimiter": "\t", "decimal": ".", "bom": False},
    {"delimiter": ",", "decimal": ".", "bom": False},
]


@pytest.mark.parametrize("style", STYLES)
def test_who_reads_as_the_data_package_says_gets_the_values(style: dict[str, Any]):
    columns = [
        Cells("weight", np.arange(3, dtype=np.int32), pa.array(["70.5", "8", "61.25"], pa.large_string()), None, True),
        Cells("town", np.arange(3, dtype=np.int32), pa.array(["a;b", "c,d", 'e"f'], pa.large_string()), None, False),
    ]
    content = b"".join(render_csv(columns, CsvStyle(**style)))
    shape = {"rows": 3, "columns": [], "csv": style}
    dictionary = [described("weight", type="decimal"), described("town")]
    package = json.loads(rendered("datapackage", facts(shape=shape, dictionary=dictionary), "application/json"))
    (resource,) = package["resources"]
    dialect, (weight, _) = resource.get("dialect", {}), resource["schema"]["fields"]
    text = content.decode(resource["encoding"]).removeprefix("\ufeff")
    quoting = {"quotechar": dialect.get("quoteChar", '"'), "doublequote": dialect.get("doubleQuote", True)}
    header, *rows = csv.reader(io.StringIO(text), delimiter=dialect.get("delimiter", ","), **quoting)
    assert header == ["weight", "town"]
    numbers = [float(row[0].replace(weight.get("decimalChar", "."), ".")) for row in rows]
    assert (numbers, [row[1] for row in rows]) == ([70.5, 8.0, 61.25], ["a;b", "c,d", 'e"f'])
    assert ("byte order mark" in resource.get("description", "")) is style["bom"]
    assert ("dialect" in resource) is (style != STYLES[-1])


def test_profiles_without_a_place_for_dialects_say_it_in_words():
    made = facts(shape={"rows": 3, "columns": [], "csv": STYLES[0]})
    for name in ("croissant", "schema-org", "dcat-ap", "dcat-us"):
        assert b"separated by semicolons" in rendered(name, made, "application/ld+json"), name
