"""The independent verifier: re-checks guarantees on the bytes of a release.

It shares nothing with the methods that made the release: it knows the policy's JSON, the released bytes and, where a
guarantee counts persons, the sealed map. Labels are compared as exact texts; ``*`` and the empty text are ordinary
values; nothing is trimmed or folded; an empty release never passes.
"""

from verifier.check import verify
from verifier.verdict import Artifact, Finding, Verdict

__all__ = ["Artifact", "Finding", "Verdict", "verify"]
