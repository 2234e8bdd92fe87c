"""A comparison as a page and as a drawing: risk against loss, self-contained and without scripts."""

from typing import Any

from markupsafe import Markup

from service.report.charts import WIDTH, Drawing
from service.report.numbers import in_order, percent
from service.report.page import CONTENT_SECURITY_POLICY, STYLE, environment, lenient, policy_for

HEADERS = {"Content-Security-Policy": CONTENT_SECURITY_POLICY, "Cache-Control": "private, no-cache"}
_HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 250, 44, 14, 36, 40
_ALONE = """
text { font: 500 11px system-ui, sans-serif; fill: #4d5b67; } .axis { stroke: #7f8c97; } .grid-line { stroke: #dce2e6; }
.front { fill: none; stroke: #0f7384; stroke-width: 1.5; stroke-dasharray: 4 3; } .value { fill: #16222c; }
.point { fill: none; stroke: #7d8b97; stroke-width: 2; } .point--best { fill: #0f7384; stroke: #0f7384; }
"""
"""Styles of the drawing as a separate file, on white paper."""
PLOT_HEADERS = HEADERS | {"Content-Security-Policy": policy_for(_ALONE)}
_DESCRIPTION = (
    "Each point is a policy. Filled points are on the front: no other policy has lower risk without higher loss, or "
    "lower loss without higher risk."
)
Row = dict[str, Any]


def plot(rows: list[Row]) -> str:
    """Risk against loss, as an SVG file."""
    drawing = str(front(rows).svg("plot")).replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return drawing.replace("<title", f"<style>{_ALONE}</style>\n<title", 1)


def front(rows: list[Row]) -> Drawing:
    """Risk against loss; policies that no other dominates are connected and labeled."""
    placed = [row for row in rows if row["risk"] is not None and row["loss"] is not None]
    most_risk = max((row["risk"] for row in placed), default=0.0) or 1.0
    most_loss = max((row["loss"] for row in placed), default=0.0) or 1.0
    points = [(row, *_place(row["loss"] / most_loss, row["risk"] / most_risk)) for row in placed]
    best = sorted((point for point in points if not point[0]["dominated"]), key=lambda point: point[1])
    pieces = [_axes(most_risk, most_loss)]
    if len(best) > 1:
        joined = " ".join(f"{x},{y}" for _, x, y in best)
        pieces.append(Markup('<polyline class="line front" points="{}"/>\n').format(joined))
    pieces += [_point(row, x, y) for row, x, y in points]
    pieces += [_label(row, x, y) for row, x, y in _apart(best)]
    table = [[row["name"], percent(row["risk"]), percent(row["loss"])] for row in placed]
    return Drawing(
        "Risk against loss", _DESCRIPTION, Markup("").join(pieces), _HEIGHT, ["Policy", "Risk", "Loss"], table
    )


def _place(loss: float, risk: float) -> tuple[float, float]:
    x = _LEFT + loss * (WIDTH - _LEFT - _RIGHT)
    y = _HEIGHT - _BOTTOM - risk * (_HEIGHT - _TOP - _BOTTOM)
    return round(x, 1), round(y, 1)


def _axes(most_risk: float, most_loss: float) -> Markup:
    floor, right = _HEIGHT - _BOTTOM, WIDTH - _RIGHT
    return Markup(
        '<line class="grid-line" x1="{left}" x2="{right}" y1="{top}" y2="{top}"/>'
        '<line class="axis" x1="{left}" x2="{right}" y1="{floor}" y2="{floor}"/>'
        '<line class="axis" x1="{left}" x2="{left}" y1="{top}" y2="{floor}"/>'
        '<text x="0" y="11">risk: rate of the strongest attack</text>'
        '<text x="{edge}" y="{high}" text-anchor="end">{risk}</text>'
        '<text x="{edge}" y="{floor}" text-anchor="end">0</text>'
        '<text x="{right}" y="{below}" text-anchor="end">{loss}</text>'
        '<text x="{left}" y="{below}">0</text>'
        '<text x="{middle}" y="{last}" text-anchor="middle">loss</text>\n'
    ).format(
        left=_LEFT,
        right=right,
        top=_TOP,
        floor=floor,
        edge=_LEFT - 6,
        high=_TOP + 5,
        below=floor + 15,
        last=_HEIGHT - 6,
        middle=(_LEFT + right) / 2,
        risk=percent(most_risk),
        loss=percent(most_loss),
    )


def _point(row: Row, x: float, y: float) -> Markup:
    style = "point" if row["dominated"] else "point point--best"
    title = f"{row['name']}: risk {percent(row['risk'])}, loss {percent(row['loss'])}"
    return Markup('<circle class="{}" cx="{}" cy="{}" r="4.5"><title>{}</title></circle>\n').format(style, x, y, title)


def _apart(points: list[tuple[Row, float, float]]) -> list[tuple[Row, float, float]]:
    """The points whose labels do not overlap another's."""
    kept: list[tuple[Row, float, float]] = []
    for point in points:
        if all(abs(point[1] - x) > 46 or abs(point[2] - y) > 13 for _, x, y in kept):
            kept.append(point)
    return kept


def _label(row: Row, x: float, y: float) -> Markup:
    name = str(row["name"])
    short = name if len(name) <= 16 else name[:15] + "…"
    if x > WIDTH - 90:
        return Markup('<text class="value" x="{}" y="{}" text-anchor="end">{}</text>\n').format(x - 7, y - 6, short)
    return Markup('<text class="value" x="{}" y="{}">{}</text>\n').format(x + 7, y - 6, short)


def render(comparison: dict[str, Any]) -> str:
    """The whole comparison, as HTML."""
    rows = comparison["rows"]
    return _ENVIRONMENT.get_template("comparison.html").render(
        style=STYLE, comparison=lenient(comparison), rows=lenient(in_order(rows)), drawing=front(rows).figure("plot")
    )


_ENVIRONMENT = environment()
