"""The protection of a release in sentences. Portals drop unknown figures, but they keep sentences."""

from collections.abc import Mapping
from typing import Any

from metadata.facts import Facts

_PEOPLE = "The data is about people and was changed to protect them before it was released."
_SYNTACTIC = (
    "These guarantees limit what the stated attacker learns from the files and say nothing about other attackers: "
    "the data is de-identified and must not be called anonymous without saying against whom."
)
_MECHANISM = "Differential privacy is a property of how the data was made, and holds against every attacker."
NO_GUARANTEE = "No guarantee was verified; the report states what was accepted instead."
PROHIBITION = "Nobody may try to re-identify a person from this data, alone or together with other data."

_LICENSES = {
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "CC-BY-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "CC-BY-SA-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "CC-BY-NC-4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
    "CC-BY-NC-SA-4.0": "https://creativecommons.org/licenses/by-nc-sa/4.0/",
    "CC-BY-ND-4.0": "https://creativecommons.org/licenses/by-nd/4.0/",
    "CC-BY-NC-ND-4.0": "https://creativecommons.org/licenses/by-nc-nd/4.0/",
    "ODbL-1.0": "https://opendatacommons.org/licenses/odbl/1-0/",
    "ODC-By-1.0": "https://opendatacommons.org/licenses/by/1-0/",
    "PDDL-1.0": "https://opendatacommons.org/licenses/pddl/1-0/",
}
"""Addresses of the texts of data licenses; SPDX has copies of the others."""


def license_url(facts: Facts) -> str | None:
    """Address of the text of the license; the publisher's own license is explained on the release's page."""
    license_id = facts.card.get("license")
    if license_id is None:
        return None
    if license_id.startswith("LicenseRef-"):
        return f"{facts.page}#terms"
    return _LICENSES.get(license_id, f"https://spdx.org/licenses/{license_id}.html")


def is_mechanism(guarantee: Mapping[str, Any]) -> bool:
    """Whether a guarantee is a property of how the release was made."""
    return guarantee.get("evidence") == "mechanism"


def promise(facts: Facts) -> str:
    """Sentences about what protects the people in the data, against whom, and how it was verified."""
    kept = [guarantee for guarantee in facts.guarantees if guarantee.get("holds")]
    sentences = [_PEOPLE, *map(_sentence, kept)] if kept else [_PEOPLE, NO_GUARANTEE]
    if any(not is_mechanism(guarantee) for guarantee in kept):
        sentences.append(_SYNTACTIC)
    if any(is_mechanism(guarantee) for guarantee in kept):
        sentences.append(_MECHANISM)
    return " ".join(sentences)


def _sentence(guarantee: Mapping[str, Any]) -> str:
    found = ", ".join(f"{name} = {value}" for name, value in sorted(guarantee["achieved"].items()))
    by = {"mechanism": "by its mechanism", "bytes": "on the released files"}
    how = by.get(guarantee["evidence"], "on the released files and a sealed map to the original")
    name = guarantee["model"].replace("_", " ")
    return f"Guarantee {name}{f' ({found})' if found else ''}, verified {how}; it assumes: {guarantee['assumes']}."


def description(facts: Facts) -> str:
    """The publisher's description, followed by the promise."""
    said = facts.card.get("description")
    return f"{said}\n\n{promise(facts)}" if said else promise(facts)


def provenance(facts: Facts) -> str:
    """The origin of the data."""
    report = f"{facts.address}/report.html"
    return f"Made by Antifaz from data about people that is not published. {promise(facts)} Report: {report}"


def limitations(facts: Facts) -> str:
    """The limitations of the data."""
    changed = [f"{entry['name']}: {entry['meaning']}" for entry in facts.dictionary]
    shown = f" Columns: {'; '.join(changed)}." if changed else ""
    return (
        f"Values were generalized, suppressed, perturbed or drawn again; statistics differ from the original's.{shown}"
    )


def size(facts: Facts) -> str:
    """Size of the release, in the units of its kind."""
    counted = [f"{facts.shape[name]} {name}" for name in ("rows", "nodes", "edges", "snapshots") if name in facts.shape]
    return ", ".join(counted)
