"""Dependencies: only packages of the lock file run here, and nothing in a policy is executed."""

import ast
import importlib
import json
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from handbook.rooms import folder_of, packages

ROOT = Path(__file__).resolve().parents[2]
OURS = {"antifaz", "antifaz-client", "antifaz-verifier", "pip", "setuptools", "uv", "wheel"}


def locked() -> dict[str, str]:
    """Name and version of every package in the full lock file."""
    lines = re.findall(r"^([A-Za-z0-9].*?) *\\$", (ROOT / "requirements.lock").read_text(), flags=re.MULTILINE)
    listed = [Requirement(line) for line in lines]
    here = [each for each in listed if each.marker is None or each.marker.evaluate()]
    return {canonicalize_name(each.name): str(each.specifier).removeprefix("==") for each in here}


def test_every_package_that_is_imported_here_is_locked_at_its_version() -> None:
    """The lock file lists all components of the service: nothing else may be loaded."""
    versions, providers = locked(), metadata.packages_distributions()
    for module in ("service.app", "workers.process.tasks"):
        importlib.import_module(module)
    loaded = {name.partition(".")[0] for name in sys.modules}
    found = {provider for name in loaded for provider in providers.get(name, ())}
    foreign = {canonicalize_name(name) for name in found} - OURS
    assert {"fastapi", "numpy", "celery"} <= foreign
    assert {name: metadata.version(name) for name in foreign} == {name: versions.get(name) for name in foreign}


def property_names(node: Any) -> set[str]:
    if isinstance(node, list):
        return set().union(*(property_names(item) for item in node))
    if not isinstance(node, dict):
        return set()
    mine = set(node["properties"]) if isinstance(node.get("properties"), dict) else set()
    return mine.union(*(property_names(item) for item in node.values()))


def test_no_policy_or_hierarchy_holds_a_regular_expression_or_a_program() -> None:
    """No code accepts a hostile pattern."""
    document = json.loads((ROOT / "api_schemas" / "openapi.json").read_text())
    names = property_names(document)
    assert {"guarantees", "hierarchy", "character"} <= names
    assert [
        name for name in names if re.search(r"regex|pattern|expression|(?<!de)script|code|formula|lambda", name)
    ] == []


@pytest.mark.parametrize("package", packages())
def test_no_function_takes_its_pattern_from_a_caller(package: str) -> None:
    """Input may be matched against a pattern; it is never used as one."""
    offenders = []
    for file in sorted(folder_of(package).rglob("*.py")):
        for function in ast.walk(ast.parse(file.read_text())):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                offenders += [f"{file.relative_to(ROOT)}:{line}" for line in patterns_from_outside(function)]
    assert offenders == []


def patterns_from_outside(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[int]:
    """Lines that pass a parameter to a function of the module re as its pattern."""
    given = {each.arg for each in [*function.args.args, *function.args.kwonlyargs, *function.args.posonlyargs]}
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call) and ast.unparse(node.func) in USES]
    return [
        node.lineno
        for node in calls
        if given & {part.id for part in ast.walk(node.args[0]) if isinstance(part, ast.Name)}
    ]


USES = {f"re.{name}" for name in ("compile", "match", "fullmatch", "search", "findall", "finditer", "sub", "split")}


def test_a_pattern_from_outside_would_be_noticed() -> None:
    function = ast.parse("def check(pattern, text):\n    return re.search(f'^{pattern}$', text)").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert patterns_from_outside(function) == [2]
