"""The report as a page: self-contained HTML without scripts, with a histogram of class sizes or degrees."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from service.charts import STYLE
from service.temporal_charts import temporal_drawings

CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"

_WIDTH, _HEIGHT, _MARGIN = 640, 200, 28
_MOST_LISTED = 40
"""Longer lists are counted and not written out."""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Report{% if report.release_id %} of release {{ report.release_id }}{% endif %}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid #d0d7de; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #eaeef2; }
th { font-weight: 600; white-space: nowrap; }
.holds { color: #116329; font-weight: 600; } .broken { color: #a40e26; font-weight: 600; }
.note { background: #fff8e5; border-left: 4px solid #d4a72c; padding: .5rem .8rem; margin: .5rem 0; }
code { font: .85em ui-monospace, monospace; word-break: break-all; }
svg { width: 100%; height: auto; } rect { fill: #3b6ea8; } text { font: 11px system-ui, sans-serif; fill: #57606a; }
{{ chart_style }}
@media (prefers-color-scheme: dark) {
  body { background: #0d1117; color: #e6edf3; } h2 { border-color: #30363d; } th, td { border-color: #21262d; }
  .note { background: #272115; } .holds { color: #56d364; } .broken { color: #ff7b72; } rect { fill: #6ea8e0; }
  text { fill: #9198a1; }
}
</style>
</head>
<body>
<h1>What this release promises, and against whom</h1>
{% if report.release_id %}<p>Release <code>{{ report.release_id }}</code></p>
{% else %}<p class="note">No release was made from this job.</p>{% endif %}
{% for warning in report.warnings or [] %}<p class="note">{{ warning | sentence }}</p>
{% endfor %}
<h2>Guarantees</h2>
{% if report.guarantees %}<table>
<tr><th>Model</th><th>Required</th><th>Achieved</th><th>Holds</th><th>Checked on</th><th>Assumes</th></tr>
{% for promise in report.guarantees %}<tr>
<td>{{ promise.model | default("", true) }}</td><td>{{ promise.required | default({}, true) | plain }}</td>
<td>{{ promise.achieved | default({}, true) | plain }}</td>
<td>{% if promise.holds %}<span class="holds">yes</span>{% else %}<span class="broken">no</span>{% endif %}</td>
<td>{{ promise.evidence | default("", true) }}</td><td>{{ promise.assumes | default("", true) }}</td></tr>
{% endfor %}</table>
{% else %}<p>None was asked for.</p>{% endif %}
{% if report.waivers %}<h2>Waivers</h2>
<table><tr><th>Rule</th><th>Reason</th></tr>
{% for waiver in report.waivers %}
<tr><td>{{ waiver.rule }}{% if "column" in waiver %} ({{ waiver.column }}){% endif %}</td>
<td>{{ waiver.reason }}</td></tr>
{% endfor %}</table>{% endif %}
{% if chart %}<h2>{{ chart.title }}</h2>
<svg viewBox="0 0 {{ chart.width }} {{ chart.height }}" role="img" aria-label="{{ chart.title }}">
{% for bar in chart.bars %}<rect x="{{ bar.x }}" y="{{ bar.y }}" width="{{ bar.width }}" height="{{ bar.height }}">
<title>{{ bar.label }}: {{ bar.count }}</title></rect>
<text x="{{ bar.middle }}" y="{{ chart.height - 10 }}" text-anchor="middle">{{ bar.label }}</text>
<text x="{{ bar.middle }}" y="{{ bar.y - 4 }}" text-anchor="middle">{{ bar.count }}</text>
{% endfor %}</svg>{% endif %}
{% for drawing in drawings %}<h2>{{ drawing.title }}</h2>
{% if not_private and not drawing.public %}<p class="note">Computed from the original and not covered by the promise of
differential privacy: do not pass it on.</p>{% endif %}
{{ drawing.figure("drawing-%d" | format(loop.index)) }}
{% endfor %}
{% if report.artifacts %}<h2>Files</h2>
<table><tr><th>Format</th><th>Part</th><th>SHA-256</th></tr>
{% for artifact in report.artifacts %}<tr><td>{{ artifact.format }}</td><td>{{ artifact.part }}</td>
<td><code>{{ artifact.sha256 }}</code></td></tr>
{% endfor %}</table>{% endif %}
{% if explanation %}<h2>How the data was changed</h2>
{% if report.explanation.private is defined %}<p class="note">Computed from the original and not covered by the promise
of differential privacy: do not pass it on.</p>{% endif %}
<table><tr><th>Attribute</th><th>As it was</th><th>Suppressed</th><th>Information lost</th><th>Levels</th></tr>
{% for attribute in explanation.attributes %}<tr><th>{{ attribute.name }}</th>
{% if attribute.released %}<td>{{ attribute.exact | share }}</td><td>{{ attribute.suppressed | share }}</td>
<td>{{ attribute.loss | default(none) | share }}</td><td>{{ attribute.levels | default({}) | levels }}</td>
{% else %}<td colspan="4">not released</td>{% endif %}</tr>
{% endfor %}</table>
{% if explanation.limits %}<table>
<tr><th>Guarantee</th><th>Limit</th><th>Classes at the limit</th><th>Rows in them</th></tr>
{% for line in explanation.limits %}<tr><th>{{ line.model }}</th>
<td>{{ line.parameter }} = {{ line.limit | plain }}</td>
<td>{{ line.classes_at_limit }} of {{ line.classes }}</td><td>{{ line.share_of_rows | share }}</td></tr>
{% endfor %}</table>{% endif %}
<p>Rows left out for missing values: {{ explanation.suppressed.missing_values }}; by the method:
{{ explanation.suppressed.method }}{% if explanation.suppressed.because %} (their classes fell short of:
{{ explanation.suppressed.because | plain }}){% endif %}.</p>{% endif %}
{% if risk %}<h2>Risk, before and after</h2>
{% if report.risk.private is defined %}<p class="note">Computed from the original and not covered by the promise of
differential privacy: do not pass it on.</p>{% endif %}
<table><tr><th>Measure</th><th>Before</th><th>After</th></tr>
{% for name, before, after in risk.measures %}<tr><th>{{ name }}</th><td>{{ before }}</td><td>{{ after }}</td></tr>
{% endfor %}</table>
{% if risk.attacks %}<table><tr><th>Attack</th><th>Succeeds</th><th>Guessing</th><th>Details</th></tr>
{% for attack in risk.attacks %}<tr><th>{{ attack.name | words }}</th><td>{{ attack.rate | default(none) | share }}</td>
<td>{{ attack.baseline | default(none) | share }}</td><td>{{ attack | details }}</td></tr>
{% endfor %}</table>{% endif %}{% endif %}
{% for title, section in sections %}<h2>{{ title }}</h2>
{% if section.private is defined and not section.private %}<p class="note">Computed from the original and not covered
by the promise of differential privacy: do not pass it on.</p>{% endif %}
<table>{% for name, value in section | rows %}<tr><th>{{ name }}</th><td>{{ value }}</td></tr>
{% endfor %}</table>{% endfor %}
<h2>Policy</h2>
<table>{% for name, value in (report.policy or {}) | rows %}<tr><th>{{ name }}</th><td>{{ value }}</td></tr>
{% endfor %}</table>
<p>Made by {% for name, version in (report.software or {}).items() %}{{ name }} {{ version }}{% endfor %}.
A syntactic guarantee holds against the attacker that it names, and against no other.</p>
</body>
</html>
"""


