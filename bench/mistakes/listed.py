"""All mistakes that the tests must notice."""

from bench.mistakes.gate_and_leaks import GATE_AND_LEAKS
from bench.mistakes.mistake import ROOT, Mistake
from bench.mistakes.security import SECURITY

__all__ = ["MISTAKES", "ROOT", "Mistake"]

MISTAKES: list[Mistake] = [*GATE_AND_LEAKS, *SECURITY]
