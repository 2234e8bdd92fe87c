"""The committed OpenAPI document."""

import json
import re

from api_schemas.problem import MEDIA_TYPE
from service import openapi
from service.access.permissions import OPEN, PAGES, PERMISSIONS
from tests.schemas import fixes_chance


def operations() -> list[dict]:
    document = json.loads(openapi.COMMITTED.read_text(encoding="utf-8"))
    return [operation for methods in document["paths"].values() for operation in methods.values()]


def test_the_committed_document_is_that_of_the_routes():
    assert openapi.main(["--check"]) == 0, "run python -m service.openapi --write"


def test_every_permission_is_an_operation_and_every_operation_has_a_permission():
    assert {operation["operationId"] for operation in operations()} == (OPEN | set(PERMISSIONS)) - PAGES


def test_every_error_is_a_problem():
    for operation in operations():
        errors = {status: answer for status, answer in operation["responses"].items() if status >= "400"}
        assert "500" in errors
        for answer in errors.values():
            assert list(answer["content"]) == [MEDIA_TYPE]


def test_every_reference_is_defined_and_nothing_is_called_a_seed():
    text = openapi.COMMITTED.read_text(encoding="utf-8")
    defined = set(json.loads(text)["components"]["schemas"])
    assert set(re.findall(r'"#/components/schemas/([^"]+)"', text)) <= defined
    assert fixes_chance(json.loads(text)) == []


def test_the_multipart_form_is_documented():
    upload = next(operation for operation in operations() if operation["operationId"] == "create_dataset")
    form = upload["requestBody"]["content"]["multipart/form-data"]["schema"]
    # Generated clients send the parts in the order of the document, and the metadata must come first.
    assert list(form["properties"]) == ["metadata", "policy", "nodes", "file"]
    assert set(form["required"]) == {"metadata", "file"}


def test_what_is_not_json_is_not_described_as_if_it_were():
    """Readers take the schema of a stream for that of one event, and whatever is sent as text is a text."""
    found = {operation["operationId"]: operation for operation in operations()}
    assert found["watch_job"]["responses"]["200"]["content"] == {"text/event-stream": {}}
    assert "type" not in found["create_hierarchy"]["requestBody"]["content"]["text/csv"]["schema"]


def test_bytes_and_pages_are_declared_before_json_or_without_it():
    """A generated client reads an answer as what is declared first."""
    found = {operation["operationId"]: operation for operation in operations()}
    assert next(iter(found["get_release_data"]["responses"]["200"]["content"])) == "application/octet-stream"
    for page in ("get_release_report_page", "get_job_report_page", "get_comparison_page", "get_comparison_plot"):
        assert "application/json" not in found[page]["responses"]["200"]["content"]


def test_every_discriminator_names_a_member_that_its_schemas_require_and_fix():
    schemas = json.loads(openapi.COMMITTED.read_text(encoding="utf-8"))["components"]["schemas"]
    unions = [union for schema in schemas.values() for union in discriminated(schema)]
    assert len(unions) >= 8
    for union in unions:
        tag, mapping = union["discriminator"]["propertyName"], union["discriminator"]["mapping"]
        assert {member["$ref"] for member in union["oneOf"]} == set(mapping.values())
        for value, reference in mapping.items():
            schema = schemas[reference.rpartition("/")[2]]
            assert schema["properties"][tag]["const"] == value
            assert tag in schema["required"]


def discriminated(schema) -> list[dict]:
    members = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    own = [schema] if isinstance(schema, dict) and "discriminator" in schema else []
    return own + [union for member in members for union in discriminated(member)]


def test_no_schema_is_called_by_the_module_of_its_class_and_titles_are_the_names():
    schemas = json.loads(openapi.COMMITTED.read_text(encoding="utf-8"))["components"]["schemas"]
    assert [name for name in schemas if "__" in name] == []
    assert [name for name, schema in schemas.items() if schema.get("title", name) != name] == []
