"""Hostile policies and hierarchies: refused with a problem, whatever they contain, in bounded time and memory.

Also our own regular expressions: input is matched against them, so none may be slow on any text.
"""

import ast
import gc
import importlib
import json
import pkgutil
import re
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from handbook.rooms import packages
from tests.service.samples import table_policy

ROOT = Path(__file__).resolve().parents[2]
JSON = {"Content-Type": "application/json"}


def body(policy: str) -> str:
    return f'{{"policy": {policy}}}'


def policy(**changes: Any) -> str:
    return json.dumps(table_policy(**changes))


def with_k(number: str) -> str:
    return policy(guarantees=[{"model": "k_anonymity", "k": "NUMBER"}]).replace('"NUMBER"', number)


HOSTILE = {
    "a hundred thousand brackets": "[" * 100_000,
    "a hundred thousand objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "a k of a million digits": with_k("9" * 1_000_000),
    "a k beyond every number": with_k("1e999999"),
    "a k that is not a number": with_k("NaN"),
    "a k below nothing": with_k("-1e308"),
    "a k in a fraction": with_k("2.0000000001"),
    "a k as text": with_k('"2"'),
    "a k as truth": with_k("true"),
    "a policy with two methods": policy().replace('"method"', '"method": {"name": "datafly"}, "method"'),
    "lonely surrogates": policy(attributes={"SURROGATE": {"role": "identifier"}}).replace("SURROGATE", "\\ud800"),
    "a NUL in a name": policy(attributes={"a\x00b": {"role": "identifier"}}),
    "names of prototypes": policy(attributes={"__proto__": {"role": "owner"}, "constructor": {"role": []}}),
    "a pattern that never ends": policy(
        attributes={"zip": {"role": "quasi_identifier", "hierarchy": {"kind": "mask", "pattern": "(a+)+$"}}}
    ),
    "an interval without width": policy(
        attributes={"age": {"role": "quasi_identifier", "hierarchy": {"kind": "intervals", "width": 0, "bounds": []}}}
    ),
    "a seed": policy(seed=1),
    "a program": policy(method={"name": "__import__('os').system('true')"}),
    "nothing": "null",
}


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("path", ["/v1/policies/validate", "/v1/policies"])
def test_a_hostile_policy_is_a_4xx_that_does_not_repeat_it(api: Any, case: str, path: str) -> None:
    content = body(HOSTILE[case]).replace(
        '{"policy"', '{"name": "x", "policy"' if path == "/v1/policies" else '{"policy"'
    )
    began = time.process_time()
    answer = api.client().post(path, content=content.encode(), headers=JSON)
    assert 400 <= answer.status_code < 500, answer.text[:300]
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert len(answer.content) < 20_000
    assert "os').system" not in answer.text
    assert time.process_time() - began < 20  # of this process, which also runs the service


def test_many_attributes_and_guarantees_are_bounded(api: Any) -> None:
    for changes in (
        {"attributes": {f"c{number}": {"role": "quasi_identifier"} for number in range(200_000)}},
        {"guarantees": [{"model": "k_anonymity", "k": 2}] * 100_000},
        {"waivers": [{"rule": "naive", "reason": "x" * 1000}] * 10_000},
    ):
        answer = api.client().post("/v1/policies/validate", content=body(policy(**changes)).encode(), headers=JSON)
        assert answer.status_code in (413, 422), answer.text[:300]
        assert len(answer.content) < 200_000


RUN_ON_IMPORT = {"__main__", "env"}
"""Modules that do their work when they are imported: commands, and what Alembic runs."""
LENGTH = 12_000
ALPHABETS = (
    "a",
    "0",
    " ",
    '"',
    "\\",
    "-",
    ".",
    ",",
    "_",
    "[",
    "é",
    "0.",
    "1e",
    'a"',
    "a ",
    "\t ",
    "\n",
    "a-",
    "&a;",
    "<a>",
)


def modules() -> list[ModuleType]:
    found = []
    for package in packages():
        root = importlib.import_module(package)
        found.append(root)
        names = [info.name for info in pkgutil.walk_packages(root.__path__, package + ".")]
        found += [importlib.import_module(name) for name in names if name.rpartition(".")[2] not in RUN_ON_IMPORT]
    return found


VERBS = ("compile", "match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split")
MADE_ON_THE_WAY = {"antifaz/columns/names.py", "verifier/readers/tables.py", "handbook/pages.py", "handbook/rooms.py"}
"""Files that build patterns at run time, each from a few fixed pieces."""


def patterns() -> dict[str, "re.Pattern[Any]"]:
    """Every regular expression of our modules, at module level or in a function."""
    kept = {
        f"{module.__name__}.{name}": value
        for module in modules()
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern)
    }
    for module in modules():
        kept |= {f"{module.__name__}:{line}": each for line, each in written(source_of(module)) if each}
    return kept


def source_of(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text()


def written(source: str) -> list[tuple[int, "re.Pattern[Any] | None"]]:
    """Line and pattern of every call of the module re in a function; no pattern if it is built there."""
    functions = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    calls = {node for function in functions for node in ast.walk(function) if isinstance(node, ast.Call)}
    asked = [call for call in calls if ast.unparse(call.func) in {f"re.{verb}" for verb in VERBS} and call.args]
    return [(call.lineno, compiled(call)) for call in sorted(asked, key=lambda call: call.lineno)]


def compiled(call: ast.Call) -> "re.Pattern[Any] | None":
    pattern = call.args[0]
    return re.compile(pattern.value) if isinstance(pattern, ast.Constant) else None


def slowest(pattern: "re.Pattern[Any]", length: int = LENGTH) -> float:
    """CPU seconds for its slowest text."""
    worst = 0.0
    for letters in ALPHABETS:
        for end in ("", "!", "\x00"):
            text: Any = letters * (length // len(letters)) + end
            text = text.encode() if isinstance(pattern.pattern, bytes) else text
            began = time.process_time()
            pattern.match(text)
            pattern.fullmatch(text)
            worst = max(worst, time.process_time() - began)
    return worst


def test_no_pattern_of_ours_takes_long_over_any_text() -> None:
    found = patterns()
    assert len(found) > 10
    assert any(":" in name for name in found)
    gc.collect()
    assert {name: seconds for name, each in found.items() if (seconds := slowest(each)) > 1.0} == {}


def test_a_pattern_in_a_function_can_be_read_where_it_stands() -> None:
    unread = {
        str(Path(str(module.__file__)).relative_to(ROOT))
        for module in modules()
        if any(each is None for _, each in written(source_of(module)))
    }
    assert unread == MADE_ON_THE_WAY


def test_a_pattern_that_takes_long_would_be_noticed_in_a_function_too() -> None:
    [(line, inner)] = written('def check(text):\n    if text:\n        return re.search(r"(?:a|a)+$", text)\n')
    assert line == 3
    for pattern in (re.compile(r"(?:a|a)+$"), inner):
        assert pattern is not None
        assert slowest(pattern, 21) > 0.05  # and doubles with every further letter
