"""A synthetic table under differential privacy: the policy's declarations, the drawing, and its public account."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from antifaz.errors import InvalidPolicy
from antifaz.noise import UNIT, Measure, largest_rho, library
from antifaz.tables.guarantees.differential_privacy import DifferentialPrivacy
from antifaz.tables.masking.masking import write_column
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.reading.attributes import AttributeSettings, point_to
from antifaz.tables.reading.domains import Domain, faults_of_edges, faults_of_values, stated_domains
from antifaz.tables.synthetic.marginals import Spending, as_loss, bounded, described, learn
from antifaz.tables.table import Attribute, ReleasedColumn, Role, Table
from antifaz.tables.texts.value_types import ValueType
from antifaz.watch import Watch, within

MOST_COLUMNS = 60
"""With more columns, comparing all pairs would take longer than a job may last."""
MOST_ROWS = 10_000_000
MEANING = "a synthetic value; no record belongs to a person"


@dataclass(frozen=True)
class Declared:
    """The policy's declarations about the columns, and the number of records of one person that count."""

    values: Mapping[str, Sequence[str]]
    edges: Mapping[str, Sequence[float]]
    bounds: Mapping[str, tuple[float, float]]
    other: Mapping[str, str]
    bins: int
    contributions: int
    rows: int | None

    def domains(self) -> dict[str, Domain]:
        return stated_domains(self.values, self.edges, self.bounds, self.bins, self.other)


def check_declared(declared: Declared, attributes: Mapping[str, AttributeSettings]) -> Iterable[tuple[str, str]]:
    """Errors for domains that are missing, stated twice or invalid, and for settings that would reveal a value outside
    a domain."""
    released = {name for name, settings in attributes.items() if settings.role is not Role.IDENTIFIER}
    if len(released) > MOST_COLUMNS:
        yield "/attributes", f"dp_marginals takes at most {MOST_COLUMNS} columns"
    for name in sorted(released):
        stated = [field for field in ("values", "edges", "bounds") if name in getattr(declared, field)]
        if len(stated) != 1:
            yield _place("values", name), "one of values, edges and bounds must be declared for every released column"
        yield from _revealing_settings(name, attributes[name])
    for field in ("values", "edges", "bounds", "other"):
        for name, domain in getattr(declared, field).items():
            if name not in released:
                yield _place(field, name), "must name a column that is released"
            else:
                yield from ((_place(field, name), fault) for fault in _faults(declared, field, name, domain))


def _faults(declared: Declared, field: str, name: str, domain: Any) -> Iterable[str]:
    if field == "values":
        yield from faults_of_values(domain, declared.other.get(name))
    elif field in ("edges", "bounds"):
        yield from faults_of_edges(domain)
    elif name not in declared.values and domain != "":
        yield 'for a column of numbers, only "" can be named for cells that are not numbers'


def _revealing_settings(name: str, settings: AttributeSettings) -> Iterable[tuple[str, str]]:
    """Settings that would make the job fail, or leave out a row, because of one record's value."""
    for field in ("hierarchy", "order", "type"):
        if getattr(settings, field, None) not in (None, ValueType.TEXT):
            yield point_to(name, field), "not allowed with a declared domain: it would reveal a value outside it"
    if settings.missing != "own_value":
        yield point_to(name, "missing"), "must be own_value with a declared domain: an empty cell would show otherwise"


def _place(field: str, name: str) -> str:
    return f"/method/{field}/" + name.replace("~", "~0").replace("/", "~1")


def synthesize(
    table: Table,
    declared: Declared,
    guarantees: Sequence[TableGuarantee],
    rng: np.random.Generator,
    watch: Watch,
) -> tuple[list[ReleasedColumn], dict[str, Any]]:
    """Synthetic columns, and the public account of how they were drawn."""
    epsilon, delta = _target(guarantees)
    attributes = [attribute for attribute in table.attributes if attribute.role is not Role.IDENTIFIER]
    stated = declared.domains()
    domains = [stated[attribute.name] for attribute in attributes]
    chosen = np.arange(table.n) if table.unit is None else bounded(table.unit, declared.contributions, rng)
    codes = [
        domain.encode(attribute.column, rng)[chosen] for domain, attribute in zip(domains, attributes, strict=True)
    ]
    measure: Measure = "pure" if delta == 0 else "zcdp"
    budget = int(epsilon * UNIT) if delta == 0 else largest_rho(epsilon, delta)
    spending = Spending(measure, declared.contributions, budget)
    sizes, ordered = [domain.size for domain in domains], [domain.ordered for domain in domains]
    model = learn(codes, sizes, ordered, spending, rng, within(watch, 0.0, 0.8))
    cells = model.sample(declared.rows or min(model.total, MOST_ROWS), rng, within(watch, 0.8, 0.9))
    columns = []
    for place, (domain, attribute) in enumerate(zip(domains, attributes, strict=True)):
        watch(0.9 + 0.1 * place / len(domains))
        columns.append(_written(attribute, domain, cells[:, place], rng))
    return columns, {
        "unit": "a record" if table.unit is None else "a person",
        "neighbors": "one more or one less",
        "contributions": declared.contributions,
        "measure": measure,
        "epsilon": str(epsilon),
        "delta": str(delta),
        "budget": as_loss(budget),
        "spent": as_loss(budget - spending.left),
        "steps": described(spending.steps, [domain.name for domain in domains]),
        "library": library(),
    }


def _target(guarantees: Sequence[TableGuarantee]) -> tuple[float, float]:
    for guarantee in guarantees:
        if isinstance(guarantee, DifferentialPrivacy):
            return guarantee.epsilon, guarantee.delta
    raise InvalidPolicy("/guarantees", "dp_marginals takes its epsilon from the guarantee differential_privacy")


def _written(
    attribute: Attribute, domain: Domain, cells: np.typing.NDArray[np.int64], rng: np.random.Generator
) -> ReleasedColumn:
    codes, labels = domain.decode(cells, rng)
    return write_column(replace(attribute, column=replace(attribute.column, type=domain.type)), codes, labels, MEANING)
