"""Protect: a dataset and a policy become protected data and an account of what was done.

`check` is quick and finds errors in the values; `protect` does the work. Both delegate to the kind of data.
"""

from collections.abc import Mapping

import numpy as np

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.kinds import kind_named
from antifaz.kinds.kind import Checked, Dataset, Protected
from antifaz.policy.model import Policy
from antifaz.watch import Watch, unwatched


def check(
    dataset: Dataset,
    policy: Policy,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    populations: Mapping[str, Dataset] | None = None,
) -> Checked:
    """Return the dataset checked against the policy; ``hierarchies`` and ``populations`` map the ids it refers to."""
    if dataset.kind != policy.kind:
        raise InvalidDataset("kind", f"the policy is for a {policy.kind} and the dataset is a {dataset.kind}")
    checked: Checked = kind_named(policy.kind).check(dataset, policy, hierarchies or {}, populations or {})
    return checked


def protect(
    checked: Checked, policy: Policy, rng: np.random.Generator, watch: Watch = unwatched, key: bytes | None = None
) -> Protected:
    """Protect the data, then break every link to the original's order. Pseudonyms are derived from the key."""
    protected: Protected = kind_named(policy.kind).protect(checked, policy, rng, watch, key)
    return protected
