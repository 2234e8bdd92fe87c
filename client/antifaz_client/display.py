"""Display: datasets, jobs, releases and comparisons as HTML in a notebook."""

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table; every text is escaped."""
    head = "".join(f"<th>{_text(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def titled(title: str, *parts: str) -> str:
    """A heading and its content."""
    return f"<div><strong>{_text(title)}</strong>{''.join(parts)}</div>"


def members(document: Mapping[str, Any], names: Iterable[str]) -> str:
    """Some members of a document."""
    return table(
        ("", ""), ((name.replace("_", " "), document[name]) for name in names if document.get(name) is not None)
    )


def guarantees(found: Iterable[Mapping[str, Any]]) -> str:
    """The promises, the findings, and the attackers that they protect against."""
    rows = (
        (
            each.get("model"),
            settings(each.get("required") or {}),
            settings(each.get("achieved") or {}),
            "holds" if each.get("holds") else "does not hold",
            each.get("evidence"),
            each.get("assumes"),
        )
        for each in found
    )
    return table(("guarantee", "required", "achieved", "", "evidence", "assumes that"), rows)


def comparison(rows: Iterable[Mapping[str, Any]]) -> str:
    """The policies of a comparison: the best attack on each question, the loss, and whether another is better."""
    asked, others = ("identity", "attribute", "membership"), ("loss", "dominated")
    cells = (
        [
            *(row.get(name) for name in ("name", "runs", "refused")),
            *(((row.get("answers") or {}).get(question) or {}).get("rate") for question in asked),
            *(row.get(name) for name in others),
        ]
        for row in rows
    )
    return table(("policy", "runs", "refused", *asked, *others), cells)


def settings(document: Mapping[str, Any]) -> str:
    """Names and values on one line."""
    return ", ".join(f"{name} = {value}" for name, value in document.items())


def short(value: Any) -> str:
    """A number with four digits, or the value unchanged."""
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)


def _text(value: Any) -> str:
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False)
    return html.escape(short(value))
