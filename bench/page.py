"""The page of results: a section for each part, which a later run of that part replaces and other runs leave alone."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_HEADING = re.compile(r"^## (?P<part>[a-z]+)$", re.MULTILINE)
_ROW = re.compile(r"^\|.*\| (?P<met>yes|no|void) \|$", re.MULTILINE)
_COLUMNS = "| figure | measured | goal | met |\n| --- | --- | --- | --- |\n"


@dataclass(frozen=True)
class Figure:
    """One measured figure and its goal."""

    name: str
    measured: str
    goal: str
    met: bool


@dataclass(frozen=True)
class Section:
    """The result of one part."""

    part: str
    about: str
    """How it was measured, in a sentence or two."""
    figures: Sequence[Figure]
    circumstances: Sequence[str] = ()
    """Additional information: rates, loads, versions."""
    void: str | None = field(default=None)
    """Why the figures are not valid, if they are not."""

    def text(self) -> str:
        """The section as Markdown."""
        rows = [f"| {each.name} | {each.measured} | {each.goal} | {self._verdict(each)} |" for each in self.figures]
        notes = [*([f"**Void**: {self.void}."] if self.void else []), *self.circumstances]
        return "\n".join([self.about, "", _COLUMNS + "\n".join(rows), "", *(f"- {note}" for note in notes)]).strip()

    def _verdict(self, figure: Figure) -> str:
        return "void" if self.void else "yes" if figure.met else "no"


def sections_of(page: str) -> dict[str, str]:
    """The text of each section of a page, by part."""
    found = list(_HEADING.finditer(page))
    ends = [heading.start() for heading in found[1:]] + [len(page)] * bool(found)
    return {heading["part"]: page[heading.end() : end].strip() for heading, end in zip(found, ends, strict=True)}


def merged(page: str, measured: Sequence[Section], order: Sequence[str]) -> dict[str, str]:
    """The sections of a page, with newly measured ones replacing earlier ones."""
    texts = sections_of(page) | {section.part: section.text() for section in measured}
    return {part: texts[part] for part in order if part in texts}


def rendered(title: str, preface: str, sections: Mapping[str, str]) -> str:
    """The whole page: its introduction, the number of goals met, and every section."""
    verdicts = [row["met"] for text in sections.values() for row in _ROW.finditer(text)]
    count = {word: verdicts.count(word) for word in ("yes", "no", "void")}
    summary = f"{count['yes']} of {len(verdicts)} goals met, {count['no']} not met, {count['void']} void."
    parts = [f"## {part}\n\n{text}" for part, text in sections.items()]
    return "\n\n".join([f"# {title}", preface.strip(), summary, *parts]) + "\n"