@dataclass(frozen=True)
class Bar:
    """One bar of the histogram, in the drawing's units."""

    label: str
    count: str
    x: float
    y: float
    width: float
    height: float
    middle: float


@dataclass(frozen=True)
class Chart:
    """A histogram of the release."""

    title: str
    bars: list[Bar]
    width: int = _WIDTH
    height: int = _HEIGHT


def render(report: Mapping[str, Any]) -> str:
    """The page of a report that was already cut to its reader's view."""
    return _TEMPLATE.render(
        report=_Lenient(report),
        chart=_chart(report),
        chart_style=Markup(STYLE),
        drawings=temporal_drawings(report),
        not_private=_is_not_private(report.get("utility")),
        explanation=_explanation(report),
        risk=_risk(report),
        sections=_sections(report),
    )


class _Lenient(dict[str, Any]):
    """A report in which a part that the reader may not see is simply none."""

    def __missing__(self, name: str) -> None:
        return None


_SECTIONS = {
    "dataset": "Dataset",
    "refusal": "Why it was refused",
    "mechanism": "By which chances it was drawn",
    "budget": "Budget of differential privacy",
    "utility": "Utility",
    "transformation": "What was changed",
    "method": "What the method did",
    "timing": "Seconds per stage",
}


def _sections(report: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(title, report[part]) for part, title in _SECTIONS.items() if isinstance(report.get(part), Mapping)]


def _is_not_private(section: Any) -> bool:
    """Whether a part of the report is marked as computed from the original beside a promise of privacy."""
    return isinstance(section, Mapping) and section.get("private") is False


