"""The promise of a release in words. Portals drop figures that they do not know, but they keep sentences."""

from collections.abc import Mapping
from typing import Any

from metadata.facts import Facts

_PEOPLE = "The data is about people and was changed to protect them before it was released."
_SYNTACTIC = (
    "These guarantees limit what the stated attacker learns from the files and say nothing of other attackers: "
    "the data is de-identified and must not be called anonymous without saying against whom."
)
_MECHANISM = "Differential privacy is a property of how the data was made, and holds against every attacker."
NO_GUARANTEE = "No guarantee was verified; what was accepted in its place stands in the report."
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
"""Where the texts of licenses for data are; of the others SPDX has a copy."""


def license_url(facts: Facts) -> str | None:
    """Where the text of the license is; one of the publisher's own is explained on the release's page."""
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
    """What protects the people in the data, against whom, and who checked it."""
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
    how = by.get(guarantee["evidence"], "on the released files and a sealed map of who is where")
    name = guarantee["model"].replace("_", " ")
    return f"Guarantee {name}{f' ({found})' if found else ''}, verified {how}; it assumes: {guarantee['assumes']}."


def description(facts: Facts) -> str:
    """What the publisher says, and the promise."""
    said = facts.card.get("description")
    return f"{said}\n\n{promise(facts)}" if said else promise(facts)


def provenance(facts: Facts) -> str:
    """Where the data comes from."""
    report = f"{facts.address}/report.html"
    return f"Made by Antifaz from data about people that is not published. {promise(facts)} Report: {report}"


def limitations(facts: Facts) -> str:
    """What the data cannot be used for."""
    changed = [f"{entry['name']}: {entry['meaning']}" for entry in facts.dictionary]
    shown = f" Columns: {'; '.join(changed)}." if changed else ""
    return (
        f"Values were generalized, suppressed, perturbed or drawn again; statistics differ from the original's.{shown}"
    )


def size(facts: Facts) -> str:
    """How large the release is, by what its kind counts."""
    counted = [f"{facts.shape[name]} {name}" for name in ("rows", "nodes", "edges", "snapshots") if name in facts.shape]
    return ", ".join(counted)
