"""Markdown as the pages show it: without raw HTML, with links between served pages and anchors for headings.

Text in angle brackets stays text, so a page can contain neither a script nor a style.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from service.documentation.sources import Source, address_of

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_NOT_WORDS = re.compile(r"[^\w\- ]")


@dataclass(frozen=True)
class Document:
    """A page of documentation, ready to be shown."""

    html: Markup
    headings: tuple[tuple[str, str], ...]
    """Anchor and text of each main section."""


@cache
def document(source: Source) -> Document:
    """A source as HTML, rendered once per process."""
    reader = _reader()
    tokens = reader.parse(_COMMENT.sub("", source.text))
    headings = tuple(_name_headings(tokens))
    _lead_links(tokens, source.file)
    return Document(Markup(reader.renderer.render(tokens, reader.options, {})), headings)


def inline(text: str) -> Markup:
    """A line of Markdown: code, emphasis and links."""
    return Markup(_reader().renderInline(text))


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    reader.add_render_rule("fence", _code)
    reader.add_render_rule("code_block", _code)
    reader.add_render_rule("table_open", _table)
    reader.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return reader


def _table(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    """A table that scrolls inside itself; each has its own label for screen readers."""
    number = sum(token.type == "table_open" for token in tokens[: at + 1])
    return f'<div class="table-wrap" tabindex="0" role="region" aria-label="Table {number}"><table>\n'


def _code(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    shown = escape(tokens[at].content)
    return f'<div class="code-block"><pre tabindex="0"><code>{shown}</code></pre></div>\n'


def _name_headings(tokens: list[Token]) -> Iterator[tuple[str, str]]:
    """Give every heading an anchor as GitHub does; the main ones are the page's contents."""
    taken: dict[str, int] = {}
    for at, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        text = "".join(part.content for part in tokens[at + 1].children or [])
        name = _NOT_WORDS.sub("", text.lower()).strip().replace(" ", "-")
        again = taken[name] = taken.get(name, -1) + 1
        anchor = f"{name}-{again}" if again else name
        token.attrSet("id", anchor)
        if token.tag == "h2":
            yield anchor, text


def _lead_links(tokens: Sequence[Token], file: str) -> None:
    """Point links to other files of docs/ to their pages; links to files that are not served become plain text."""
    for parent in tokens:
        open_links: list[Token] = []
        for token in parent.children or []:
            if token.type == "link_open":
                open_links.append(token)
                _lead(token, file)
            elif token.type == "link_close":
                token.tag = open_links.pop().tag


def _lead(link: Token, file: str) -> None:
    target = str(link.attrGet("href") or "")
    if target.startswith("#"):
        return
    if target.startswith(("https://", "http://")):
        link.attrSet("rel", "noreferrer")
        return
    if target.startswith("/"):
        return
    path, mark, anchor = target.partition("#")
    address = address_of(posixpath.normpath(posixpath.join(posixpath.dirname(file), path)))
    if address is None:
        link.tag, link.attrs = "span", {}
    else:
        link.attrSet("href", address + mark + anchor)
