"""The report as a page: self-contained HTML without scripts, with a histogram of class sizes or degrees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, StrictUndefined

CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"

_WIDTH, _HEIGHT, _MARGIN = 640, 200, 28

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
{% for waiver in report.waivers %}<tr><td>{{ waiver.rule }}</td><td>{{ waiver.reason }}</td></tr>
{% endfor %}</table>{% endif %}
{% if chart %}<h2>{{ chart.title }}</h2>
<svg viewBox="0 0 {{ chart.width }} {{ chart.height }}" role="img" aria-label="{{ chart.title }}">
{% for bar in chart.bars %}<rect x="{{ bar.x }}" y="{{ bar.y }}" width="{{ bar.width }}" height="{{ bar.height }}">
<title>{{ bar.label }}: {{ bar.count }}</title></rect>
<text x="{{ bar.middle }}" y="{{ chart.height - 10 }}" text-anchor="middle">{{ bar.label }}</text>
<text x="{{ bar.middle }}" y="{{ bar.y - 4 }}" text-anchor="middle">{{ bar.count }}</text>
{% endfor %}</svg>{% endif %}
{% if report.artifacts %}<h2>Files</h2>
<table><tr><th>Format</th><th>Part</th><th>SHA-256</th></tr>
{% for artifact in report.artifacts %}<tr><td>{{ artifact.format }}</td><td>{{ artifact.part }}</td>
<td><code>{{ artifact.sha256 }}</code></td></tr>
{% endfor %}</table>{% endif %}
{% for title, section in sections %}<h2>{{ title }}</h2>
{% if section.private is defined and not section.private %}<p class="note">Computed from the original and not covered
by the promise of differential privacy: do not pass it on.</p>{% endif %}
<table>{% for name, value in section | rows %}<tr><th>{{ name }}</th><td>{{ value }}</td></tr>
{% endfor %}</table>{% endfor %}
<h2>Policy</h2>
<table>{% for name, value in (report.policy or {}) | rows %}<tr><th>{{ name }}</th><td>{{ value }}</td></tr>
{% endfor %}</table>
<p>Made by {{ report.software | default({}, true) | plain }}.
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
    return _TEMPLATE.render(report=_Lenient(report), chart=_chart(report), sections=_sections(report))


class _Lenient(dict[str, Any]):
    """A report in which a part that the reader may not see is simply none."""

    def __missing__(self, name: str) -> None:
        return None


_SECTIONS = {
    "dataset": "Dataset",
    "refusal": "Why it was refused",
    "risk": "Risk, before and after",
    "utility": "Utility",
    "transformation": "What was changed",
    "method": "What the method did",
    "timing": "Seconds per stage",
}


def _sections(report: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(title, report[part]) for part, title in _SECTIONS.items() if isinstance(report.get(part), Mapping)]


def _chart(report: Mapping[str, Any]) -> Chart | None:
    shape = report.get("release")
    histogram = shape.get("histogram") if isinstance(shape, Mapping) else None
    if not isinstance(shape, Mapping) or not histogram:
        return None
    title = "Nodes by degree" if "nodes" in shape else "Records by size of their class"
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
    for name, value in section.items():
        label = f"{prefix}{name}".replace("_", " ")
        if isinstance(value, Mapping) and value:
            lines += _rows(value, f"{prefix}{name}: ")
        elif name != "private":
            lines.append((label, _plain(value)))
    return lines


def _sentence(warning: Any) -> str:
    """A warning: what it says, then its figures."""
    if not isinstance(warning, Mapping):
        return str(warning)
    figures = {name: value for name, value in warning.items() if name not in ("code", "detail")}
    said = str(warning.get("detail", warning.get("code", "")))
    return f"{said} ({_plain(figures)})" if figures else said


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(member)}" for name, member in value.items()) or "–"
    if isinstance(value, list | tuple):
        return "; ".join(_plain(member) for member in value) or "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return "–" if value is None else str(value)


_ENVIRONMENT = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
_ENVIRONMENT.filters |= {"plain": _plain, "rows": _rows, "sentence": _sentence}
_TEMPLATE = _ENVIRONMENT.from_string(_PAGE)
