"""Reasons: why a mutant may live, stated in reasons.toml by place and change."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from bench.mutants.operators import Mutant


def reason_of(mutant: Mutant) -> str:
    """The reason of a mutant; empty where there is none."""
    place, change = f"{mutant.file}::{mutant.function}", f"{mutant.before} → {mutant.after}"
    for reason in _stated():
        if place.startswith(tuple(reason["where"])) and any(re.search(each, change) for each in reason["changes"]):
            return str(reason["why"])
    return ""


@cache
def _stated() -> list[dict[str, Any]]:
    stated: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("reasons.toml").read_text("utf-8"))["reason"]
    return stated
