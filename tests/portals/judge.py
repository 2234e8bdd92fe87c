"""Third-party validators and readers judge our documents.

Run by the interpreter of their environment: reads a JSON list of cases from standard input, and writes for each whether
it passed, with the messages. A case names a judge and its input. All run in one process, because most of them take
longer to import than to run.
"""

import contextlib
import io
import json
import logging
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

Case = dict[str, Any]
NEEDS_THE_WEB = ("ro-crate-1.1_3.1", "ro-crate-1.1_3.2")
"""Checks of RO-Crate's that fetch the JSON-LD context: its compaction, and its address."""


def shacl(case: Case) -> None:
    """pyshacl: a graph has the shapes of a profile."""
    import pyshacl
    from rdflib import Graph

    graph = Graph().parse(case["document"], format=case["format"])
    shapes = Graph()
    for file in case["shapes"]:
        shapes.parse(file, format="turtle")
    conforms, _, words = pyshacl.validate(graph, shacl_graph=shapes, advanced=True, meta_shacl=False)
    if not conforms:
        raise AssertionError(words[:3000])


def same_graph(case: Case) -> None:
    """rdflib: both notations of a document say the same."""
    from rdflib import Graph
    from rdflib.compare import isomorphic

    one, other = Graph().parse(case["json_ld"], format="json-ld"), Graph().parse(case["turtle"], format="turtle")
    if not isomorphic(one, other):
        raise AssertionError(f"{len(one)} and {len(other)} triples")


def croissant(case: Case) -> None:
    """mlcroissant: valid, and every record set loads from the live service with the digests that it states."""
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=json.loads(Path(case["document"]).read_text()))
    faults = dataset.metadata.ctx.issues
    if faults.errors or faults.warnings:
        raise AssertionError(faults.report()[:3000])
    loaded = {each.name: sum(1 for _ in dataset.records(each.uuid)) for each in dataset.metadata.record_sets}
    if loaded != case["rows"]:
        raise AssertionError(f"loaded {loaded}, expected {case['rows']}")


def datapackage(case: Case) -> None:
    """The schema of the standard."""
    import jsonschema

    schema = json.loads(Path(case["schema"]).read_text())
    jsonschema.Draft7Validator(schema).validate(json.loads(Path(case["document"]).read_text()))


def frictionless(case: Case) -> None:
    """frictionless: every file that it can read over http has the bytes, digest, types and keys that are stated."""
    from frictionless import Package, system

    document = json.loads(Path(case["document"]).read_text())
    # It cannot read Parquet and others over http; those stay the business of the digests.
    document["resources"] = [each for each in document["resources"] if each.get("type") == "table"]
    with system.use_context(trusted=True):
        report = Package.from_descriptor(document).validate()
    if not report.valid:
        raise AssertionError(str(report.flatten(["title", "message"]))[:3000])


def ro_crate(case: Case) -> None:
    """roc-validator: everything that RO-Crate 1.1 requires, but for what only the web could tell.

    It fetches the context and, where there is no web, silently checks next to nothing. So the context is put into the
    document first, from a library that has it.
    """
    import rocrate
    from rocrate_validator import services

    context = json.loads((Path(rocrate.__file__).parent / "data" / "ro-crate.jsonld").read_text())
    document = json.loads(Path(case["document"]).read_text())
    if document["@context"] != context["@id"] or context["version"] != "1.1.0":
        raise AssertionError(f"the context is {document['@context']}")
    document["@context"] = context["@context"]
    settings = services.ValidationSettings(
        rocrate_uri="/",
        profile_identifier="ro-crate-1.1",
        skip_checks=list(NEEDS_THE_WEB),
        metadata_only=True,
        offline=True,
    )
    result = services.validate_metadata_as_dict(document, settings)
    if result.has_issues():
        raise AssertionError("; ".join(f"{issue.check.identifier}: {issue.message}" for issue in result.get_issues()))


def datacite(case: Case) -> None:
    """datacite: valid by the schema, and translated to XML."""
    from datacite import schema45

    document = json.loads(Path(case["document"]).read_text())
    schema45.validator.validate(document)
    schema45.tostring(document)


def signposting(case: Case) -> None:
    """signposting: a page leads to its items, its metadata, its author, its license and its citation."""
    from signposting import find_signposting_http

    found = find_signposting_http(case["address"])
    items = {str(each.target) for each in found.items}
    if items != set(case["items"]):
        raise AssertionError(f"items {sorted(items)}")
    if not found.describedBy or found.license is None or found.citeAs is None or not found.types:
        raise AssertionError("a link is missing")


def sickle(case: Case) -> None:
    """Sickle: the repository identifies itself, and its records are those that are public."""
    from sickle import Sickle

    harvester = Sickle(case["address"])
    if harvester.Identify().deletedRecord != "persistent":
        raise AssertionError("deletions are not kept")
    records = list(harvester.ListRecords(metadataPrefix="oai_dc"))
    _compare_records({each.header.identifier: each.header.deleted for each in records}, case)
    titles = {title for each in records if not each.header.deleted for title in each.metadata["title"]}
    if not set(case["titles"]) <= titles:
        raise AssertionError(f"titles {titles}")


def scythe(case: Case) -> None:
    """oaipmh-scythe: the same by another reader."""
    from oaipmh_scythe import Scythe

    with Scythe(case["address"]) as harvester:
        records = list(harvester.list_records(metadata_prefix="oai_dc"))
        formats = [each.metadataPrefix for each in harvester.list_metadata_formats()]
    _compare_records({each.header.identifier: each.header.deleted for each in records}, case)
    if formats != ["oai_dc"]:
        raise AssertionError(str(formats))


def _compare_records(found: dict[str, bool], case: Case) -> None:
    public = {identifier.rpartition(":")[2] for identifier, is_deleted in found.items() if not is_deleted}
    if public != set(case["public"]):
        raise AssertionError(f"records {sorted(public)}")


JUDGES: dict[str, Callable[[Case], None]] = {
    each.__name__: each
    for each in (
        *(shacl, same_graph, croissant, datapackage, frictionless, ro_crate, datacite),
        *(signposting, sickle, scythe),
    )
}


def judged(case: Case) -> dict[str, Any]:
    """Whether a case passed; a refusal and an error are both no."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            JUDGES[case["judge"]](case)
    except Exception as error:  # noqa: BLE001 - whatever a validator raises is its verdict
        place = "".join(traceback.format_exception(error)[-2:])
        return {"name": case["name"], "passed": False, "said": f"{type(error).__name__}: {error}\n{place}"[:4000]}
    return {"name": case["name"], "passed": True, "said": ""}


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    sys.stdout.write(json.dumps([judged(case) for case in json.load(sys.stdin)]))
