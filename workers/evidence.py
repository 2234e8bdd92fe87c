"""Evidence: what the verifier must know beside the released bytes and the policy.

Some guarantees speak of more than the bytes show: of the people of a population, of a hierarchy that the policy does
not write out, of the mechanism that drew the values. It is handed over in memory for the time of one verification,
and what is found with its help is marked as such.
"""

from typing import Any

from antifaz.protect import Checked, Protected
from antifaz.tables.table import Population, Table
from workers.report import public_parameters


def sealed_evidence(checked: Checked, protected: Protected) -> dict[str, Any]:
    """The sealed map of one verification; see `verifier.verify`."""
    evidence: dict[str, Any] = {"mechanism": public_parameters(protected).get("randomized_response", {})}
    if checked.table is not None:
        evidence |= _of_populations(checked.table)
    return evidence


def _of_populations(table: Table) -> dict[str, Any]:
    """The people of every population by their quasi-identifiers, and where their values stand in hierarchies."""
    if not table.populations:
        return {}
    hierarchies: dict[str, list[list[str]]] = {}
    for population in table.populations.values():
        for attribute in population.attributes:
            if attribute.generalization is not None:
                hierarchies.setdefault(attribute.name, []).extend(attribute.generalization.paths())
    people = {name: {"columns": _columns(population)} for name, population in table.populations.items()}
    return {"populations": people, "hierarchies": hierarchies}


def _columns(population: Population) -> dict[str, dict[str, Any]]:
    return {
        attribute.name: {
            "codes": attribute.column.codes,
            "values": [str(value) for value in attribute.column.values],
            "type": attribute.column.type.value,
        }
        for attribute in population.attributes
    }
