"""The OpenAPI document of an application, made from its routes."""

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from api_schemas.data.datasets import UploadMetadata
from api_schemas.data.hierarchies import HierarchyRequest
from api_schemas.policy import REF_TEMPLATE, policy_components, with_references
from api_schemas.problem import Problem
from service.access.permissions import OPEN, PUBLIC_LISTS, PUBLIC_RELEASES
from service.documentation.examples import BODIES

DESCRIPTION = (
    "Publish tables and graphs about people without exposing them: dataset and policy become a job, "
    "the job a verified release or a refusal. Errors are RFC 9457 problems and never repeat a value."
)
_EXTRA_MODELS: tuple[type[BaseModel], ...] = (Problem, UploadMetadata, HierarchyRequest)


def software_version() -> str:
    """The version of this program."""
    try:
        return version("antifaz")
    except PackageNotFoundError:
        return "0.1.0"


def describe(app: FastAPI) -> dict[str, Any]:
    """The document of an application, built once."""
    if app.openapi_schema is None:
        app.openapi_schema = _build_document(app)
    return app.openapi_schema


def _build_document(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title=app.title, version="1", description=DESCRIPTION, routes=app.routes, separate_input_output_schemas=False
    )
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for model in _EXTRA_MODELS:
        schemas |= _model_components(model)
    schemas |= policy_components()
    components["schemas"] = dict(sorted(schemas.items()))
    document["paths"] = dict(sorted(document["paths"].items()))
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for methods in document["paths"].values():
        for operation in methods.values():
            operation["security"] = _security(operation["operationId"])
            _exemplify(operation)
            for response in operation["responses"].values():
                _demote_assumed_json(response.get("content", {}))
    referring: dict[str, Any] = with_references(document)
    return referring


def _exemplify(operation: dict[str, Any]) -> None:
    """Add the example of a request to its schema."""
    example = BODIES.get(operation["operationId"])
    content = operation.get("requestBody", {}).get("content", {})
    if example is not None:
        next(iter(content.values())).setdefault("example", example)


def _demote_assumed_json(content: dict[str, Any]) -> None:
    """FastAPI declares JSON first for every response; generated clients would parse the bytes of a file as JSON."""
    declared = content.get("application/json", {}).get("schema")
    if len(content) > 1 and (declared == {} or (declared or {}).get("format") == "binary"):
        last = content.pop("application/json")
        content |= {"application/json": last} if declared else {}


def _model_components(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema(ref_template=REF_TEMPLATE)
    components: dict[str, Any] = schema.pop("$defs", {})
    return components | {model.__name__: schema}


def _security(operation_id: str) -> list[dict[str, list[str]]]:
    if operation_id in OPEN:
        return []
    return [{"token": []}, {}] if operation_id in PUBLIC_RELEASES | PUBLIC_LISTS else [{"token": []}]
