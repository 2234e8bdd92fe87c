"""Words: how pages show figures, times, states and promises."""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from service.console.visit import Visit
from service.report.attacks import question_rows
from service.report.losses import nearest_in_words, reason_in_words
from service.report.numbers import in_order
from service.report.page import warning_in_words, warnings_in_words
from service.report.promises import promise_in_words

_ENTRIES = (
    ("Releases", "/releases", "list_releases"),
    ("New release", "/new", "create_dataset"),
    ("Datasets", "/datasets", "list_datasets"),
    ("Jobs", "/jobs", "list_jobs"),
    ("Ask", "/ask", "create_query"),
    ("Audit", "/audit", "list_reports"),
)
SETTINGS = (
    ("Tokens", "/tokens", "list_tokens"),
    ("Portals", "/portals", "list_portals"),
    ("Webhooks", "/webhooks", "list_webhooks"),
)
AUDIT = (
    ("Reports", "/audit", "list_reports"),
    ("Charts", "/audit/charts", "list_reports"),
    ("Trail of events", "/audit/chain", "list_audit_events"),
    ("Budgets", "/audit/budgets", "get_budget"),
)


def navigation(visit: Visit) -> list[dict[str, Any]]:
    """The main entries that the visitor's role can use, with the current one marked."""
    path = visit.request.url.path
    entries: list[tuple[str, tuple[str, ...]]] = [
        (label, (target,)) for label, target, operation in _ENTRIES if visit.may(operation)
    ]
    settings = [(label, target) for label, target, operation in SETTINGS if visit.may(operation)]
    if settings:
        # A role that may see only one of them finds it by its own name.
        label = "Settings" if len(settings) > 1 else settings[0][0]
        entries.append((label, tuple(target for _, target in settings)))
    return [
        {"label": label, "target": targets[0], "current": any(_is_under(path, target) for target in targets)}
        for label, targets in [*entries, ("Docs", ("/docs",))]
    ]


def _is_under(path: str, target: str) -> bool:
    return path == target or path.startswith(f"{target}/")


def beside(visit: Visit, pages: Iterable[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """The sibling pages that the visitor's role can use, with the current one marked."""
    path = visit.request.url.path
    shown = [(label, target) for label, target, operation in pages if visit.may(operation)]
    nearest = max((target for _, target in shown if _is_under(path, target)), key=len, default="")
    return [{"label": label, "target": target, "current": target == nearest} for label, target in shown]


KINDS = {"table": "Table", "graph": "Graph", "temporal_graph": "Temporal graph"}
KIND_ICONS = {"table": "table", "graph": "network", "temporal_graph": "waypoints"}
ROLES = {
    "identifier": "Identifier",
    "quasi_identifier": "Quasi-identifier",
    "sensitive": "Sensitive",
    "insensitive": "Insensitive",
}
STATUS_ICONS = {
    "queued": "clock",
    "running": "refresh-cw",
    "verifying": "shield-check",
    "released": "circle-check",
    "assessed": "gauge",
    "refused": "ban",
    "failed": "circle-x",
    "cancelled": "x",
    "stored": "clock",
    "ready": "circle-check",
    "invalid": "circle-x",
    "pending": "clock",
    "delivered": "circle-check",
    "published": "circle-check",
    "withdrawing": "refresh-cw",
    "withdrawn": "ban",
    "could_not_be_removed": "circle-x",
    "active": "circle-check",
    "failing": "triangle-alert",
    "disabled": "ban",
}


def short_promise(guarantee: Mapping[str, Any]) -> str:
    """A guarantee with its main parameter: `k-anonymity, k = 5`."""
    stated = {**guarantee, **(guarantee.get("required") or {})}
    main = next((name for name in ("k", "l", "t", "epsilon", "beta", "alpha") if name in stated), None)
    name = plain_name(str(guarantee.get("model", "")))
    return name if main is None else f"{name}, {main} = {plain(stated[main])}"


NAMES = {
    "k_anonymity": "k-anonymity",
    "l_diversity": "l-diversity",
    "t_closeness": "t-closeness",
    "k_map": "k-map",
    "alpha_k": "(α, k)-anonymity",
    "beta_likeness": "β-likeness",
    "delta_presence": "δ-presence",
    "k_degree_anonymity": "k-degree anonymity",
    "k_automorphism": "k-automorphism",
    "kl_anonymity": "(k, l)-anonymity",
    "temporal_k_degree_anonymity": "temporal k-degree anonymity",
    "k_neighborhood_anonymity": "k-neighborhood anonymity",
    "edge_local_dp": "edge-local differential privacy",
    "edge_differential_privacy": "edge differential privacy",
}


def plain_name(name: str) -> str:
    """A wire name as words."""
    return NAMES.get(name, name.replace("_", " "))


def plain(value: Any) -> str:
    """A value of an answer as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ")  # a narrow space cannot be mistaken for a decimal mark
    if isinstance(value, Mapping):
        return ", ".join(f"{plain_name(str(name))} = {plain(each)}" for name, each in value.items()) or "–"
    if isinstance(value, list):
        return ", ".join(plain(each) for each in value) or "–"
    return "–" if value is None else str(value)


def percent(share: Any) -> str:
    """A share as a percentage."""
    return f"{100 * share:.3g}\N{NO-BREAK SPACE}%" if isinstance(share, int | float) else "–"


def size(count: Any) -> str:
    """A number of bytes."""
    left = float(count or 0)
    for unit in ("B", "kB", "MB"):
        if left < 1000:
            return f"{left:.3g} {unit}"
        left /= 1000
    return f"{left:.3g} GB"


def day(moment: str | None) -> str:
    """The day of a time: 17 November 2026."""
    return "–" if not moment else f"{(at := datetime.fromisoformat(moment)).day} {at:%B %Y}"


def minute(moment: str | None) -> str:
    """A time to the minute, in UTC."""
    return "–" if not moment else f"{datetime.fromisoformat(moment):%Y-%m-%d %H:%M} UTC"


def as_json(value: Any) -> str:
    """A value as JSON for people."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def sentence(text: Any) -> str:
    """A note as a sentence."""
    said = str(text).strip()
    return said if not said else said[0].upper() + said[1:] + ("" if said[-1] in ".!?" else ".")


class _Card(dict[str, Any]):
    """A release's card, in which missing fields are None."""

    def __missing__(self, name: str) -> None:
        return None


def about(release: Mapping[str, Any]) -> Mapping[str, Any]:
    """The card of a release."""
    return _Card(release.get("about") or {})


FILTERS: dict[str, Callable[..., Any]] = {
    "plain": plain,
    "plain_name": plain_name,
    "percent": percent,
    "size": size,
    "day": day,
    "minute": minute,
    "promise": promise_in_words,
    "reason": reason_in_words,
    "nearest": nearest_in_words,
    "short_promise": short_promise,
    "as_json": as_json,
    "about": about,
    "sentence": sentence,
    "in_order": in_order,
    "questions": question_rows,
    "warning": warning_in_words,
    "warnings": warnings_in_words,
}
