"""A stand-in for Solr, as far as CKAN needs it: add, delete, and select with a Lucene query and facets, all in memory.

    python little_solr.py PORT SCHEMA.xml

Run by the interpreter of CKAN's environment. It matches words, which Solr would stem and rank: enough for CKAN to
find packages by name, state, owner, label of permission or a word, and to count them, but not to rank them.
"""

import json
import sys
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

from luqum import tree
from luqum.parser import lexer, parser

Document = dict[str, Any]
Matches = Callable[[Document], bool]
WORDS = ("title", "notes", "text")
"""Fields that are searched word by word; others are compared whole."""
EVERYWHERE = ("title", "notes", "name", "tags", "res_name", "res_description")
"""What a word without a field is looked for in."""
SETTINGS = {"responseHeader": {"status": 0, "QTime": 0}}


def values(document: Document, field: str | None) -> list[str]:
    """The values of a field, however many."""
    value = document.get(str(field))
    return [] if value is None else [str(each) for each in (value if isinstance(value, list) else [value])]


def hit(node: Any, document: Document, field: str | None = None) -> bool:
    """Whether a document is meant by a query."""
    if isinstance(node, tree.SearchField):
        return hit(node.expr, document, node.name)
    if isinstance(node, tree.Not | tree.Prohibit):
        return not hit(node.a, document, field)
    if isinstance(node, tree.Plus):
        return hit(node.a, document, field)
    if isinstance(node, tree.Group | tree.FieldGroup | tree.Boost):
        return hit(node.expr, document, field)
    if isinstance(node, tree.OrOperation):
        return any(hit(each, document, field) for each in node.children)
    if isinstance(node, tree.AndOperation | tree.UnknownOperation | tree.BoolOperation):
        # CKAN sends q.op=AND: what stands side by side, with a sign or without, must all hold.
        return all(hit(each, document, field) for each in node.children)
    if isinstance(node, tree.Range):
        return any(_within(node, value) for value in values(document, field))
    return _hit_word(str(node).strip().strip('"'), document, field)


def _within(node: Any, value: str) -> bool:
    low, high = str(node.low).strip(), str(node.high).strip()
    return (low == "*" or low <= value) and (high == "*" or value <= high)


def _hit_word(word: str, document: Document, field: str | None) -> bool:
    if field == "*" or word == "*":
        return field in (None, "*") or bool(values(document, field))
    if field is None:
        return word.lower() in json.dumps([document.get(name) for name in EVERYWHERE]).lower()
    if field in WORDS:
        return any(word.lower() in value.lower() for value in values(document, field))
    return any(value == word or value.lower() == word.lower() for value in values(document, field))


def read(query: str) -> Matches:
    """A query, read: Lucene's language, or a list of terms of one field."""
    if query.startswith("{!terms"):
        settings, _, listed = query.partition("}")
        field, wanted = settings.partition("f=")[2].split()[0], set(listed.split(","))
        return lambda document: not wanted.isdisjoint(values(document, field))
    parsed = parser.parse(query, lexer=lexer.clone())
    return lambda document: hit(parsed, document)


class Index:
    """The documents by their key."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._lock = threading.Lock()

    def add(self, documents: list[Document]) -> None:
        with self._lock:
            self._documents |= {each["index_id"]: each for each in documents}

    def delete(self, query: str) -> None:
        matches = read(query)
        with self._lock:
            self._documents = {key: each for key, each in self._documents.items() if not matches(each)}

    def select(self, asked: dict[str, list[str]]) -> Document:
        conditions = [read(query) for query in asked.get("q", ["*:*"]) + asked.get("fq", []) if query.strip()]
        with self._lock:
            documents = list(self._documents.values())
        found = [each for each in documents if all(matches(each) for matches in conditions)]
        found.sort(key=lambda each: str(each.get("metadata_modified")), reverse=True)
        start, rows = int(asked.get("start", ["0"])[0] or 0), int(asked.get("rows", ["10"])[0])
        fields = set(" ".join(asked.get("fl", [])).replace(",", " ").split()) - {"*", "score"}
        page = [{name: each[name] for name in fields & set(each)} if fields else each for each in found[start:][:rows]]
        facets = {}
        for field in asked.get("facet.field", []):
            counts = Counter(value for each in found for value in values(each, field))
            facets[field] = [item for pair in counts.most_common(50) for item in pair]
        answer = {"numFound": len(found), "start": start, "docs": page}
        return {
            **SETTINGS,
            "response": answer,
            "facet_counts": {"facet_fields": facets, "facet_queries": {}, "facet_ranges": {}},
        }


def serve(port: int, schema: bytes) -> None:
    """Answer until the process ends."""
    index = Index()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            url = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked = parse_qs(url.query, keep_blank_values=True)
            place = url.path.rstrip("/").rpartition("/")[2]
            if place == "schema":
                return self._answer(schema, "application/xml")
            if place == "select":
                for name, given in parse_qs(body.decode(), keep_blank_values=True).items():
                    asked.setdefault(name, []).extend(given)
                return self._answer(json.dumps(index.select(asked)).encode())
            if place == "update" and "json" in (self.headers.get("Content-Type") or ""):
                index.add(json.loads(body or b"[]"))
            elif place == "update" and body.strip():
                for query in ElementTree.fromstring(body).iter("query"):
                    index.delete(str(query.text))
            return self._answer(json.dumps(SETTINGS).encode())

        def _answer(self, body: bytes, media_type: str = "application/json") -> None:
            self.send_response(200)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _serve  # noqa: N815

        def log_message(self, *_: object) -> None:
            return

    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    serve(int(sys.argv[1]), Path(sys.argv[2]).read_bytes())
