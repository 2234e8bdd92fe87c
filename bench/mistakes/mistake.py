"""A mistake: a text in a file of the product, the wrong text that replaces it, and the test named for it."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Mistake:
    """One mistake: the old text occurs exactly once in its file."""

    name: str
    file: str
    old: str
    new: str
    test: str

    @property
    def applies(self) -> bool:
        return (ROOT / self.file).read_text().count(self.old) == 1