def _explanation(report: Mapping[str, Any]) -> Mapping[str, Any] | None:
    found = report.get("explanation")
    return found if isinstance(found, Mapping) and "attributes" in found else None


def _risk(report: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The risks side by side, and the attacks."""
    risk = report.get("risk")
    if not isinstance(risk, Mapping):
        return None
    before, after = dict(_rows(risk.get("before") or {})), dict(_rows(risk.get("after") or {}))
    names = [*before, *(name for name in after if name not in before)]
    measures = [(name, before.get(name, "–"), after.get(name, "–")) for name in names]
    attacks = risk.get("attacks") or []
    return {"measures": measures, "attacks": attacks} if measures or attacks else None


def _chart(report: Mapping[str, Any]) -> Chart | None:
    shape = report.get("release")
    histogram = shape.get("histogram") if isinstance(shape, Mapping) else None
    if not isinstance(shape, Mapping) or not histogram:
        return None
    title = "Nodes by degree" if "degrees" in shape else "Classes by their size"
    if "supernodes" in shape:
        title = "Supernodes by their size"
    return Chart(title, _bars(histogram))


def _bars(histogram: Sequence[Mapping[str, Any]]) -> list[Bar]:
    counts = [_number(bar.get("count")) for bar in histogram]
    step, tallest = _WIDTH / len(histogram), max(max(counts), 1.0)
    room = _HEIGHT - 2 * _MARGIN
    bars = []
    for position, (bar, count) in enumerate(zip(histogram, counts, strict=True)):
        height = round(room * count / tallest, 1)
        left = round(position * step + step * 0.1, 1)
        bars.append(
            Bar(
                label=str(bar.get("bin", "")),
                count=str(bar.get("count", "")),
                x=left,
                y=round(_HEIGHT - _MARGIN - height, 1),
                width=round(step * 0.8, 1),
                height=height,
                middle=round(left + step * 0.4, 1),
            )
        )
    return bars


def _number(count: Any) -> float:
    """A bin that is hidden because it is small (``"<10"``) is drawn flat."""
    return float(count) if isinstance(count, int | float) and not isinstance(count, bool) else 0.0


def _rows(section: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Nested figures as lines: name and value."""
    lines: list[tuple[str, str]] = []
    for name, value in _in_order(section):
        label = f"{prefix}{name}".replace("_", " ")
        if isinstance(value, Mapping) and value:
            lines += _rows(value, f"{prefix}{name}: ")
        elif name != "private":
            lines.append((label, _plain(value)))
    return lines


def _in_order(section: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Bins by where they begin, which is not how their names are sorted; anything else as it comes."""
    begins = {name: re.match(r"\d+", name) for name in section}
    if not all(begins.values()):
        return list(section.items())
    return sorted(section.items(), key=lambda item: int(found[0]) if (found := begins[item[0]]) else 0)


def _sentence(warning: Any) -> str:
    """A warning: what it says, then its figures."""
    if not isinstance(warning, Mapping):
        return str(warning)
    figures = {name: value for name, value in warning.items() if name not in ("code", "detail")}
    said = str(warning.get("detail", warning.get("code", "")))
    return f"{said} ({_plain(figures)})" if figures else said


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{_words(name)} = {_plain(member)}" for name, member in value.items()) or "–"
    if isinstance(value, list | tuple):
        if len(value) > _MOST_LISTED:
            return f"{len(value)} values, listed in the report's JSON"
        return "; ".join(_plain(member) for member in value) or "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return "–" if value is None else str(value)


def _words(name: Any) -> str:
    return str(name).replace("_", " ")


def _percent(share: Any) -> str:
    return f"{100 * share:.4g} %" if isinstance(share, int | float) else "–"


def _levels(levels: Mapping[str, Any]) -> str:
    """The share of rows at each level that has any."""
    return ", ".join(f"{level}: {_percent(share)}" for level, share in levels.items() if share) or "–"


def _details(attack: Mapping[str, Any]) -> str:
    """The figures of an attack beside its rate."""
    return _plain({name: value for name, value in attack.items() if name not in ("name", "rate", "baseline")})


_ENVIRONMENT = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
_ENVIRONMENT.filters |= {
    "plain": _plain,
    "rows": _rows,
    "sentence": _sentence,
    "words": _words,
    "share": _percent,
    "levels": _levels,
    "details": _details,
}
_TEMPLATE = _ENVIRONMENT.from_string(_PAGE)
