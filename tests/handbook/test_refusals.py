"""Codes of refusals: what the code can say is declared, what is declared is said, and the page explains all of it."""

import ast
import re
from collections.abc import Iterator

import pytest

from antifaz import catalogue
from antifaz.errors import DATA_RULES, REASONS
from antifaz.policy.model import Gate
from formats.core.rules import RULES
from handbook.pages import ROOT
from handbook.refusals_page import refusals
from handbook.rooms import folder_of, packages
from publication import outcomes
from service.documentation.markdown import document
from service.documentation.sources import sources
from service.http.problem_kinds import KINDS
from workers.run import problems

ALL_REASONS = REASONS | outcomes.REASONS | problems.REASONS
GUARANTEES = {part.wire_name() for part in catalogue.parts("guarantees")}
LIMITS = set(Gate.model_fields)

TABLES = {
    "requests": set(KINDS),
    "files": set(RULES),
    "data": set(DATA_RULES),
    "reasons": set(ALL_REASONS),
    "jobs": set(problems.FAILURES),
}
TAKERS = {
    "Problem": "requests",
    "invalid": "requests",
    "Fault": "files",
    "BadJson": "files",
    "InvalidDataset": "data",
    "Finding": "data",
    "Reason": "reasons",
    "TooLarge": "jobs",
    "_failure": "jobs",
    "problem": "jobs",
}
"""Whoever takes a code as its first argument, and the table of the codes that it takes."""
OTHERS = {"reasons": GUARANTEES | LIMITS, "files": {"depth", "syntax"}}
"""Codes beside those of a table: parts of policies, and rules of JSON that get another name in a file."""

OTHERS_WITH_THESE_NAMES = {"verifier", "antifaz_client"}
"""Packages with a Finding or a Problem of their own."""

OF_A_GUARANTEE: set[str] = set()
PASSED_ON: set[str] = set()
COMPUTED = {
    # A code that is passed on, or chosen before the call.
    ("service/http/problems.py", "kind"): {
        "invalid-policy", "invalid-hierarchy", "too-large", "unsupported-media-type", "invalid-file", "not-found",
        "method-not-allowed", "invalid-request", "internal-error",
    },
    ("service/policies/hierarchy_reader.py", "said['problem']"): {"invalid-hierarchy"},
    ("formats/tables/jsonl.py", "rule"): {"duplicate_key", "number_range", "not_a_number"},
    ("formats/core/faults.py", "_JSON_RULES.get(error.rule, error.rule)"): {"json_depth", "malformed_json"},
    ("antifaz/tables/reading/attributes.py", "rule"): {"type_mismatch", "ambiguous_dates"},
    ("antifaz/columns/lint.py", "finding.rule"): {"free_text", "as_it_is"},
    ("publication/library/datasets.py", "fault.rule"): PASSED_ON,
    ("workers/run/sources.py", "fault.rule"): PASSED_ON,
    ("antifaz/temporal/each_snapshot.py", "r.rule"): PASSED_ON,
    ("antifaz/assessment.py", "rule"): LIMITS,
    ("antifaz/graphs/targets.py", "rule"): OF_A_GUARANTEE,
    ("antifaz/tables/masking/masking.py", "guarantee.wire_name()"): OF_A_GUARANTEE,
    ("antifaz/temporal/methods/temporal_k_degree.py", "_TARGETS[self.target]"): OF_A_GUARANTEE,
    ("publication/library/release.py", "f'guarantee:{finding.model}'"): OF_A_GUARANTEE,
    ("workers/pipeline/pipeline.py", "f'guarantee:{finding.model}'"): OF_A_GUARANTEE,
    ("publication/outcomes.py", "_RULES[finding.model]"): {"no_guarantee", "naive"},
    ("workers/run/problems.py", "error.rule"): {"known_file", "release_size", "release_quota"},
    ("workers/run/problems.py", "rule"): PASSED_ON,
}  # fmt: skip
"""Module and expression → the codes that it can be."""


def stated() -> Iterator[tuple[str, str, ast.expr]]:
    """Module, table and expression of every code in the product."""
    for package in set(packages()) - OTHERS_WITH_THESE_NAMES:
        for file in sorted(folder_of(package).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TAKERS:
                    for code in node.args[:1]:
                        yield str(file.relative_to(ROOT)), TAKERS[node.func.id], code


STATED = list(stated())


def test_every_code_that_is_written_is_declared() -> None:
    written = {(table, code.value) for _, table, code in STATED if isinstance(code, ast.Constant)}
    assert {(table, code) for table, code in written if code not in TABLES[table] | OTHERS.get(table, set())} == set()


def test_every_code_that_is_computed_is_known_here() -> None:
    computed = {(module, ast.unparse(code)) for module, _, code in STATED if not isinstance(code, ast.Constant)}
    assert computed == set(COMPUTED)


@pytest.mark.parametrize("table", TABLES)
def test_every_declared_code_is_used(table: str) -> None:
    used = {code.value for _, its, code in STATED if its == table and isinstance(code, ast.Constant)}
    for module, its, code in STATED:
        if its == table and not isinstance(code, ast.Constant):
            used |= COMPUTED[module, ast.unparse(code)]
    assert TABLES[table] - used == set()


@pytest.mark.parametrize("section", refusals())
def test_every_refusal_says_what_it_means_and_what_to_do(section: str) -> None:
    for refusal in refusals()[section]:
        assert re.fullmatch(r"[a-z0-9_-]+", refusal.code)
        assert refusal.title, refusal
        assert not refusal.title.endswith("."), refusal
        assert refusal.meaning.endswith("."), refusal
        assert refusal.remedy.endswith((".", ").")), refusal


def test_every_code_is_an_anchor_of_its_own_page() -> None:
    shown = document(sources()["/docs/reference/refusals"])
    anchors = set(re.findall(r'<h3 id="([^"]+)"', shown.html))
    assert anchors == {refusal.code for section in refusals().values() for refusal in section}
