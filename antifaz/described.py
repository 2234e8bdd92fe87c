"""Described: models whose fields are documented by the docstrings below them.

Pydantic can read these docstrings when it creates a class. It then searches the frames of all callers for the class and
parses its source, for each of three hundred classes in every process that starts, although few processes ever build a
schema. Here the source of a module is parsed once, when the first schema of one of its classes is built.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

Texts = dict[str, str]
"""The docstring of every field that has one."""


class Described(BaseModel):
    """A model whose schema describes each field by the docstring below it, unless the field states a description."""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        made = handler(schema)
        properties = handler.resolve_ref_schema(made).get("properties", {})
        for name, text in field_texts(cls).items():
            field = cls.model_fields[name]
            key = field.alias or name
            if key in properties and field.description is None:
                properties[key]["description"] = text
        return made


_STRICT = ("int", "float", "decimal", "bool")


def _make_numbers_strict(schema: Any) -> None:
    if isinstance(schema, dict):
        if schema.get("type") in _STRICT:
            schema["strict"] = True
        for each in schema.values():
            _make_numbers_strict(each)
    elif isinstance(schema, list | tuple):
        for each in schema:
            _make_numbers_strict(each)


class WithStrictNumbers(Described):
    """A model in whose JSON a number is a number and a boolean a boolean: nothing in place of one is converted.

    A cost of ``true`` would otherwise be charged as 1, and a question with an accuracy of ``"no"`` would be charged.
    Strictness of a whole model would also refuse lists for tuples.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[BaseModel], handler: GetCoreSchemaHandler) -> CoreSchema:
        made = handler(source)
        _make_numbers_strict(made)
        return made


def field_texts(model: type[BaseModel]) -> Texts:
    """Return the field docstrings of a model; a subclass overrides its parents."""
    found = {}
    for name in model.model_fields:
        for owner in model.__mro__:
            if name in inspect.get_annotations(owner):
                found[name] = texts_of_module(owner.__module__).get(owner.__qualname__, {}).get(name)
                break
    return {name: text for name, text in found.items() if text is not None}


@cache
def texts_of_module(name: str) -> dict[str, Texts]:
    """Return the field docstrings of every class of a module, by the qualified name of the class."""
    try:
        source = inspect.getsource(sys.modules[name])
    except (KeyError, OSError, TypeError):  # A class defined interactively or at run time has no source.
        return {}
    return dict(_classes(ast.parse(source), ""))


def _classes(scope: ast.AST, prefix: str) -> Iterator[tuple[str, Texts]]:
    for statement in ast.iter_child_nodes(scope):
        if isinstance(statement, ast.ClassDef):
            yield prefix + statement.name, dict(_texts(statement.body))
            yield from _classes(statement, f"{prefix}{statement.name}.")
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _classes(statement, f"{prefix}{statement.name}.<locals>.")
        elif isinstance(statement, ast.stmt):
            yield from _classes(statement, prefix)


def _texts(statements: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for pair in pairwise(statements):
        match pair:
            case (ast.AnnAssign(target=ast.Name(id=field)), ast.Expr(value=ast.Constant(value=str(text)))):
                yield field, inspect.cleandoc(text)
