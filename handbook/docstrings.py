"""Docstrings: the sections of the docstring in a part's file.

An algorithm's file begins with a title, its source, the idea, and statements (`Guarantees:`, `Preserves:`, `Cost:`).
"""

import inspect
import re
from dataclasses import dataclass

from antifaz.part import Part

STATEMENTS = ("Guarantees", "Preserves", "Cost")
_STATEMENT = re.compile(rf"^({'|'.join(STATEMENTS)}): ", re.MULTILINE)
_YEAR = re.compile(r"\b(19|20)\d\d\b")
_CODE = re.compile(r"``?([^`\n]+)``?")


@dataclass(frozen=True)
class Source:
    """The docstrings of a part, as Markdown."""

    summary: str
    reference: str
    """The publication; empty if the file cites none."""
    idea: tuple[str, ...]
    """Paragraphs."""
    statements: dict[str, str]
    """By label, in the order of `STATEMENTS`."""


def source_of(part: type[Part]) -> Source:
    """Split a part's docstrings into sections."""
    text = inspect.cleandoc(inspect.getdoc(inspect.getmodule(part)) or "")
    prose, statements = _split_statements(text)
    _, *paragraphs = prose.split("\n\n")
    cites = bool(paragraphs) and bool(_YEAR.search(paragraphs[0]))
    return Source(
        summary=markdown(inspect.cleandoc(part.__doc__ or "").split("\n\n")[0]),
        reference=markdown(paragraphs[0]) if cites else "",
        idea=tuple(markdown(paragraph) for paragraph in paragraphs[1 if cites else 0 :]),
        statements={label: markdown(statements[label]) for label in STATEMENTS if label in statements},
    )


def _split_statements(text: str) -> tuple[str, dict[str, str]]:
    prose, *rest = _STATEMENT.split(text)
    return prose.strip(), dict(zip(rest[::2], (value.strip() for value in rest[1::2]), strict=True))


def markdown(text: str) -> str:
    """A docstring's paragraph on one line, with Markdown's special characters escaped outside of code."""
    text = " ".join(text.split())
    written, end = [], 0
    for code in _CODE.finditer(text):
        written += [_escaped(text[end : code.start()]), f"`{code.group(1)}`"]
        end = code.end()
    return "".join([*written, _escaped(text[end:])])


def _escaped(text: str) -> str:
    return re.sub(r"([*<|])", r"\\\1", text)
