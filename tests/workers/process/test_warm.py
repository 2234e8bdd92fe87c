"""Every kernel is compiled ahead of its first use, once, and those of the bundled examples before all others."""

import csv
import json
from pathlib import Path

import numpy as np

from antifaz import assessment, protection
from antifaz.arrays import distinct
from antifaz.graphs.graph import Graph
from antifaz.kernels.numba.compiled import Kernel
from antifaz.kinds.graph import GraphDataset
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from formats.core.raw import RawColumn
from workers.process import warm

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_the_kernels_that_the_bundled_examples_call_come_first(monkeypatch):
    called = set()
    call = Kernel.__call__

    def note(kernel, *arguments):
        called.add(f"{kernel.__module__.removeprefix('antifaz.kernels.')}.{kernel.__name__}")
        return call(kernel, *arguments)

    monkeypatch.setattr(Kernel, "__call__", note)
    for name, dataset in (("patients", patients()), ("friends", friends())):
        policy = parse_policy(json.loads((EXAMPLES / f"{name}.policy.json").read_text()))
        rng = np.random.default_rng(1)
        checked = protection.check(dataset, policy)
        assessment.assess(checked, protection.protect(checked, policy, rng), policy, rng)
    assert sorted(called) == sorted(warm.FIRST)


def patients():
    with (EXAMPLES / "patients.csv").open() as file:
        header, *rows = csv.reader(file)
    columns = []
    for name, cells in zip(header, zip(*rows, strict=True), strict=True):
        texts, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
        columns.append(RawColumn(name, codes.astype(np.int32), texts))
    return Dataset(tuple(columns), len(rows))


def friends():
    ends = [line.split(",") for line in (EXAMPLES / "friends.edges").read_text().splitlines()[2:]]
    _, codes = np.unique(np.array(ends), return_inverse=True)
    pairs = codes.reshape(-1, 2).astype(np.int64)
    n = len(distinct(codes.ravel()))
    return GraphDataset((), n, ".", graph=Graph.from_pairs(n, pairs[:, 0], pairs[:, 1], False))


def test_every_kernel_is_in_one_share_and_related_ones_are_together():
    every = sorted(warm.kernels())
    for processes in (1, 2, 5):
        shares = warm.deal(warm.families(), processes)
        assert sorted(kernel for share in shares for kernel in share) == every
        place = {module: number for number, share in enumerate(shares) for module, _ in share}
        assert place["antifaz.kernels.graphs.search"] == place["antifaz.kernels.graphs.pairs"]
        for share in shares:
            early = [f"{module.split('.')[-1]}.{name}" in warm.FIRST for module, name in share]
            assert early == sorted(early, reverse=True)
