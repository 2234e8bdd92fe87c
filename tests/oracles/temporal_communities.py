"""TSCAN by its definitions, over plain sets: every choice of neighbors and snapshots is tried."""

from itertools import combinations
from math import sqrt

from antifaz.temporal.snapshots import Snapshots

Times = dict[tuple[int, int], set[int]]


def similar_times(snapshots: Snapshots, epsilon: float) -> Times:
    """For every ordered pair of nodes the snapshots in which it is joined and similar."""
    found: Times = {}
    for t in range(len(snapshots)):
        graph = snapshots.graph(t)
        around: dict[int, set[int]] = {node: set() for node in range(snapshots.n)}
        for u, v in zip(graph.sources.tolist(), graph.targets.tolist(), strict=True):
            around[u].add(v)
            around[v].add(u)
        for u, others in around.items():
            for v in others:
                both = len(others & around[v]) + 2
                if both / sqrt((len(others) + 1) * (len(around[v]) + 1)) >= epsilon:
                    found.setdefault((u, v), set()).add(t)
    return found


def lasting_neighbors(times: Times, node: int, tau: int) -> set[int]:
    """The neighbors that are similar in at least tau snapshots."""
    return {v for (u, v), found in times.items() if u == node and len(found) >= tau}


def is_weak(times: Times, node: int, mu: int, tau: int) -> bool:
    """At least mu of them."""
    return len(lasting_neighbors(times, node, tau)) >= mu


def is_strong(times: Times, node: int, mu: int, tau: int, count: int) -> bool:
    """In at least tau snapshots, mu of them at the same time."""
    others = lasting_neighbors(times, node, tau)
    full = [t for t in range(count) if sum(t in times[node, v] for v in others) >= mu]
    return is_weak(times, node, mu, tau) and len(full) >= tau


def is_stable(times: Times, node: int, mu: int, tau: int, count: int, consecutive: bool = False) -> bool:
    """Some mu neighbors and some tau snapshots (consecutive if required) in which all of them are similar."""
    others = {v for u, v in times if u == node}
    rows = [range(t, t + tau) for t in range(count - tau + 1)]
    choices = rows if consecutive else combinations(range(count), tau)
    return any(sum(set(chosen) <= times[node, v] for v in others) >= mu for chosen in choices)


def communities(times: Times, cores: set[int], tau: int) -> set[frozenset[int]]:
    """Cores that are connected by lasting similarity, and the nodes that are lastingly similar to one."""
    found, left = set(), set(cores)
    while left:
        reached, members, waiting = set(), set(), [left.pop()]
        while waiting:
            core = waiting.pop()
            reached.add(core)
            members |= {core} | lasting_neighbors(times, core, tau)
            waiting += [v for v in lasting_neighbors(times, core, tau) & cores if v not in reached]
        left -= reached
        found.add(frozenset(members))
    return found
