"""Noise: the draws of OpenDP, their stated cost, and that nothing else of it is used."""

import ast
import math
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import antifaz
from antifaz.noise import noisy_count

ENGINE = Path(antifaz.__path__[0])
SOURCES = sorted(ENGINE.rglob("*.py"))
FORBIDDEN = ("honest-but-curious", "idealized-numerics")


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 0.3, 1 / 3, 1.0, 7.7])
def test_the_loss_that_the_mechanism_states_is_at_most_epsilon_and_hardly_less(epsilon: float) -> None:
    drawn = noisy_count(1_000, epsilon)
    assert epsilon * (1 - 1e-12) <= drawn.epsilon <= epsilon
    assert drawn.library == f"opendp {version('opendp')}"


DRAWS = 8_000
CERTAIN = 1e-12
"""False alarms: by the chi-square distribution the right scale gives a p-value below this in one run of 10^12, when the
statistic exceeds 94.3. Power: in two million simulated runs the statistic against a scale that is 1.3 times off was
never below 317, against 0.7 times never below 1,104, and against the right scale never above 67."""


def far_from(counts: list[int], scale: float) -> float:
    """The chance that a discrete Laplace distribution gives counts that are so far from it."""
    values = np.array(counts)
    ratio = math.exp(-1 / scale)
    bins = np.arange(-8, 9)
    shares = (1 - ratio) / (1 + ratio) * ratio ** np.abs(bins)
    inside = np.array([(values == place).sum() for place in bins])
    seen = np.append(inside, len(values) - inside.sum())
    return float(stats.chisquare(seen, len(values) * np.append(shares, 1 - shares.sum())).pvalue)


def test_the_noise_is_discrete_laplace_and_a_scale_that_is_a_third_off_would_be_noticed() -> None:
    drawn = [noisy_count(0, 0.5).value for _ in range(DRAWS)]
    assert far_from(drawn, 2.0) > CERTAIN
    assert far_from(drawn, 2.0 * 1.3) < CERTAIN
    assert far_from(drawn, 2.0 * 0.7) < CERTAIN


def nodes_of(word: str, *kinds: type[ast.AST]) -> dict[str, list[str]]:
    """By file, everything of these kinds in the engine that holds the word; files without it are not even parsed."""
    texts = {source.name: source.read_text() for source in SOURCES}
    found = {}
    for name, text in texts.items():
        if word in text:
            nodes = [ast.unparse(node) for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
            found[name] = [node for node in nodes if word in node]
    return {name: nodes for name, nodes in found.items() if nodes}


def test_no_feature_is_enabled_that_rests_on_trust_and_no_other_sampler_is_called() -> None:
    assert nodes_of("enable_features", ast.Call) == {"noise.py": ["dp.enable_features('contrib')"]}
    assert nodes_of(".rvs(", ast.Call) == {}
    for name in FORBIDDEN:
        assert not [source.name for source in SOURCES if name in source.read_text()]


def test_the_library_is_loaded_by_one_module_and_only_where_it_is_used() -> None:
    assert nodes_of("opendp", ast.Import, ast.ImportFrom) == {"noise.py": ["import opendp.prelude as dp"]}
    at_once = [node for node in ast.parse((ENGINE / "noise.py").read_text()).body if "opendp" in ast.unparse(node)]
    assert not [node for node in at_once if isinstance(node, ast.Import | ast.ImportFrom)]
