"""The policy's page: every field with its type, default, meaning and an example."""

import json
from typing import Any

from pydantic import TypeAdapter

from antifaz.policy.parse import PolicyBody
from handbook.docstrings import markdown
from handbook.examples import BASES, written
from service.documentation.schema_words import Schema, default_of, type_of

_SECTIONS = {
    "TablePolicy": "A table's policy",
    "GraphPolicy": "A graph's policy",
    "TemporalPolicy": "A temporal graph's policy",
    "AttributePolicy": "`attributes`: one column",
    "HierarchyReference": "`hierarchy`: an uploaded one",
    "Gate": "`gate`: limits on measured figures",
    "Waiver": "`waivers`: rules that are accepted by name",
    "CsvOutput": "`csv`: how csv files are written",
    "LabelOutput": "`labels`: how labels are written",
    "TableReport": "`report` of a table",
    "GraphReport": "`report` of a graph",
    "TemporalReport": "`report` of a temporal graph",
}
"""Heading of every object of a policy."""

EXAMPLES: dict[str, Any] = {
    "TablePolicy.kind": {"kind": "table"},
    "TablePolicy.attributes": {"attributes": {"city": {"role": "quasi_identifier"}}},
    "TablePolicy.guarantees": {"guarantees": [{"model": "k_anonymity", "k": 5}]},
    "TablePolicy.gate": {"gate": {"max_loss": 0.4}},
    "TablePolicy.waivers": {"waivers": [{"rule": "free_text", "reason": "Notes were read by two people."}]},
    "TablePolicy.report": {"report": {"utility": ["ncp"], "attacks": ["record_linkage"]}},
    "TablePolicy.method": {"method": {"name": "mondrian", "effort": "high"}},
    "TablePolicy.formats": {"formats": ["csv", "parquet", "jsonl", "xlsx"]},
    "TablePolicy.csv": {"csv": {"delimiter": ";", "decimal": ",", "bom": True}},
    "TablePolicy.labels": {"labels": {"ranges": "20–29"}},
    "CsvOutput.delimiter": {"csv": {"delimiter": ";"}},
    "CsvOutput.decimal": {"csv": {"delimiter": ";", "decimal": ","}},
    "CsvOutput.bom": {"csv": {"bom": True}},
    "LabelOutput.ranges": {"labels": {"ranges": "20–29"}},
    "TablePolicy.privacy_unit": {"privacy_unit": "name"},
    "GraphPolicy.kind": {"kind": "graph"},
    "GraphPolicy.attributes": {
        "kind": "graph",
        "attributes": {"age": {"role": "quasi_identifier"}},
        "guarantees": [{"model": "k_degree_anonymity", "k": 3}, {"model": "k_anonymity", "k": 3}],
    },
    "GraphPolicy.guarantees": {"kind": "graph", "guarantees": [{"model": "k_degree_anonymity", "k": 5}]},
    "GraphPolicy.gate": {"kind": "graph", "gate": {"max_edges_changed": 0.2}},
    "GraphPolicy.waivers": {
        "kind": "graph",
        "waivers": [{"rule": "composition", "reason": "The first release was withdrawn."}],
    },
    "GraphPolicy.report": {"kind": "graph", "report": {"attacks": ["degree", "hub_fingerprint"]}},
    "GraphPolicy.method": {"kind": "graph", "method": {"name": "k_degree", "strategy": "umga"}},
    "GraphPolicy.node_method": {
        "kind": "graph",
        "attributes": {"age": {"role": "quasi_identifier"}},
        "guarantees": [{"model": "k_degree_anonymity", "k": 3}, {"model": "k_anonymity", "k": 3}],
        "node_method": {"name": "microaggregation"},
    },
    "GraphPolicy.edge_attributes": {"kind": "graph", "edge_attributes": "noise"},
    "GraphPolicy.formats": {"kind": "graph", "formats": ["edgelist", "node-link"]},
    "TemporalPolicy.kind": {"kind": "temporal_graph"},
    "TemporalPolicy.attributes": {
        "kind": "temporal_graph",
        "attributes": {"age": {"role": "quasi_identifier"}},
        "guarantees": [{"model": "k_degree_anonymity", "k": 3}, {"model": "k_anonymity", "k": 3}],
    },
    "TemporalPolicy.guarantees": {
        "kind": "temporal_graph",
        "guarantees": [{"model": "k_degree_anonymity", "k": 5}],
    },
    "TemporalPolicy.gate": {"kind": "temporal_graph", "gate": {"max_edges_changed": 0.2}},
    "TemporalPolicy.waivers": {
        "kind": "temporal_graph",
        "waivers": [{"rule": "composition", "reason": "The first release was withdrawn."}],
    },
    "TemporalPolicy.report": {"kind": "temporal_graph", "report": {"utility": ["edge_jaccard", "tscan"]}},
    "TemporalPolicy.method": {"kind": "temporal_graph", "method": {"name": "k_degree", "strategy": "umga"}},
    "TemporalPolicy.node_method": {
        "kind": "temporal_graph",
        "attributes": {"age": {"role": "quasi_identifier"}},
        "guarantees": [{"model": "k_degree_anonymity", "k": 3}, {"model": "k_anonymity", "k": 3}],
        "node_method": {"name": "microaggregation"},
    },
    "TemporalPolicy.edge_attributes": {"kind": "temporal_graph", "edge_attributes": "noise"},
    "TemporalPolicy.formats": {"kind": "temporal_graph", "formats": ["csv", "node-link"]},
    "AttributePolicy.role": {"attributes": {"disease": {"role": "sensitive"}}},
    "AttributePolicy.pseudonym": {"attributes": {"name": {"role": "identifier", "pseudonym": True}}},
    "AttributePolicy.type": {"attributes": {"age": {"role": "quasi_identifier", "type": "integer"}}},
    "AttributePolicy.recoding": {"attributes": {"age": {"role": "quasi_identifier", "recoding": "range"}}},
    "AttributePolicy.missing": {"attributes": {"age": {"role": "quasi_identifier", "missing": "suppress_row"}}},
    "AttributePolicy.order": {
        "attributes": {"stage": {"role": "quasi_identifier", "type": "text", "order": ["low", "medium", "high"]}}
    },
    "AttributePolicy.hierarchy": {
        "attributes": {"zip": {"role": "quasi_identifier", "hierarchy": {"kind": "mask", "steps": [1, 2, 5]}}}
    },
    "HierarchyReference.id": {
        "attributes": {
            "city": {"role": "quasi_identifier", "hierarchy": {"id": "5f1d0c1e-6a0b-4a53-9a0e-0f6a3f8f5b11"}}
        }
    },
    "Gate.max_suppressed": {"gate": {"max_suppressed": 0.05}},
    "Gate.max_prosecutor_risk": {"gate": {"max_prosecutor_risk": 0.2}},
    "Gate.max_journalist_risk": {"gate": {"max_journalist_risk": 0.2}},
    "Gate.max_marketer_risk": {"gate": {"max_marketer_risk": 0.1}},
    "Gate.max_linkage_rate": {"gate": {"max_linkage_rate": 0.1}},
    "Gate.max_homogeneous": {"gate": {"max_homogeneous": 0.05}},
    "Gate.max_loss": {"gate": {"max_loss": 0.4}},
    "Gate.max_edges_changed": {"kind": "graph", "gate": {"max_edges_changed": 0.2}},
    "Gate.max_reidentified": {"kind": "graph", "gate": {"max_reidentified": 0.2}},
    "Gate.min_candidate_set": {"kind": "graph", "gate": {"min_candidate_set": 5}},
    "Gate.max_link_posterior": {"kind": "graph", "gate": {"max_link_posterior": 0.5}},
    "Gate.max_plausibility_auc": {"kind": "graph", "gate": {"max_plausibility_auc": 0.7}},
    "Waiver.rule": {"waivers": [{"rule": "composition", "reason": "Both releases go to the same team."}]},
    "Waiver.column": {"waivers": [{"rule": "as_it_is", "column": "disease", "reason": "Called after people."}]},
    "Waiver.reason": {"waivers": [{"rule": "free_text", "reason": "Notes were read by two people."}]},
    "TableReport.utility": {"report": {"utility": ["ncp", {"name": "ml_accuracy", "target": "disease"}]}},
    "TableReport.attacks": {"report": {"attacks": ["record_linkage", "homogeneity"]}},
    "TableReport.sampling_fraction": {"report": {"sampling_fraction": 0.01}},
    "TableReport.threshold": {"report": {"threshold": 0.1}},
    "GraphReport.utility": {
        "kind": "graph",
        "report": {"utility": ["transitivity", {"name": "mcl", "inflation": 1.8}]},
    },
    "GraphReport.attacks": {"kind": "graph", "report": {"attacks": ["degree", "reconstruction"]}},
    "TemporalReport.utility": {"kind": "temporal_graph", "report": {"utility": ["density", "deltacon"]}},
    "TemporalReport.attacks": {"kind": "temporal_graph", "report": {"attacks": ["degree_trajectory"]}},
}
"""An example for every field: a merge patch (RFC 7396) for the policy of its kind at the top of the page; the table's
if it names no kind."""


def policy_page() -> str:
    """The generated part of docs/policy.md."""
    definitions = TypeAdapter(PolicyBody).json_schema()["$defs"]
    bases = [f"The {kind}'s policy:\n\n```json\n{written(policy)}\n```" for kind, policy in BASES.items()]
    sections = [_section(name, heading, definitions) for name, heading in _SECTIONS.items()]
    return "\n\n".join([*bases, *sections])


def _section(name: str, heading: str, definitions: Schema) -> str:
    schema = definitions[name]
    # Objects with their own section are not described again in the field that holds them.
    known = definitions | {section: {"type": "object"} for section in _SECTIONS}
    rows = [
        _row(f"{name}.{field}", field, content, field in schema.get("required", ()), known)
        for field, content in schema["properties"].items()
    ]
    head = ["| field | value | default | meaning | example |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([f"## {heading}", "", markdown(schema["description"]), "", *head, *rows])


def _row(path: str, field: str, content: Schema, required: bool, definitions: Schema) -> str:
    value = type_of(content, definitions)
    meaning = markdown(content["description"])
    patch = json.dumps(EXAMPLES[path], ensure_ascii=False)
    return f"| `{field}` | {value} | {default_of(content, required)} | {meaning} | `{patch}` |"
