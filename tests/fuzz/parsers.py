"""Fuzz tests of parsers: for any bytes, a parser returns a result or raises its refusal error.

    python -m tests.fuzz.parsers csv --seconds 600

fuzzes one target for that long. If the package atheris is installed, coverage guides the choice of bytes; otherwise
hypothesis makes them, as it does briefly for every target in the tests. Any other error, an answer that takes seconds,
and excessive memory are findings: their bytes are kept in a folder and the command fails.

A target is the whole path of bytes through the service, not one function: a file is unpacked and sniffed as in an
upload, read as in a worker with the result of the sniffing, and profiled; a policy is parsed, written, parsed again and
checked against a dataset.
"""

import argparse
import hashlib
import importlib.util
import re
import resource
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, given, settings

from tests.fuzz.contents import contents
from tests.fuzz.targets import TARGETS, Target

SLOW_SECONDS = 5.0
"""An answer to a few kilobytes that takes longer is a finding."""
LARGE_KILOBYTES = 256 << 10
"""So is one that makes the process grow by more than this."""
_ROUND = 100
"""Number of contents between two checks of the clock, without coverage."""


# --- fuzz ------------------------------------------------------------------------------------------------------------


def fire_by_hypothesis(target: Target, examples: int) -> None:
    """Try a number of contents; the first that causes an unexpected error is shrunk and raised."""

    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(contents(target))
    def fire(content: bytes) -> None:
        target.fire(content)

    fire()


@dataclass
class Watched:
    """A target whose findings are kept instead of raised, so that one does not end the run."""

    target: Target
    folder: Path
    fired: int = 0
    accepted: int = 0
    seen: set[str] = field(default_factory=set)
    largest: int = 0

    def fire(self, content: bytes) -> None:
        started = time.process_time()
        try:
            self.accepted += self.target.fire(content)
        except Exception as error:  # noqa: BLE001 - any error that escapes is a finding
            self._keep(content, _cause(error), "".join(traceback.format_exception(error)))
        seconds, size = time.process_time() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if seconds > SLOW_SECONDS:
            self._keep(content, "slow", f"{seconds:.1f} s")
        if self.largest and size - self.largest > LARGE_KILOBYTES:
            self._keep(content, "large", f"{size - self.largest} KiB more")
        self.largest = max(size, self.largest)
        self.fired += 1
        if self.fired % 256 == 0:
            self.say()

    def _keep(self, content: bytes, cause: str, story: str) -> None:
        if cause not in self.seen:
            self.seen.add(cause)
            stem = self.folder / hashlib.sha256(content).hexdigest()[:16]
            stem.with_suffix(".bin").write_bytes(content)
            stem.with_suffix(".txt").write_text(f"{cause}\n{story}\n{content[:2000]!r}\n")
            self.say()

    def say(self) -> None:
        (self.folder / "fired").write_text(f"{self.fired} {self.accepted}")


def _cause(error: Exception) -> str:
    """The identity of a finding: the error and the innermost line of our code in its traceback."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "site-packages" not in frame.filename]
    return f"{type(error).__name__} at {Path(frames[-1].filename).name}:{frames[-1].lineno}"


def fire_guided(name: str, seconds: float, keep: Path) -> tuple[int, int, list[str]]:
    """Fuzz guided by coverage, in separate processes; returns how many were tried and accepted, and the findings.

    A process that dies (a fault in a library, a hang, memory) is a finding too, and another one continues.
    """
    until, fired, accepted, found = time.monotonic() + seconds, 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        for number, seed in enumerate(_corpus(TARGETS[name])):
            (corpus / f"seed{number}").write_bytes(seed)
        words = {word for seed in TARGETS[name].seeds for word in re.findall(rb"[A-Za-z_.]{2,30}", seed)}
        dictionary = Path(folder, "words")
        dictionary.write_text("".join(f'"{word.decode()}"\n' for word in sorted(words)))
        while (left := until - time.monotonic()) > 1:
            command = [sys.executable, "-m", "tests.fuzz.guided", name, str(int(left)), str(corpus), str(keep)]
            ran = subprocess.run([*command, str(dictionary)], capture_output=True, check=False)
            more, well = _count(keep / "fired")
            fired, accepted = fired + more, accepted + well
            if ran.returncode:
                (keep / f"died-{len(found)}.log").write_bytes(ran.stdout[-20_000:] + ran.stderr[-20_000:])
                found.append(f"the process died ({ran.returncode})")
            if not more:
                break
    return fired, accepted, found + _kept(keep)


def _corpus(target: Target) -> Iterator[bytes]:
    """The initial corpus of a run; if hypothesis turns bytes into documents, any bytes will do."""
    if not target.documents:
        yield from target.seeds
        return
    for number in range(64):
        yield hashlib.shake_256(bytes([number])).digest(32 + 8 * number)


def _count(path: Path) -> tuple[int, int]:
    if not path.exists():
        return 0, 0
    fired, accepted = path.read_text().split()
    path.unlink()
    return int(fired), int(accepted)


def _kept(keep: Path) -> list[str]:
    return sorted({path.read_text().partition("\n")[0] for path in keep.glob("*.txt")})


def fire_unguided(name: str, seconds: float, keep: Path) -> tuple[int, int, list[str]]:
    """The same, with contents from hypothesis."""
    watched, until = Watched(TARGETS[name], keep), time.monotonic() + seconds

    @settings(max_examples=_ROUND, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(contents(TARGETS[name]))
    def fire(content: bytes) -> None:
        watched.fire(content)

    while time.monotonic() < until:
        fire()
    return watched.fired, watched.accepted, _kept(keep)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one target; the exit status shows whether anything was found."""
    parser = argparse.ArgumentParser(prog="parsers", description="Fire at one parser.")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--keep", type=Path, help="folder for what is found; a new one when left out")
    chosen = parser.parse_args(arguments)
    keep = chosen.keep or Path(tempfile.mkdtemp(prefix="fuzz-"))
    keep.mkdir(parents=True, exist_ok=True)
    guided = importlib.util.find_spec("atheris") is not None
    fired, accepted, found = (fire_guided if guided else fire_unguided)(chosen.target, chosen.seconds, keep)
    how = "guided by coverage" if guided else "unguided"
    print(
        f"{chosen.target}: {fired} contents in {chosen.seconds} s ({how}), {accepted} accepted, {len(found)} findings"
    )
    for finding in found:
        print(f"  {finding} (in {keep})")
    return 1 if found or not fired else 0


if __name__ == "__main__":
    sys.exit(main())
