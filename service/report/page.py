"""The report as a page: self-contained HTML without scripts, for every outcome of a job."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from service.report import attacks, losses, numbers, promises, tables
from service.report.assets import icon, source_of, style_sheet
from service.report.charts import Drawing
from service.report.figures import further_charts, opening_charts

STYLE = style_sheet("design.css", "report.css")


def policy_for(style: str) -> str:
    """The content security policy of a page: nothing is loaded, nothing runs, only the page's own style applies."""
    own = source_of(style)
    return f"default-src 'none'; style-src {own}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


CONTENT_SECURITY_POLICY = policy_for(STYLE)

KINDS = {"table": "Table", "graph": "Graph", "temporal_graph": "Temporal graph"}
_NOT_PRIVATE = "Computed from the original and not covered by the promise of differential privacy: do not pass it on."
_GENERAL = ("SYNTACTIC_NO_FORMAL_GUARANTEE",)
"""Warnings that hold for every release of their kind; they are shown at the end instead of the top."""

Figures = Mapping[str, Any]


@dataclass(frozen=True)
class Account:
    """The data of a page: a report reduced to its reader's view, and other data that the reader may see."""

    status: str
    """``released``, ``assessed``, ``refused`` or ``failed``."""
    name: str
    made_at: str | None
    report: Figures
    release: Figures | None = None
    """The release as the API answers it, if there is one."""
    error: Figures | None = None
    """Why the job failed."""
    drawing: Drawing | None = None
    """The released graph, if it is small and the reader may download it."""


def render(account: Account) -> str:
    """The page."""
    shown = replace(
        account, report=lenient(account.report), release=lenient(account.release), error=lenient(account.error)
    )
    return _ENVIRONMENT.get_template("report.html").render(
        style=STYLE,
        account=shown,
        made_on=numbers.date_of(account.made_at),
        report=shown.report,
        policy=_mapping(account.report.get("policy")),
        kind=KINDS.get(str(account.report.get("kind")), ""),
        charts=opening_charts(account.report),
        more_charts=further_charts(account.report),
        questions=attacks.question_rows(account.report),
        warnings=warnings_in_words(account.report),
        remarks=warnings_in_words(account.report, general=True),
        risks=tables.risk_blocks(account.report),
        attacks=lenient(_attacks(account.report)),
        utility=tables.utility_tables(account.report),
        explanation=lenient(_explanation(account.report)),
        changes=tables.change_rows(account.report),
        artifacts=lenient(_artifacts(account)),
        not_private=_NOT_PRIVATE if _is_not_private(account.report) else "",
    )


class _Lenient(dict[str, Any]):
    """A part of a report in which missing members are None.

    A reader may not see everything, and an older report may lack newer members: the page shows a gap instead of
    failing. A misspelled top-level name in a template is still an error.
    """

    def __missing__(self, name: str) -> None:
        return None


def lenient(value: Any) -> Any:
    """A value whose mappings, at every depth, return None for missing members."""
    if isinstance(value, Mapping):
        return _Lenient({name: lenient(each) for name, each in value.items()})
    return [lenient(each) for each in value] if isinstance(value, list | tuple) else value


def _mapping(value: Any) -> Figures:
    return value if isinstance(value, Mapping) else {}


def _is_not_private(report: Figures) -> bool:
    """Whether figures were computed from the original although the job promised differential privacy."""
    return any(_mapping(report.get(part)).get("private") is False for part in ("risk", "utility", "transformation"))


def warnings_in_words(report: Figures, general: bool = False) -> list[str]:
    """The warnings about this release, or the general ones about all of its kind."""
    listed = report.get("warnings")
    found = [each for each in listed if _is_general(each) == general] if isinstance(listed, Sequence) else []
    return [warning_in_words(warning) for warning in found]


def _is_general(warning: Any) -> bool:
    return isinstance(warning, Mapping) and warning.get("code") in _GENERAL


def warning_in_words(warning: Any) -> str:
    """A warning: its text, then its figures."""
    if not isinstance(warning, Mapping):
        return str(warning)
    if warning.get("code") == "HOMOGENEOUS_CLASSES" and numbers.is_number(warning.get("share")):
        return (
            f"{numbers.percent(warning['share'])} of the rows share their {warning.get('attribute')} with everyone "
            "who looks like them: anyone who finds the group learns it."
        )
    if warning.get("code") == "UNIQUE_TRAJECTORIES" and numbers.is_number(warning.get("share")):
        return (
            f"{numbers.percent(warning['share'])} of the nodes have degrees over time that no other node has: anyone "
            "who knows how many contacts a person has in every snapshot finds that person."
        )
    figures = {name: value for name, value in warning.items() if name not in ("code", "detail")}
    said = str(warning.get("detail", warning.get("code", "")))
    said = said[:1].upper() + said[1:]
    return f"{said} ({numbers.plain(figures)})" if figures else said


def _attacks(report: Figures) -> list[Figures]:
    listed = _mapping(report.get("risk")).get("attacks")
    return [attack for attack in listed if isinstance(attack, Mapping)] if isinstance(listed, Sequence) else []


def _explanation(report: Figures) -> Figures | None:
    found = report.get("explanation")
    return found if isinstance(found, Mapping) and "attributes" in found else None


def _artifacts(account: Account) -> list[Figures]:
    """The files; the release's list includes their sizes."""
    listed = (account.release or account.report).get("artifacts") or []
    files = [each for each in listed if isinstance(each, Mapping)]
    return sorted(files, key=lambda each: (each.get("part") in ("nodes", "snapshots"), str(each.get("part"))))


def mechanism_rows(mechanism: Figures) -> list[tuple[str, str]]:
    """The public parameters of a mechanism, one line for each figure."""
    rows = []
    for name, about in mechanism.items():
        figures = about if isinstance(about, Mapping) else {"": about}
        title = numbers.words(name)
        rows += [(f"{title}: {numbers.words(figure)}", numbers.plain(each)) for figure, each in figures.items()]
    return rows


def level_shares(levels: Figures) -> str:
    """The share of rows at each level that has rows."""
    return ", ".join(f"{level}: {numbers.percent(share)}" for level, share in levels.items() if share) or "–"


def attack_details(attack: Figures, kind: str) -> str:
    """The description of an attack, and its figures other than the rate."""
    figures = {name: each for name, each in attack.items() if name not in ("name", "rate", "baseline", "attack", "on")}
    plain = {name: each for name, each in figures.items() if not isinstance(each, Mapping | list)}
    said = tables.summary_of("attacks", kind, str(attack.get("name")))
    return f"{said}: {numbers.plain(plain)}" if plain and said else said or numbers.plain(plain)


def environment() -> Environment:
    """Templates of the pages, with their shared filters."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"icon": icon, "question_words": attacks.QUESTION_WORDS}
    made.filters |= {
        "against": promises.against,
        "attack_details": attack_details,
        "attack_title": attacks.attack_title,
        "date": numbers.date_of,
        "figures": promises.shown_figures,
        "headline": promises.headline,
        "json": tables.as_json,
        "levels": level_shares,
        "mechanism_rows": mechanism_rows,
        "loss_headline": losses.loss_headline,
        "loss_in_words": losses.loss_in_words,
        "nearest_in_words": losses.nearest_in_words,
        "plain": numbers.plain,
        "promise_in_words": promises.promise_in_words,
        "reason_in_words": losses.reason_in_words,
        "share": numbers.percent,
        "show": numbers.show,
        "size": numbers.size_of,
        "words": numbers.words,
    }
    return made


_ENVIRONMENT = environment()
