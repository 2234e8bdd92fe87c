"""Pages that are written from the code: docs/tables.md, docs/graphs.md, docs/temporal.md, docs/policy.md,
docs/refusals.md, lists of the README and the map of rooms."""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

from antifaz import catalogue
from antifaz.part import Part
from handbook.docstrings import markdown, source_of
from handbook.examples import example, variants, written
from handbook.policy_page import policy_page
from handbook.refusals_page import refusals_page
from handbook.rooms import with_layout, with_rooms
from service.documentation.schema_words import Schema, default_of, type_of

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
REFUSALS = ROOT / "docs" / "refusals.md"
_NOTE = "<!-- Written by `make docs` from {sources}. Change those, not this page. -->"
_TITLES = {
    "methods": "Methods",
    "guarantees": "Guarantees",
    "hierarchies": "Hierarchies",
    "risk": "Risks",
    "utility": "Utility measures",
    "attacks": "Attacks",
}
_EVIDENCE = {
    "bytes": "the released bytes",
    "bytes+sealed_map": "the released bytes and the sealed map",
    "mechanism": "the mechanism and its parameters; the bytes cannot show it",
}
_TAGS = ("name", "model", "kind")


def pages() -> dict[Path, str]:
    """Every generated page, by path."""
    return {
        ROOT / "docs" / "tables.md": _catalogue_page("table", "tables", list(_TITLES)),
        ROOT / "docs" / "graphs.md": _catalogue_page("graph", "graphs", [t for t in _TITLES if t != "hierarchies"]),
        ROOT / "docs" / "temporal.md": _catalogue_page(
            "temporal_graph", "temporal", [t for t in _TITLES if t != "hierarchies"]
        ),
        ROOT / "docs" / "policy.md": _page("policy", "`antifaz/policy`", policy_page()),
        REFUSALS: _page("refusals", "the tables of codes", refusals_page()),
        README: with_layout(readme(README.read_text(encoding="utf-8"))),
        ARCHITECTURE: with_rooms(ARCHITECTURE.read_text(encoding="utf-8")),
    }


def readme(text: str) -> str:
    """The README with its lists of methods and guarantees taken from the catalogue; the rest is written by hand."""
    for title, kind in (("Tables", "table"), ("Graphs", "graph")):
        lists = "; ".join(_listed(folder, kind) for folder in ("methods", "guarantees"))
        row = rf"^(\| \[{title}\]\(\S+\) \| )\d+ methods: .*?; \d+ guarantees: [^;|]*"
        text = re.sub(row, rf"\g<1>{lists}", text, count=1, flags=re.MULTILINE)
    return text


def _listed(folder: str, kind: str) -> str:
    names = [f"`{part.wire_name()}`" for part in parts_of(folder, kind)]
    return f"{len(names)} {folder}: {', '.join(names)}"


def parts_of(folder: str, kind: str) -> list[type[Part]]:
    """The parts on the page of a kind; guarantees of tables that also apply to nodes are listed with the tables."""
    return [part for part in catalogue.parts(folder, kind) if part.kinds[0] == kind]


def _catalogue_page(kind: str, name: str, folders: Iterable[str]) -> str:
    sections = [_section(folder, kind) for folder in folders if parts_of(folder, kind)]
    page = _page(name, "the files of `antifaz`", "\n\n".join(sections))
    return re.sub(r"\{\{(\w+)\}\}", lambda found: _marked(found[1], kind), page)


def _marked(folder: str, kind: str) -> str:
    """The names of all parts of a folder, to replace its name in double braces; parts that run by default have a *."""
    stars = folder in ("utility", "attacks")
    return ", ".join(
        f"`{part.wire_name()}`{'*' if stars and getattr(part, 'default', True) else ''}"
        for part in parts_of(folder, kind)
    )


def _page(name: str, sources: str, generated: str) -> str:
    introduction = ROOT / "docs" / "parts" / f"{name}.intro.md"
    note = _NOTE.format(sources=f"docs/parts/{introduction.name} and {sources}")
    return f"{note}\n\n{introduction.read_text(encoding='utf-8').strip()}\n\n{generated}\n"


def _section(folder: str, kind: str) -> str:
    parts = parts_of(folder, kind)
    heading = f"## {_TITLES[folder]}: all {len(parts)}"
    overview = [_attackers(parts)] if folder == "attacks" else []
    return "\n\n".join([heading, *overview, *(_entry(folder, kind, part) for part in parts)])


