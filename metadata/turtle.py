"""Turtle: the JSON-LD of this package in a simple RDF notation (W3C, "RDF 1.1 Turtle", 2014).

Only the JSON-LD that this package produces is supported: a context of prefixes, nodes with ids and types, typed values.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

_SHORT = re.compile(r"([a-z]+):([A-Za-z][A-Za-z0-9_]*)")
_UNSAFE = re.compile(r'[\x00-\x20<>"{}|^`\\]')


def turtle(document: Mapping[str, Any]) -> str:
    """Serialize the graph of a document."""
    prefixes: Mapping[str, str] = document["@context"]
    head = [f"@prefix {name}: <{prefixes[name]}> ." for name in sorted(prefixes)]
    body = [_subject(node, prefixes) for node in document["@graph"]]
    return "\n".join([*head, "", *body]) + "\n"


def _subject(node: Mapping[str, Any], prefixes: Mapping[str, str]) -> str:
    """A node as one statement; nested nodes that have an id become statements too."""
    beside: list[str] = []
    lines = _properties(node, prefixes, beside)
    return "\n".join([f"{_iri(node['@id'], prefixes)} {lines} .\n", *beside])


def _properties(node: Mapping[str, Any], prefixes: Mapping[str, str], beside: list[str]) -> str:
    said = [f"a {', '.join(node['@type'])}"] if "@type" in node else []
    for name, value in node.items():
        if not name.startswith("@"):
            objects = value if isinstance(value, list) else [value]
            said.append(f"{name} {', '.join(_object(each, prefixes, beside) for each in objects)}")
    return " ;\n    ".join(said)


def _object(value: Mapping[str, Any], prefixes: Mapping[str, str], beside: list[str]) -> str:
    if "@value" in value:
        kind = f"^^{value['@type']}" if "@type" in value else ""
        return _literal(str(value["@value"])) + kind
    if "@id" not in value:
        return f"[ {_properties(value, prefixes, beside)} ]"
    if len(value) > 1:
        beside.append(_subject(value, prefixes))
    return _iri(value["@id"], prefixes)


def _literal(words: str) -> str:
    """Escape a literal. JSON's escapes are valid in Turtle, except that JSON leaves some characters unescaped."""
    return json.dumps(words, ensure_ascii=False).replace("\x7f", "\\u007F")


def _iri(name: str, prefixes: Mapping[str, str]) -> str:
    short = _SHORT.fullmatch(name)
    if short and short[1] in prefixes:
        return name
    return f"<{_UNSAFE.sub(lambda found: f'%{ord(found[0]):02X}', name)}>"
