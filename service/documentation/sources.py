"""Sources: the Markdown files of docs/ that are served, and their names.

A checkout has them in docs/; a built distribution has copies next to this module, made by setup.py.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_BUILT = Path(__file__).parent / "pages"
FOLDER: Final = _BUILT if _BUILT.is_dir() else Path(__file__).resolve().parents[2] / "docs"

GUIDES: Final = {
    "tables": "guides/tables.md",
    "graphs": "guides/graphs.md",
    "temporal-graphs": "guides/temporal-graphs.md",
    "choosing": "guides/choosing.md",
    "reading-a-report": "guides/reading-a-report.md",
    "what-k-means": "topics/what-k-means.md",
    "people-and-rows": "topics/people-and-rows.md",
    "missing-values": "topics/missing-values.md",
    "repeated-releases": "topics/repeated-releases.md",
    "differential-privacy": "guides/differential-privacy.md",
    "which-epsilon": "which-epsilon.md",
    "portals": "guides/portals.md",
    "deploying": "guides/deploying.md",
    "glossary": "glossary.md",
}
"""Name → file, in the order in which a new reader would read them."""

REFERENCE: Final = {
    "policy": "policy.md",
    "refusals": "refusals.md",
    "tables": "tables.md",
    "graphs": "graphs.md",
    "temporal": "temporal.md",
    "hierarchies": "hierarchies.md",
    "differential-privacy": "differential-privacy.md",
    "portals": "portals.md",
    "promise": "promise.md",
    "cli": "cli.md",
    "client": "client.md",
    "library": "library.md",
}

GROUPS: Final = {"guides": GUIDES, "reference": REFERENCE}


@dataclass(frozen=True)
class Source:
    """A page of documentation in Markdown."""

    group: str
    name: str
    file: str
    """Its path relative to docs/."""
    text: str

    @property
    def path(self) -> str:
        """Its address."""
        return f"/docs/{self.group}/{self.name}"

    @property
    def title(self) -> str:
        """Its first heading, up to a colon."""
        return self._heading.partition(":")[0]

    @property
    def subtitle(self) -> str:
        """The text of its first heading after the colon, or its first sentence."""
        said = self._heading.partition(":")[2].strip() or _first_sentence(self.text)
        return said[:1].upper() + said[1:]

    @property
    def _heading(self) -> str:
        return next(line[2:].strip() for line in self.text.splitlines() if line.startswith("# "))


def _first_sentence(text: str) -> str:
    lines = text.partition("\n# ")[2] or text
    paragraph = next(
        part for part in lines.split("\n\n")[1:] if part.strip() and not part.startswith(("#", "|", "```"))
    )
    return paragraph.strip().replace("\n", " ").replace("`", "").partition(". ")[0].rstrip(".") + "."


@cache
def sources() -> dict[str, Source]:
    """Every page that is served, by its address."""
    found = [
        Source(group, name, file, (FOLDER / file).read_text(encoding="utf-8"))
        for group, files in GROUPS.items()
        for name, file in files.items()
    ]
    return {source.path: source for source in found}


def address_of(file: str) -> str | None:
    """The address of a file of docs/; None if it is not served."""
    return next((source.path for source in sources().values() if source.file == file), None)
