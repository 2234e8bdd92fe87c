"""TSCAN as a measure: agreement, quality, and the published figures."""

import numpy as np
import pytest
from hypothesis import given, settings
from pydantic import ValidationError

from antifaz.temporal.community_quality import as_published, temporal_weights
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.temporal.utility.tscan import Tscan
from antifaz.watch import unwatched
from bench.snapshots import CASES, read_snapshots
from tests.antifaz.temporal.sequences import released_as, renumbered, sequences, snapshots_of
from tests.datasets import data_file


def measure(snapshots: Snapshots, released: ProtectedSnapshots, **parameters: object) -> dict:
    return Tscan(**parameters).measure(snapshots, released, np.random.default_rng(0), unwatched)


CLIQUE = [(u, v) for u in range(4) for v in range(u)]


@settings(max_examples=50)
@given(sequences())
def test_new_numbers_change_nothing(snapshots):
    found = measure(snapshots, renumbered(snapshots), mu=1, tau=1)
    assert found["value"] == pytest.approx(1)
    assert found["cores"]["original"] == found["cores"]["released"]
    assert found["quality"]["original"]["as_published"] == pytest.approx(found["quality"]["released"]["as_published"])


def test_a_lost_community_is_seen():
    original = snapshots_of(8, *[CLIQUE + [(4 + u, 4 + v) for u, v in CLIQUE]] * 3)
    released = snapshots_of(8, *[CLIQUE] * 3)
    found = measure(original, released_as(released))
    assert found["value"] == 0.5
    assert found["communities"] == {"original": 2, "released": 1}
    assert found["over_time"] == {"original": [[1.0] * 3] * 2, "released": [[1.0] * 3]}
    assert found["parameters"] == {"variant": "A", "epsilon": 0.2, "mu": 3, "tau": 3, "consecutive": False}


@pytest.mark.parametrize("wrong", [{"epsilon": 0}, {"mu": 0}, {"tau": 0}, {"variant": "C"}, {"epsilon": 1.1}])
def test_senseless_parameters_are_refused(wrong):
    with pytest.raises(ValidationError):
        Tscan(**wrong)


PUBLISHED_CORES = [
    ("voles", (13, 5, 4), 0),
    ("Enron week", (133, 100, 89), 65),
    ("Enron month", (128, 102, 96), 86),
    ("CollegeMsg week", (120, 31, 15), 8),
    ("ant", (152, 152, 152), 152),
]


def published(name: str) -> Snapshots:
    case = CASES[name]
    return read_snapshots(data_file(f"graphs/{case.file}"), case.window, case.directed)


@pytest.mark.parametrize(("name", "cores", "in_a_row"), PUBLISHED_CORES)
def test_published_data_have_the_published_numbers_of_cores(name, cores, in_a_row):
    snapshots = published(name)
    for variant in "AB":
        counts = Tscan(variant=variant).cluster(snapshots, unwatched).counts()
        assert counts == dict(zip(("weak", "strong", "stable"), cores, strict=True)) | {"undecided": 0}
    assert Tscan(consecutive=True).cluster(snapshots, unwatched).counts()["stable"] == in_a_row


@pytest.mark.parametrize(
    ("name", "parameters", "figures"),
    [
        ("voles", {"variant": "B"}, (6.33, 11.0, 6.33)),
        ("voles", {"variant": "S"}, (3.42, 17.3, 6.33)),
        ("voles", {"variant": "B", "epsilon": 0.5}, (6.33, 11.0, 6.33)),
        ("voles", {"variant": "S", "epsilon": 0.5}, (6.33, 11.0, 6.33)),
        ("voles", {"epsilon": 0.8}, (None, None, None)),
        ("voles", {"mu": 5}, (None, None, None)),
        ("voles", {"tau": 5}, (None, None, None)),
        ("ant", {"variant": "B"}, (1, 2556.8, 1)),
    ],
)
def test_published_data_have_the_published_quality(name, parameters, figures):
    snapshots = published(name)
    found = Tscan(**parameters).cluster(snapshots, unwatched)
    quality = as_published(temporal_weights(snapshots), found.communities)
    rounded = {key: None if value is None else round(value, 1 if key == "AD" else 2) for key, value in quality.items()}
    assert rounded == dict(zip(("AS", "AD", "AC"), figures, strict=True))
