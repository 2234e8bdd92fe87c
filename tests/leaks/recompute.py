"""The consumer's report, recomputed from the downloaded bytes, the policy and public constants.

It shares no code with the service, the engine or the verifier and uses only the standard library: a figure that it
cannot compute was not computed from public data.
"""

import csv
import hashlib
import io
from collections import Counter
from typing import Any

Files = dict[tuple[str, str], bytes]
"""Artifacts by part and format."""

SYNTACTIC = {
    "code": "SYNTACTIC_NO_FORMAL_GUARANTEE",
    "detail": "a syntactic model limits what the stated attacker learns from the release, and no other",
}
HOMOGENEOUS = "share of rows in classes whose members all have the same value of this attribute"
BLINDLY = ", and does not reason from how the method decides (minimality attack)"
ASSUMES = {
    "k_anonymity": "the attacker knows the quasi-identifiers" + BLINDLY,
    "l_diversity": "the attacker knows the quasi-identifiers and can rule out fewer than l - 1 sensitive values"
    + BLINDLY,
    "k_degree_anonymity": "the attacker knows the degree of a node and nothing else about the graph",
}
BINS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))


def public_report(
    release_id: str, policy: dict[str, Any], policy_warnings: list[str], files: Files, software: dict[str, str]
) -> dict[str, Any]:
    """Everything that a consumer sees. The policy and its warnings are those that the API returns without any data."""
    release = Table(policy, files) if policy["kind"] == "table" else Network(policy, files)
    return {
        "schema_version": 1,
        "release_id": release_id,
        "kind": policy["kind"],
        "policy": released_policy(policy),
        "guarantees": [_finding(guarantee, release) for guarantee in policy["guarantees"]],
        "artifacts": [
            {"format": form, "part": part, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
            for (part, form), content in files.items()
        ],
        "release": release.description(),
        "warnings": [
            *release.warnings(),
            *({"code": "POLICY", "detail": text} for text in policy_warnings),
            SYNTACTIC,
        ],
        "waivers": policy["waivers"],
        "software": software,
    }


def released_policy(policy: dict[str, Any]) -> dict[str, Any]:
    """The policy without identifiers, which no release shows unchanged."""
    attributes = policy["attributes"]
    return policy | {"attributes": {name: a for name, a in attributes.items() if a["role"] != "identifier"}}


class Table:
    """A released table, or the table of a graph's nodes, from its csv."""

    def __init__(self, policy: dict[str, Any], files: Files, part: str = "table") -> None:
        self.rows = list(csv.DictReader(io.StringIO(files[part, "csv"].decode(), newline="")))
        roles = {name: settings["role"] for name, settings in policy["attributes"].items()}
        self.sensitive = [name for name, role in roles.items() if role == "sensitive"]
        known = [name for name, role in roles.items() if role == "quasi_identifier"]
        self.keys = [tuple(row[name] for name in known) for row in self.rows]
        self.sizes = Counter(self.keys)

    def values(self, attribute: str) -> dict[tuple[str, ...], set[str]]:
        """The sensitive values of each class."""
        found: dict[tuple[str, ...], set[str]] = {}
        for key, row in zip(self.keys, self.rows, strict=True):
            found.setdefault(key, set()).add(row[attribute])
        return found

    def description(self) -> dict[str, Any]:
        histogram = []
        for low, high in BINS:
            sizes = [size for size in self.sizes.values() if low <= size <= (high or len(self.rows))]
            label = f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"
            histogram.append({"bin": label, "count": len(sizes), "rows": sum(sizes)})
        smallest = min(self.sizes.values())
        return {"rows": len(self.rows), "classes": len(self.sizes), "smallest": smallest, "histogram": histogram}

    def warnings(self) -> list[dict[str, Any]]:
        found = []
        for attribute in self.sensitive:
            values = self.values(attribute)
            exposed = sum(len(values[key]) == 1 for key in self.keys)
            if exposed:
                share = exposed / len(self.rows)
                about = {"code": "HOMOGENEOUS_CLASSES", "attribute": attribute, "share": share, "detail": HOMOGENEOUS}
                found.append(about)
        return found

    def achieved(self, guarantee: dict[str, Any]) -> dict[str, Any]:
        if guarantee["model"] == "k_anonymity":
            return {"k": min(self.sizes.values())}
        attribute = guarantee["attribute"]
        reached = min(len(values) for values in self.values(attribute).values())
        return {"variant": guarantee["variant"], "attribute": attribute, "l": reached}


class Network:
    """A released graph, from its edge list and node table."""

    def __init__(self, policy: dict[str, Any], files: Files) -> None:
        self.nodes = Table(policy, files, "nodes")
        pairs = list(csv.reader(io.StringIO(files["graph", "edgelist"].decode())))[1:]
        self.edges = len(pairs)
        degrees = Counter(end for pair in pairs for end in pair)
        self.degrees = Counter(degrees[row["node"]] for row in self.nodes.rows)

    def description(self) -> dict[str, Any]:
        degrees = {str(degree): self.degrees[degree] for degree in sorted(self.degrees)}
        smallest = min(self.degrees.values())
        return {
            "nodes": len(self.nodes.rows),
            "edges": self.edges,
            "smallest": smallest,
            "degrees": degrees,
            "histogram": [{"bin": degree, "count": nodes} for degree, nodes in degrees.items()],
            "node_classes": self.nodes.description(),
        }

    def warnings(self) -> list[dict[str, Any]]:
        return self.nodes.warnings()

    def achieved(self, guarantee: dict[str, Any]) -> dict[str, Any]:
        if guarantee["model"] == "k_degree_anonymity":
            return {"k": min(self.degrees.values())}
        return self.nodes.achieved(guarantee)


def _finding(guarantee: dict[str, Any], release: Table | Network) -> dict[str, Any]:
    required = {name: guarantee[name] for name in ("k", "variant", "l", "attribute") if name in guarantee}
    achieved = release.achieved(guarantee)
    goal = "l" if guarantee["model"] == "l_diversity" else "k"
    return {
        "model": guarantee["model"],
        "required": required,
        "achieved": achieved,
        "holds": achieved[goal] >= required[goal],
        "evidence": "bytes",
        "assumes": ASSUMES[guarantee["model"]],
        "detail": "",
    }
