"""A comparison as a page and as a drawing: risk against loss, self-contained and without scripts."""

from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from service.report_page import CONTENT_SECURITY_POLICY

HEADERS = {"Content-Security-Policy": CONTENT_SECURITY_POLICY, "Cache-Control": "private, no-cache"}
_WIDTH, _HEIGHT, _MARGIN = 640, 360, 48

_PLOT = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {{ width }} {{ height }}" role="img"
 aria-labelledby="plot-title plot-description">
<title id="plot-title">Risk against loss</title>
<desc id="plot-description">Each point is a policy. Filled points are not dominated: no other policy has less of one and
not more of the other.</desc>
<style>.axis { stroke: #57606a; } .best { fill: #3b6ea8; } .other { fill: none; stroke: #8c959f; stroke-width: 1.5; }
.front { fill: none; stroke: #3b6ea8; stroke-dasharray: 4 3; } text { font: 11px system-ui, sans-serif; fill: #57606a; }
</style>
<line class="axis" x1="{{ margin }}" y1="{{ height - margin }}" x2="{{ width - margin }}" y2="{{ height - margin }}"/>
<line class="axis" x1="{{ margin }}" y1="{{ margin }}" x2="{{ margin }}" y2="{{ height - margin }}"/>
<text x="{{ width / 2 }}" y="{{ height - 12 }}" text-anchor="middle">loss (0 to {{ "%.3g" | format(most_loss) }})</text>
<text x="{{ margin }}" y="{{ margin - 14 }}">rate of the strongest attack (0 to {{ "%.3g" | format(most_risk) }})</text>
{% if front | length > 1 %}<polyline class="front" points="{% for p in front %}{{ p.x }},{{ p.y }} {% endfor %}"/>
{% endif %}
{% for p in points %}<circle class="{{ "other" if p.dominated else "best" }}" cx="{{ p.x }}" cy="{{ p.y }}" r="5">
<title>{{ p.name }}: risk {{ "%.3g" | format(p.risk) }}, loss {{ "%.3g" | format(p.loss) }}</title></circle>
{% if not p.dominated %}<text x="{{ p.x + 8 }}" y="{{ p.y - 6 }}">{{ p.name | truncate(28, True) }}</text>{% endif %}
{% endfor %}</svg>
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Comparison of {{ rows | length }} policies</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #d0d7de; }
td.number { text-align: right; font-variant-numeric: tabular-nums; } tr.dominated td { color: #57606a; }
svg { width: 100%; height: auto; }
@media (prefers-color-scheme: dark) {
  body { background: #0d1117; color: #e6edf3; } th, td { border-color: #30363d; } tr.dominated td { color: #9198a1; }
}
</style>
</head>
<body>
<h1>Comparison of {{ rows | length }} policies</h1>
<p>Every policy was run {{ comparison.repeats }} time(s) on the same dataset; nothing was released. A policy is
dominated if another has neither more risk nor more loss, and less of one.</p>
{{ drawing }}
<div class="wide"><table>
<caption>Means over the runs that could have been released</caption>
<tr><th scope="col">Policy</th><th scope="col">Runs</th><th scope="col">Refused</th><th scope="col">Risk</th>
<th scope="col">Strongest attack</th><th scope="col">Loss</th><th scope="col">Dominated</th></tr>
{% for row in rows %}<tr{% if row.dominated %} class="dominated"{% endif %}><th scope="row">{{ row.name }}</th>
<td class="number">{{ row.runs }}</td><td class="number">{{ row.refused }}</td>
<td class="number">{{ row.risk | figure }}</td><td>{{ row.strongest_attack.name if row.strongest_attack else "" }}</td>
<td class="number">{{ row.loss | figure }}</td><td>{{ "yes" if row.dominated else "no" }}</td></tr>
{% endfor %}</table></div>
</body>
</html>
"""


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


_ENVIRONMENT = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
_ENVIRONMENT.filters["figure"] = _figure
_PLOT_TEMPLATE = _ENVIRONMENT.from_string(_PLOT)
_PAGE_TEMPLATE = _ENVIRONMENT.from_string(_PAGE)


def plot(rows: list[dict[str, Any]]) -> str:
    """Risk against loss, as SVG."""
    placed = [row for row in rows if row["risk"] is not None and row["loss"] is not None]
    most_risk = max((row["risk"] for row in placed), default=0.0) or 1.0
    most_loss = max((row["loss"] for row in placed), default=0.0) or 1.0
    points = [
        {
            **{name: row[name] for name in ("name", "risk", "loss", "dominated")},
            "x": round(_MARGIN + row["loss"] / most_loss * (_WIDTH - 2 * _MARGIN), 1),
            "y": round(_HEIGHT - _MARGIN - row["risk"] / most_risk * (_HEIGHT - 2 * _MARGIN), 1),
        }
        for row in placed
    ]
    front = sorted((point for point in points if not point["dominated"]), key=lambda point: point["x"])
    sizes = {"width": _WIDTH, "height": _HEIGHT, "margin": _MARGIN, "most_risk": most_risk, "most_loss": most_loss}
    return _PLOT_TEMPLATE.render(points=points, front=front, **sizes)


def render(comparison: dict[str, Any]) -> str:
    """The whole comparison, as HTML."""
    rows = comparison["rows"]
    # The drawing was escaped as it was made.
    return _PAGE_TEMPLATE.render(comparison=comparison, rows=rows, drawing=Markup(plot(rows)))
