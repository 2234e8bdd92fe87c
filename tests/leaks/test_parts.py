"""L11 for every part: no account, figure or error of a method, measure or attack contains a value."""

import json
from typing import Any

import numpy as np
import pytest

from antifaz import catalogue
from antifaz.assessment import Assessment, assess
from antifaz.errors import AntifazError, Infeasible, InvalidDataset, InvalidPolicy
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from formats.core.raw import RawColumn
from tests.leaks.canary import CanaryData

OUTLIER, LEAST = 98_765_432, -87_654_321
GUARANTEES: dict[str, dict[str, Any]] = {
    "k_anonymity": {"k": 3},
    "l_diversity": {"variant": "distinct", "l": 2, "attribute": "illness"},
}
NEEDED: dict[str, dict[str, Any]] = {
    "generalize": {"levels": {"home": 1}},
    "suppress": {"attributes": ["trade"]},
    "randomized_response": {"epsilon": 2.0},
    "pipeline": {"steps": [{"name": "suppress", "attributes": ["trade"]}, {"name": "mondrian"}]},
}
"""Parameters of methods that do nothing by default."""


def encoded(name: str, texts: list[str]) -> RawColumn:
    values, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
    return RawColumn(name, codes.astype(np.int32), values)


def dataset(data: CanaryData) -> Dataset:
    """The canary table, with one income far above and one far below all others."""
    header, *rows = data.rows()
    columns = {name: [row[place] for row in rows] for place, name in enumerate(header)}
    columns["income"] = [str(OUTLIER), str(LEAST), *(str(1000 + 7 * n) for n in range(len(rows) - 2))]
    return Dataset(tuple(encoded(name, texts) for name, texts in columns.items()), len(rows))


def policy_for(data: CanaryData, method: Any) -> dict[str, Any]:
    policy = data.table_policy(formats=["csv"])
    policy["attributes"]["income"] = {"role": "quasi_identifier", "type": "integer"}
    policy["guarantees"] = [
        {"model": name, **GUARANTEES[name]} for name in GUARANTEES if name in getattr(method, "gives", ())
    ]
    if not policy["guarantees"]:
        policy["waivers"] = [
            {"rule": rule, "reason": "test"} for rule in ("no_guarantee", "pram_invariant", "observed_domain")
        ]
    policy["method"] = {"name": method.wire_name(), **NEEDED.get(method.wire_name(), {})}
    measures = [part.wire_name() for part in catalogue.parts("utility", "table") if "table" in part.__module__]
    attacks = [part.wire_name() for part in catalogue.parts("attacks", "table") if "table" in part.__module__]
    policy["report"] = {"utility": measures, "attacks": attacks}
    return policy


def told(content: Any) -> str:
    return json.dumps(content, default=str)


def assert_silent(data: CanaryData, text: str) -> None:
    assert data.anything.find(text) == []
    for number in (OUTLIER, LEAST, OUTLIER - LEAST):
        assert str(abs(number)) not in text


@pytest.mark.parametrize("method", catalogue.parts("methods", "table"), ids=lambda part: part.wire_name())
def test_neither_the_account_of_a_method_nor_any_figure_about_it_holds_a_value(method: Any) -> None:
    data = CanaryData()
    document = policy_for(data, method)
    try:
        policy = parse_policy(document)
    except InvalidPolicy as error:
        pytest.skip(f"needs more than this test gives it: {error.faults[0][0]}")
    rng = np.random.default_rng(3)
    try:
        checked = check(dataset(data), policy)
        protected = protect(checked, policy, rng)
    except (Infeasible, InvalidDataset, InvalidPolicy) as error:
        assert_silent(data, described(error))
        return
    assessment: Assessment = assess(checked, protected, policy, rng)
    assert_silent(data, told(protected.account))
    for figures in (assessment.before, assessment.after, assessment.attacks, assessment.utility):
        assert_silent(data, told(figures))


def described(error: AntifazError) -> str:
    """Everything that a report or a problem could take from an error."""
    return told([error.args, vars(error)])
