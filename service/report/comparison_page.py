"""A comparison as a page and as a drawing: risk against loss, self-contained and without scripts."""

from typing import Any

from markupsafe import Markup

from antifaz.answers import counts
from antifaz.part import QUESTIONS
from service.report.attacks import QUESTION_WORDS
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
    "Each point is a policy. The height is how often the attack on this question succeeds that is farthest above "
    "guessing; the dotted line is guessing. Filled points are on the front: no other policy has a lower rate without "
    "higher loss, or lower loss without a higher rate."
)
_AXES = {
    "identity": "who is it: share of people found",
    "attribute": "what do they have: share guessed correctly",
    "membership": "are they in it: share guessed correctly",
}
Row = dict[str, Any]


def plot(rows: list[Row], question: str = "identity") -> str:
    """The answer to one question against loss, as an SVG file."""
    drawing = str(front(rows, question).svg("plot")).replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return drawing.replace("<title", f"<style>{_ALONE}</style>\n<title", 1)


def fronts(rows: list[Row]) -> dict[str, Drawing]:
    """A drawing for each question that some policy answers."""
    return {question: front(rows, question) for question in QUESTIONS if _placed(rows, question)}


def front(rows: list[Row], question: str = "identity") -> Drawing:
    """The answer to one question against loss; policies on the front of this drawing are connected and labeled."""
    placed = _placed(rows, question)
    most_risk = max((each["risk"] for each in placed), default=0.0) or 1.0
    most_loss = max((each["loss"] for each in placed), default=0.0) or 1.0
    points = [(row, *_place(row["loss"] / most_loss, row["risk"] / most_risk)) for row in placed]
    best = sorted((point for point in points if not point[0]["dominated"]), key=lambda point: point[1])
    pieces = [_axes(_AXES[question], most_risk, most_loss), _guessing(placed, most_risk)]
    if len(best) > 1:
        joined = " ".join(f"{x},{y}" for _, x, y in best)
        pieces.append(Markup('<polyline class="line front" points="{}"/>\n').format(joined))
    pieces += [_point(row, x, y) for row, x, y in points]
    pieces += [_label(row, x, y) for row, x, y in _apart(best)]
    table = [[row["name"], *(percent(row[name]) for name in ("risk", "baseline", "loss"))] for row in placed]
    title = f"{QUESTION_WORDS[question]} Risk against loss"
    heads = ["Policy", "Rate", "Guessing", "Loss"]
    return Drawing(title, _DESCRIPTION, Markup("").join(pieces), _HEIGHT, heads, table)


def _placed(rows: list[Row], question: str) -> list[Row]:
    """The policies with a measured answer and a loss, and whether another one dominates them in this drawing."""
    found = [(row, (row.get("answers") or {}).get(question)) for row in rows if row["loss"] is not None]
    placed = [
        {"name": row["name"], "risk": answer["rate"], "baseline": answer["baseline"], "loss": row["loss"]}
        for row, answer in found
        if answer is not None and counts(answer)
    ]
    for one in placed:
        here = (one["risk"], one["loss"])
        others = [(other["risk"], other["loss"]) for other in placed]
        one["dominated"] = any(o[0] <= here[0] and o[1] <= here[1] and o != here for o in others)
    return placed


def _guessing(placed: list[Row], most_risk: float) -> Markup:
    """A dotted line at the rate of guessing, unless it is too low to be seen."""
    guess = min((each["baseline"] for each in placed), default=0.0) / most_risk
    if not 0.02 < guess <= 1:
        return Markup("")
    line = '<line class="axis guess" x1="{}" x2="{}" y1="{}" y2="{}" stroke-dasharray="1 4"/>\n'
    return Markup(line).format(_LEFT, WIDTH - _RIGHT, *(_place(0.0, guess)[1],) * 2)


def _place(loss: float, risk: float) -> tuple[float, float]:
    x = _LEFT + loss * (WIDTH - _LEFT - _RIGHT)
    y = _HEIGHT - _BOTTOM - risk * (_HEIGHT - _TOP - _BOTTOM)
    return round(x, 1), round(y, 1)


def _axes(title: str, most_risk: float, most_loss: float) -> Markup:
    floor, right = _HEIGHT - _BOTTOM, WIDTH - _RIGHT
    return Markup(
        '<line class="grid-line" x1="{left}" x2="{right}" y1="{top}" y2="{top}"/>'
        '<line class="axis" x1="{left}" x2="{right}" y1="{floor}" y2="{floor}"/>'
        '<line class="axis" x1="{left}" x2="{left}" y1="{top}" y2="{floor}"/>'
        '<text x="0" y="11">{title}</text>'
        '<text x="{edge}" y="{high}" text-anchor="end">{risk}</text>'
        '<text x="{edge}" y="{floor}" text-anchor="end">0</text>'
        '<text x="{right}" y="{below}" text-anchor="end">{loss}</text>'
        '<text x="{left}" y="{below}">0</text>'
        '<text x="{middle}" y="{last}" text-anchor="middle">loss</text>\n'
    ).format(
        title=title,
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
        style=STYLE,
        comparison=lenient(comparison),
        rows=lenient(in_order(rows)),
        drawings=[drawing.figure(f"plot-{question}") for question, drawing in fronts(rows).items()],
        questions=QUESTION_WORDS,
    )


_ENVIRONMENT = environment()
