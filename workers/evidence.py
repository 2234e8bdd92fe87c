"""Evidence: what the verifier must know beside the released bytes and the policy.

Some guarantees speak of more than the bytes show: of the people of a population, of a hierarchy that the policy does
not write out, of the mechanism that drew the values. It is handed over in memory for the time of one verification,
and what is found with its help is marked as such.
"""

from typing import Any

from antifaz.kinds.kind import Protected
from antifaz.kinds.records import CheckedTable
from antifaz.tables.table import Population, Role, Table
from workers.report import Cost, public_parameters


def of_mechanism(protected: Protected) -> dict[str, Any]:
    """The matrices by which sensitive columns were randomized."""
    return {"mechanism": public_parameters(protected).get("randomized_response", {})}


def pair_evidence(mechanism: dict[str, Any], cost: Cost | None) -> dict[str, Any]:
    """The chances by which pairs were reported, and what the ledger was charged for it; nothing of the original."""
    ledger = {"charged": None, "budget": None} if cost is None else vars(cost)
    return {**mechanism, **ledger}


def of_records(checked: CheckedTable) -> dict[str, Any]:
    """Hierarchies of sensitive columns, and the populations against which records are judged."""
    hierarchies = _of_sensitive(checked.table)
    return {"hierarchies": hierarchies} | _of_populations(checked.table, hierarchies)


def _of_sensitive(table: Table) -> dict[str, list[list[str]]]:
    """Where the values of sensitive columns stand in their hierarchies."""
    return {a.name: a.generalization.paths() for a in table.having(Role.SENSITIVE) if a.generalization is not None}


def _of_populations(table: Table, known: dict[str, list[list[str]]]) -> dict[str, Any]:
    """The people of every population by their quasi-identifiers, and where their values stand in hierarchies."""
    if not table.populations:
        return {}
    hierarchies = dict(known)
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
