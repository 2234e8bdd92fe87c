"""The independent verifier: re-checks guarantees on the bytes of a release.

It shares no code with the methods that made the release. Its input is the policy's JSON, the released bytes and, if a
guarantee counts persons, the sealed map. Labels are compared as exact texts: ``*`` and the empty text are ordinary
values, and nothing is trimmed or folded. An empty release never passes.
"""

from verifier.check import verify
from verifier.verdict.verdict import Artifact, Finding, Verdict

__all__ = ["Artifact", "Finding", "Verdict", "verify"]
