"""The page of refusals: every code that an answer, a failed job or a refused release can carry."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from antifaz import catalogue, errors
from antifaz.policy.model import Gate
from formats.core.rules import RULES
from handbook.docstrings import markdown
from publication import outcomes
from service.http.problem_kinds import KINDS
from workers.run import problems


@dataclass(frozen=True)
class Refusal:
    """What a code means in one place."""

    code: str
    title: str
    meaning: str
    remedy: str


def refusals() -> dict[str, list[Refusal]]:
    """All refusals by the heading of their section. Some codes have a meaning in two sections."""
    return {
        "Requests that are not answered as asked": [
            Refusal(code, f"{title} ({status})", meaning, remedy)
            for code, (status, title, meaning, remedy) in KINDS.items()
        ],
        "Files that cannot be read": list(_rows(RULES)),
        "Data that does not fit its policy": list(_rows(errors.DATA_RULES)),
        "Policies that no release satisfies": list(_rows(errors.REASONS | outcomes.REASONS | problems.REASONS)),
        "Guarantees that cannot be reached": list(_guarantees()),
        "Limits of the gate": list(_limits()),
        "Jobs that fail": [
            Refusal(code, title, meaning, remedy) for code, (_, title, meaning, remedy) in problems.FAILURES.items()
        ],
    }


def _rows(rules: Mapping[str, tuple[str, str, str]]) -> Iterator[Refusal]:
    return (Refusal(code, *row) for code, row in rules.items())


def _guarantees() -> Iterator[Refusal]:
    meaning = "The method found no release that keeps this guarantee, or the verifier found that the release does not."
    remedy = "Lower the guarantee, choose another method, or provide more data. See [{page}]({page}#{code})."
    for part in catalogue.parts("guarantees"):
        code = part.wire_name()
        page = _PAGES[part.kinds[0]]
        yield Refusal(code, f"The guarantee {code}", meaning, remedy.format(page=page, code=code))


_PAGES = {"table": "tables.md", "graph": "graphs.md", "temporal_graph": "temporal.md"}


def _limits() -> Iterator[Refusal]:
    remedy = "Change the policy until the figure is within the limit, or change the limit in `gate`."
    for code, field in Gate.model_json_schema()["properties"].items():
        yield Refusal(code, "The figure breaks the limit of the policy", markdown(field["description"]), remedy)


def refusals_page() -> str:
    """Every section. A code has one heading, to which links can point; a second meaning stands below the first."""
    shown: set[str] = set()
    sections = refusals()
    everything = [refusal for section in sections.values() for refusal in section]
    written = []
    for heading, section in sections.items():
        codes = [code for code in dict.fromkeys(refusal.code for refusal in section) if code not in shown]
        shown.update(codes)
        written += [f"## {heading}", *(_entry(code, everything) for code in codes)]
    return "\n\n".join(written)


def _entry(code: str, everything: Iterable[Refusal]) -> str:
    meanings = [
        f"**{refusal.title}.** {refusal.meaning}\n*What to do:* {refusal.remedy}"
        for refusal in everything
        if refusal.code == code
    ]
    return "\n\n".join([f"### `{code}`", *meanings])