_QUESTIONS = {"identity": "who is it?", "attribute": "what do they have?", "membership": "are they in it?"}


def _attackers(parts: Iterable[type[Part]]) -> str:
    """A table of all attacks: the question, what the attacker knows and learns, and what guessing is."""
    heads = ["| attack | question | the attacker knows | and learns | guessing is |", "| --- | --- | --- | --- | --- |"]
    rows = []
    for part in parts:
        about = cast(Any, part)
        note = " (counts only if the list of nodes is public)" if about.knows_nodes else ""
        asked = f"{_QUESTIONS[about.question]}{note}"
        rows.append(f"| `{part.wire_name()}` | {asked} | {about.knows} | {about.learns} | {about.guesses} |")
    return "\n".join([*heads, *rows])


def _entry(folder: str, kind: str, part: type[Part]) -> str:
    source = source_of(part)
    blocks = [f"### `{part.wire_name()}`", source.summary, *source.idea]
    facts = [("Source", source.reference), *source.statements.items(), *_facts(folder, part)]
    blocks.append("\n".join(f"- **{label}:** {text}" for label, text in facts if text))
    written_out = (_parameters(part), _example(folder, kind, part), _variants(folder, part))
    blocks += [block for block in written_out if block]
    return "\n\n".join(blocks)


def _facts(folder: str, part: type[Part]) -> Iterable[tuple[str, str]]:
    return _FACTS.get(folder, lambda part: ())(cast(Any, part))


def _facts_of_method(part: Any) -> Iterable[tuple[str, str]]:
    yield "Can give", ", ".join(f"`{name}`" for name in part.gives) or "no guarantee"
    yield "Leaves open", markdown(getattr(part, "leaves", ""))


def _facts_of_guarantee(part: Any) -> Iterable[tuple[str, str]]:
    yield "Attacker", markdown(part.assumes)
    yield "Verified on", _EVIDENCE[part.evidence]
    yield "Applies to", _SUBJECTS.get(part.kinds, "")


_SUBJECTS = {
    ("table", "graph", "temporal_graph"): "tables, and the attributes of the nodes of graphs and temporal graphs",
    (
        "graph",
        "temporal_graph",
    ): "graphs, and every snapshot of a temporal graph; there the attacker knows one snapshot "
    "and follows nobody over time",
}


def _facts_of_choice(part: Any) -> Iterable[tuple[str, str]]:
    yield "Runs", "by default" if getattr(part, "default", True) else "only if the policy's `report` names it"


def _facts_of_attack(part: Any) -> Iterable[tuple[str, str]]:
    yield "Question", _QUESTIONS[part.question]
    yield from _facts_of_choice(part)


def _facts_of_risk(part: Any) -> Iterable[tuple[str, str]]:
    yield "Runs", "in every report, before and after protection"


_FACTS: dict[str, Callable[[Any], Iterable[tuple[str, str]]]] = {
    "methods": _facts_of_method,
    "guarantees": _facts_of_guarantee,
    "risk": _facts_of_risk,
    "utility": _facts_of_choice,
    "attacks": _facts_of_attack,
}


def _parameters(part: type[Part]) -> str:
    schema: Schema = part.model_json_schema()
    fields = {name: field for name, field in schema["properties"].items() if name not in _TAGS or "const" not in field}
    if not fields:
        return ""
    rows = [_row(name, field, name in schema.get("required", ()), schema) for name, field in fields.items()]
    return "\n".join(["| parameter | value | default | meaning |", "| --- | --- | --- | --- |", *rows])


def _row(name: str, field: Schema, required: bool, schema: Schema) -> str:
    value = type_of(field, schema.get("$defs", {}))
    return f"| `{name}` | {value} | {default_of(field, required)} | {markdown(field['description'])} |"


def _example(folder: str, kind: str, part: type[Part]) -> str:
    policy = example(folder, kind, part)
    return f"```json\n{written(policy)}\n```" if policy else ""


def _variants(folder: str, part: type[Part]) -> str:
    others = [f"- `{json.dumps(stated, ensure_ascii=False)}`" for stated in variants(folder, part)]
    return "\n".join(["Other examples:", "", *others]) if others else ""
