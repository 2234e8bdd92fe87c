"""One process of a run that is guided by coverage; `tests.fuzz.parsers` starts it.

    python -m tests.fuzz.guided TARGET SECONDS CORPUS KEEP DICTIONARY

libFuzzer ends the process when its time is over, so each run has its own process. Coverage counts only the project's
own code; compiled kernels are excluded, because their bytecode must not change.
"""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

COUNTED = ["antifaz", "api_schemas", "service", "storage", "workers"]
NOT_COUNTED = ["antifaz.kernels"]


def main(arguments: list[str]) -> None:
    """Fuzz until the time is over."""
    name, seconds, corpus, keep, dictionary = arguments
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=COUNTED, exclude=NOT_COUNTED):
        parsers = importlib.import_module("tests.fuzz.parsers")
    target = parsers.TARGETS[name]
    watched = parsers.Watched(target, Path(keep))
    options = [
        f"-max_total_time={seconds}",
        "-max_len=4096",
        "-timeout=60",
        "-rss_limit_mb=3000",
        f"-artifact_prefix={keep}/",
    ]
    words = [f"-dict={dictionary}"] if Path(dictionary).stat().st_size else []
    fire: Callable[[bytes], None] = watched.fire
    if target.documents:
        fire, words = _by_members(parsers, target, watched), []
    atheris.Setup([sys.argv[0], *options, *words, corpus], fire)
    atheris.Fuzz()


def _by_members(parsers: Any, target: Any, watched: Any) -> Callable[[bytes], None]:
    """Bytes as the choices from which hypothesis makes a document."""
    from hypothesis import HealthCheck, given, settings

    @settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(parsers.contents(target))
    def fire(content: bytes) -> None:
        watched.fire(content)

    choose: Any = fire.hypothesis.fuzz_one_input  # type: ignore[attr-defined]

    def one(choices: bytes) -> None:
        choose(choices)

    return one


if __name__ == "__main__":
    main(sys.argv[1:])
