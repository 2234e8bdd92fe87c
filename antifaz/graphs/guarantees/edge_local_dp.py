"""Edge local differential privacy: whether two nodes are joined can be denied, whatever else is known.

Qin, Yu, Yang, Khalil, Xiao and Ren, "Generating Synthetic Decentralized Social Graphs with Local Differential Privacy",
CCS 2017, for the definition by edges; Paul, Salas and Torra, "Edge Local Differential Privacy for Dynamic Graphs",
SciSec 2023, for graphs that are released as a whole.

Two graphs are neighbors if they differ in one pair of nodes (an ordered pair in a directed graph). No released graph is
more than e^ε times as likely for one of them as for the other. The service sees the graph before the noise is drawn:
the guarantee is about the release, not about trust in the service.

Guarantees: the odds of any pair being joined change at most by the factor e^ε, for any attacker who knows all other
pairs. Public and not covered: the number of nodes, their list and their attributes. Not protected: a node with all its
edges, each of which costs ε; a pair that is released again, whose epsilons add up.
Cost: nothing to check in the bytes; it is a property of the mechanism.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, ClassVar, Literal, Protocol, Self, TypeVar

from pydantic import ConfigDict, Field, model_validator

from antifaz.described import Described
from antifaz.errors import Infeasible, InvalidDataset, InvalidPolicy, Reason
from antifaz.graphs.graph import Graph
from antifaz.graphs.parts import GraphGuarantee
from antifaz.part import LEAST_EPSILON, Examples

LEAST_DENSITY = 1e-9
"""Smallest density whose probabilities can be distinguished in 64 bits at the least epsilon."""

_STRICT = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Share(Described):
    """A part of epsilon."""

    model_config = _STRICT
    share: float = Field(gt=0, lt=1)
    """Share of epsilon to spend on it."""


class DensitySource(Described):
    """Source of the density that the noise is calibrated for."""

    model_config = _STRICT
    declared: Any = None
    noisy: float | Share | None = None
    """Counted with noise: the epsilon to spend on it, or its share of the guarantee's epsilon."""
    exact: Literal[True] | None = None
    """Counted exactly, which makes the number of edges public: only with the waiver exact_density."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if sum(source is not None for source in (self.declared, self.noisy, self.exact)) != 1:
            raise ValueError("exactly one of declared, noisy and exact must be given")
        return self

    @property
    def source(self) -> Literal["declared", "noisy", "exact"]:
        if self.declared is not None:
            return "declared"
        return "exact" if self.exact else "noisy"

    def cost(self, epsilon: Decimal) -> Decimal:
        """The part of epsilon that is spent on the density."""
        if isinstance(self.noisy, Share):
            return epsilon * Decimal(str(self.noisy.share))
        return Decimal(0) if self.noisy is None else Decimal(str(self.noisy))

    def is_affordable(self, epsilon: Decimal) -> bool:
        """Whether the part spent on it and the part left for the edges can both be charged."""
        cost, least = self.cost(epsilon), Decimal(str(LEAST_EPSILON))
        return self.noisy is None or (cost >= least and epsilon - cost >= least)

    def total(self, structure: float) -> float:
        """The epsilon that leaves ``structure`` for the edges."""
        if isinstance(self.noisy, Share):
            return structure / (1 - self.noisy.share)
        return structure + (self.noisy or 0.0)


class _Promise(Protocol):
    """The guarantee of one kind of data."""

    @property
    def density(self) -> DensitySource | None: ...


Promise = TypeVar("Promise", bound=_Promise)


def density_faults(
    of_method: DensitySource | None, of_guarantee: DensitySource | None, epsilon: Decimal, pointer: str
) -> Iterator[tuple[str, str]]:
    """Faults of a density stated by a method, a guarantee or both: none or two, or one that costs too much.

    ``pointer`` is that of the guarantee.
    """
    density = of_method or of_guarantee
    if density is None:
        yield f"{pointer}/density", "is required: declared, noisy or exact"
        return
    if of_method is not None and of_guarantee is not None:
        yield "/method/density", "is already stated with the guarantee"
    if not density.is_affordable(epsilon):
        yield f"{pointer}/density/noisy", f"must be at least {LEAST_EPSILON} and leave as much for the edges"


def too_few_survive(survival: float, least: float, needed: float) -> str:
    """Why an epsilon is too small for the least survival of edges, and which epsilon is enough."""
    return (
        f"only {survival:.2%} of the edges would survive at this density, and least_survival requires {least:.2%}: "
        f"that needs an epsilon of {needed:.2f}"
    )


def waivers_of(density: DensitySource | None) -> tuple[str, ...]:
    """An exact density discloses the number of edges."""
    return ("exact_density",) if density is not None and density.exact else ()


def noise_target(
    kind: type[Promise],
    guarantees: Sequence[Any],
    of_method: DensitySource | None,
    faults: Iterable[tuple[str, str]],
) -> tuple[Promise, DensitySource]:
    """The only guarantee, which must be of this kind, and its density; raise what contradicts them."""
    asked = [guarantee for guarantee in guarantees if isinstance(guarantee, kind)]
    if len(asked) != 1 or len(guarantees) != 1:
        raise InvalidPolicy("/guarantees", "edge_local_dp takes its epsilon from one guarantee edge_local_dp")
    found = list(faults)
    if found:
        raise InvalidPolicy.of(found)
    density = of_method or asked[0].density
    assert density is not None
    return asked[0], density


def refuse_few_edges(density: DensitySource, survival: float, least: float, needed: Callable[[float], float]) -> None:
    """Refuse if hardly any edge would be reported truly, with the epsilon for edges that is ``needed`` for the least
    survival."""
    if survival < least:
        nearest = {"epsilon": density.total(needed(least))}
        raise Infeasible([Reason("least_survival", least, survival)], nearest)


class Density(DensitySource):
    """Source of the density that the noise is calibrated for: exactly one of three."""

    declared: float | None = Field(default=None, ge=LEAST_DENSITY, le=1 - LEAST_DENSITY)
    """A public estimate of the share of pairs that are joined."""


class EdgeLocalDp(GraphGuarantee):
    """Whether any one pair of nodes is joined changes the odds of a release at most by the factor e^ε."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)
    assumes: ClassVar[str] = "Nothing: it holds for any attacker, for whether any one pair of nodes is joined."
    evidence: ClassVar[Literal["bytes", "bytes+sealed_map", "mechanism"]] = "mechanism"
    draws: ClassVar[Literal["sensitive", "records", "edges"] | None] = "edges"
    examples: ClassVar[Examples] = ({"epsilon": 6, "density": {"declared": 0.01}},)
    lists_nodes: ClassVar[bool] = True

    model: Literal["edge_local_dp"] = "edge_local_dp"
    epsilon: float = Field(ge=LEAST_EPSILON, le=50)
    """The privacy loss of a pair, including the part spent on the density."""
    density: Density | None = None
    """The density that the noise is calibrated for; declared here or with the method."""

    def waivers_needed(self) -> tuple[str, ...]:
        """An exact density discloses the number of edges."""
        return waivers_of(self.density)

    def admit(self, graph: Graph) -> None:
        """Refuse a graph without any pair of nodes."""
        if graph.n < 2:
            raise InvalidDataset("too_few_nodes", "a graph with fewer than two nodes has no pair to protect")

    def holds(self, graph: Graph) -> bool:
        """Always: no graph shows by itself how it was drawn."""
        return True
