"""Charts: drawings of figures as inline SVG, each with a title, a description and the table of what it shows.

They know nothing of reports. A drawing is readable without colors: lines differ in their dashes, and every number is in
the table behind it. All texts are escaped, and nothing is loaded from elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

WIDTH, LINE_HEIGHT, CELL_HEIGHT = 640, 180, 18
LEFT, RIGHT, TOP, BOTTOM = 110, 8, 12, 22
MOST_POINTS = 400
"""Longer series are drawn as means of points in a row."""

Number = float | int | None
Series = Sequence[Number]

STYLE = """
.line { fill: none; stroke: #3b6ea8; stroke-width: 1.5; } .line.dashed { stroke: #b35900; stroke-dasharray: 5 3; }
.axis { stroke: #8c959f; stroke-width: 1; } .cell { stroke: none; } .unknown { fill: none; stroke: #8c959f; }
figure { margin: 0; } figcaption { font-size: .9rem; } details { margin: .3rem 0 1rem; }
.scroll { max-height: 24rem; overflow: auto; }
@media (prefers-color-scheme: dark) { .line { stroke: #6ea8e0; } .line.dashed { stroke: #f0a35e; } }
"""
"""What the drawings need of a page's style sheet."""


@dataclass(frozen=True)
class Drawing:
    """A drawing, and the table behind it."""

    title: str
    description: str
    body: Markup
    """What stands inside the svg element."""
    height: int
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    public: bool = False
    """Whether it shows nothing but what is released."""

    def figure(self, name: str) -> Markup:
        """The figure as HTML; the name makes its identifiers differ from those of others on the page."""
        head = Markup("").join(Markup("<th scope='col'>{}</th>").format(each) for each in self.columns)
        rows = Markup("").join(
            Markup("<tr><th scope='row'>{}</th>{}</tr>\n").format(
                row[0], Markup("").join(Markup("<td>{}</td>").format(cell) for cell in row[1:])
            )
            for row in self.rows
        )
        return Markup(
            "<figure><svg viewBox='0 0 {width} {height}' role='img' aria-labelledby='{name}-title {name}-desc'>\n"
            "<title id='{name}-title'>{title}</title><desc id='{name}-desc'>{description}</desc>\n{body}</svg>\n"
            "<figcaption>{description}</figcaption>\n"
            "<details><summary>Table: {title}</summary><div class='scroll'><table><tr>{head}</tr>\n{rows}</table></div>"
            "</details></figure>"
        ).format(
            width=WIDTH,
            height=self.height,
            name=name,
            title=self.title,
            description=self.description,
            body=self.body,
            head=head,
            rows=rows,
        )


def line_chart(
    title: str, description: str, lines: Mapping[str, Series], labels: Sequence[str], public: bool = False
) -> Drawing:
    """Up to two series over the same points, the second one dashed; a gap stands for what is not known."""
    shortened = {name: shorten(values) for name, values in lines.items()}
    labels = shorten_labels(labels)
    highest = max((value for values in shortened.values() for value in values if value is not None), default=0) or 1
    pieces = [_axes(highest, labels, LINE_HEIGHT)]
    for number, (name, values) in enumerate(shortened.items()):
        style = "line dashed" if number else "line"
        pieces += [_polyline(run, style, highest, len(values)) for run in _runs(values)]
        legend = Markup("<line class='{}' x1='{}' x2='{}' y1='6' y2='6'/><text x='{}' y='10'>{}</text>\n")
        left = LEFT + 150 * number
        pieces.append(legend.format(style, left, left + 24, left + 30, name))
    rows = [[label, *(show(values[at]) for values in shortened.values())] for at, label in enumerate(labels)]
    return Drawing(title, description, Markup("").join(pieces), LINE_HEIGHT, ["Snapshot", *shortened], rows, public)


def heat_map(title: str, description: str, lines: Mapping[str, Series], labels: Sequence[str]) -> Drawing:
    """Shares as the depth of cells, one line for each name; an outlined cell stands for what is not known."""
    shortened = {name: shorten(values) for name, values in lines.items()}
    labels = shorten_labels(labels)
    height = TOP + CELL_HEIGHT * len(shortened) + BOTTOM
    step = (WIDTH - LEFT - RIGHT) / max(1, len(labels))
    pieces = [_ends(labels, height)]
    for number, (name, values) in enumerate(shortened.items()):
        top = TOP + CELL_HEIGHT * number
        heading = Markup("<text x='{}' y='{}' text-anchor='end'>{}</text>\n")
        pieces.append(heading.format(LEFT - 6, top + CELL_HEIGHT - 5, name))
        pieces += [_cell(LEFT + step * at, top, step, value) for at, value in enumerate(values)]
    rows = [[label, *(show(values[at]) for values in shortened.values())] for at, label in enumerate(labels)]
    return Drawing(title, description, Markup("").join(pieces), height, ["Snapshot", *shortened], rows)


def shorten(values: Series) -> list[float | None]:
    """At most 400 points, each the mean of what is known of several in a row."""
    width = _width(len(values))
    return [_mean(values[start : start + width]) for start in range(0, len(values), width)]


def shorten_labels(labels: Sequence[str]) -> list[str]:
    """The first label of what each point stands for."""
    return list(labels[:: _width(len(labels))])


def show(value: Number) -> str:
    """A number as the tables have it."""
    return "–" if value is None else f"{value:.4g}"


def _width(count: int) -> int:
    return max(1, -(-count // MOST_POINTS))


def _mean(values: Series) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _runs(values: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    """The points without gaps between them, each with its place."""
    runs: list[list[tuple[int, float]]] = [[]]
    for at, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append((at, value))
    return [run for run in runs if run]


def _polyline(run: list[tuple[int, float]], style: str, highest: float, count: int) -> Markup:
    room, step = LINE_HEIGHT - TOP - BOTTOM, (WIDTH - LEFT - RIGHT) / max(1, count - 1)
    places = [(LEFT + step * at, TOP + room * (1 - value / highest)) for at, value in run]
    if len(places) == 1:
        # A line of one point is not drawn.
        places.append((places[0][0] + 2, places[0][1]))
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return Markup("<polyline class='{}' points='{}'/>\n").format(style, points)


def _axes(highest: float, labels: Sequence[str], height: int) -> Markup:
    floor = height - BOTTOM
    return Markup(
        "<line class='axis' x1='{left}' x2='{right}' y1='{floor}' y2='{floor}'/>"
        "<text x='{edge}' y='{top}' text-anchor='end'>{highest}</text>"
        "<text x='{edge}' y='{floor}' text-anchor='end'>0</text>\n{ends}"
    ).format(
        left=LEFT,
        right=WIDTH - RIGHT,
        floor=floor,
        edge=LEFT - 6,
        top=TOP + 8,
        highest=show(highest),
        ends=_ends(labels, height),
    )


def _ends(labels: Sequence[str], height: int) -> Markup:
    """The first and the last label below a drawing."""
    if not labels:
        return Markup("")
    first = Markup("<text x='{}' y='{}'>{}</text>").format(LEFT, height - 6, labels[0])
    last = Markup("<text x='{}' y='{}' text-anchor='end'>{}</text>\n").format(WIDTH - RIGHT, height - 6, labels[-1])
    return first + last if len(labels) > 1 else first


def _cell(left: float, top: float, width: float, value: float | None) -> Markup:
    shape = f"x='{left:.2f}' y='{top + 1}' width='{width:.2f}' height='{CELL_HEIGHT - 2}'"
    if value is None:
        return Markup(f"<rect class='unknown' {shape}/>")
    return Markup(f"<rect class='cell' {shape} fill-opacity='{min(1.0, max(0.0, value)):.2f}'/>")
