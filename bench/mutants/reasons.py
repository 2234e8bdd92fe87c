"""Reasons: why a mutant may survive, stated in reasons.toml by the mutant's name."""

import tomllib
from functools import cache
from pathlib import Path

from bench.mutants.operators import Mutant


def reason_of(mutant: Mutant) -> str:
    """The reason of a mutant; empty if there is none."""
    return _stated().get(mutant.name, "")


@cache
def _stated() -> dict[str, str]:
    stated = tomllib.loads(Path(__file__).with_name("reasons.toml").read_text("utf-8"))
    return {name: reason["why"] for reason in stated["reason"] for name in reason["mutants"]}
