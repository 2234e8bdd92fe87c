"""Policies: the model that all kinds share, one module for each kind, parsing and contradictions."""

from antifaz.policy.contradictions import replacing_gates
from antifaz.policy.graphs import GraphPolicy
from antifaz.policy.model import (
    AnyHierarchy,
    AttributePolicy,
    HierarchyReference,
    Policy,
    drawn_by_mechanism,
    promises_mechanism,
    without_data,
)
from antifaz.policy.networks import MOST_NODES_ALONE, NetworkPolicy, refuse_faint
from antifaz.policy.parse import (
    PolicyBody,
    hierarchy_shape,
    parse_hierarchy,
    parse_policy,
    privacy_loss,
    uncounted_loss,
)
from antifaz.policy.pointers import escaped, faults_of
from antifaz.policy.prices import price_of_policy
from antifaz.policy.tables import TablePolicy
from antifaz.policy.temporal import TemporalPolicy

__all__ = [
    "MOST_NODES_ALONE",
    "AnyHierarchy",
    "AttributePolicy",
    "GraphPolicy",
    "HierarchyReference",
    "NetworkPolicy",
    "Policy",
    "PolicyBody",
    "TablePolicy",
    "TemporalPolicy",
    "escaped",
    "faults_of",
    "hierarchy_shape",
    "parse_hierarchy",
    "parse_policy",
    "price_of_policy",
    "privacy_loss",
    "drawn_by_mechanism",
    "promises_mechanism",
    "refuse_faint",
    "replacing_gates",
    "uncounted_loss",
    "without_data",
]
