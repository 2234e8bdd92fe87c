"""Words: how pages say figures, times, states and promises."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from service.console.visit import Visit

_ENTRIES = (
    ("Releases", "/releases", "list_releases"),
    ("New release", "/new", "create_dataset"),
    ("Datasets", "/datasets", "list_datasets"),
    ("Jobs", "/jobs", "list_jobs"),
    ("Audit", "/audit", "list_reports"),
    ("Tokens", "/tokens", "list_tokens"),
)


def navigation(visit: Visit) -> list[dict[str, Any]]:
    """The main entries that the visitor's role can use, the one of this page marked."""
    path = visit.request.url.path
    shown = [(label, target) for label, target, operation in _ENTRIES if visit.may(operation) or target == "/releases"]
    return [
        {"label": label, "target": target, "current": path == target or path.startswith(f"{target}/")}
        for label, target in [*shown, ("Docs", "/docs")]
    ]


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
}

PROMISES: dict[str, str] = {
    "k_anonymity": "Whoever knows the quasi-identifiers of a person finds at least {k} records that fit.",
    "alpha_k": "At least {k} records fit whatever is known of a person, and no {attribute} is more frequent among them "
    "than {alpha}.",
    "l_diversity": "Among the records that fit a person there are at least {l} well-represented values of {attribute}.",
    "t_closeness": "Among the records that fit a person, {attribute} is distributed as in the whole release, up to a "
    "distance of {t}.",
    "beta_likeness": "No value of {attribute} becomes likelier by more than a factor of 1 + {beta} for knowing the "
    "quasi-identifiers.",
    "k_map": "Every record could belong to at least {k} people of the population.",
    "delta_presence": "Nobody can be sure whether a person of the population is in the table.",
    "differential_privacy": "Whether one person is in the data changes the odds of any outcome at most by e^{epsilon}.",
    "local_differential_privacy": "What one person answered changes the odds of what is shown at most by e^{epsilon}.",
    "k_degree_anonymity": "Whoever knows the number of a person's connections finds at least {k} nodes that fit.",
    "k_automorphism": "Whatever is known about the structure around a person fits at least {k} nodes.",
    "k_candidate_anonymity": "Whoever knows the degrees around a person finds at least {k} nodes that fit.",
    "k_neighborhood_anonymity": "Whoever knows how a person's neighbors are joined finds at least {k} nodes that fit.",
    "k_eps_obfuscation": "Whoever knows a person's degree is left in doubt as among {k} nodes, but for a share of "
    "{epsilon}.",
    "kl_anonymity": "What is known about {l} neighbors of a person fits at least {k} nodes.",
    "neighborhood_twins": "Every node has at least {k} - 1 others with the very same neighbors.",
    "supernode_size": "Nodes are released in groups of at least {k} whose members cannot be distinguished.",
    "edge_local_dp": "Whether any two nodes are joined can be denied: it changes the odds at most by e^{epsilon}.",
    "edge_differential_privacy": "Whether two nodes are joined changes the odds of any outcome at most by e^{epsilon}.",
    "degree_trajectory_anonymity": "Whoever knows a person's number of connections at all times finds at least {k} "
    "nodes that fit.",
    "temporal_k_degree_anonymity": "Whoever knows a person's number of connections at a time finds at least {k} nodes "
    "that fit.",
}


class _Shown(dict[str, Any]):
    """Parameters of a promise; one that is not stated is a word and no error."""

    def __missing__(self, name: str) -> str:
        return {"attribute": "the sensitive attribute"}.get(name, name)


def promise(guarantee: Mapping[str, Any]) -> str:
    """What a guarantee promises, as a sentence. Takes a policy's entry or a report's finding."""
    model = str(guarantee.get("model", ""))
    stated = {**guarantee, **(guarantee.get("required") or {})}
    sentence = PROMISES.get(model)
    if sentence is None:
        return f"{plain_name(model).capitalize()} holds."
    shown = _Shown({name: plain(value) for name, value in stated.items() if not isinstance(value, dict | list)})
    return sentence.format_map(shown)


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
        return ", ".join(f"{plain_name(str(name))}: {plain(each)}" for name, each in value.items()) or "–"
    if isinstance(value, list):
        return ", ".join(plain(each) for each in value) or "–"
    return "–" if value is None else str(value)


def percent(share: Any) -> str:
    """A share as per cent."""
    return f"{100 * share:.3g} %" if isinstance(share, int | float) else "–"


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
    """A release's card, in which what nobody said is nothing."""

    def __missing__(self, name: str) -> None:
        return None


def about(release: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is said about a release."""
    return _Card(release.get("about") or {})


def in_order(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Rows by their names, numbers in them by their size."""
    return sorted(rows, key=lambda row: [(not part.isdecimal(), part.zfill(12)) for part in _DIGITS.split(row["name"])])


_DIGITS = re.compile(r"(\d+)")


FILTERS: dict[str, Callable[..., Any]] = {
    "plain": plain,
    "plain_name": plain_name,
    "percent": percent,
    "size": size,
    "day": day,
    "minute": minute,
    "promise": promise,
    "short_promise": short_promise,
    "as_json": as_json,
    "about": about,
    "sentence": sentence,
    "in_order": in_order,
}
