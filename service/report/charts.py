"""Charts: figures as inline SVG, each with a title, a description and a table of its numbers.

They are independent of reports. A chart is readable without colors: series differ in position, dashes or shape, and
every number is in its table. All texts are escaped, and nothing is loaded from elsewhere. The unit is a pixel of a
small screen, so that text is as large on a phone as on a desktop.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from service.report.numbers import show

WIDTH, LINE_HEIGHT, CELL_HEIGHT = 290, 140, 18
LEFT, TOP, BOTTOM = 44, 10, 20
MOST_POINTS = 400
"""Longer series are drawn as means of consecutive points."""
LONGEST_NAME = 38

Number = float | int | None
Series = Sequence[Number]
Value = float | int | str | None
"""A figure; a text such as ``<10`` for a withheld one; None for an unknown one."""
Texts = Callable[[Value], str]


@dataclass(frozen=True)
class Drawing:
    """A drawing and its table."""

    title: str
    description: str
    body: Markup
    """The content of the svg element."""
    height: int
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    public: bool = False
    """Whether it shows only released data."""
    legend: Sequence[tuple[str, str]] = ()
    """Style and meaning of each series."""
    note: str = ""
    """A hint for readers; the description if it is empty."""

    def figure(self, name: str) -> Markup:
        """The figure as HTML; the name makes its identifiers unique on the page."""
        return Markup(
            '<figure class="chart">\n<figcaption><p class="chart__title">{title}</p>{note}{legend}</figcaption>\n'
            "{svg}\n{table}</figure>\n"
        ).format(
            title=self.title,
            note=Markup('<p class="chart__note">{}</p>').format(self.note or self.description),
            legend=_legend(self.legend),
            svg=self.svg(name),
            table=self._table(),
        )

    def svg(self, name: str) -> Markup:
        """The drawing alone."""
        return Markup(
            '<svg viewBox="0 0 {width} {height}" role="img" '
            'aria-labelledby="{name}-title {name}-desc">\n'
            '<title id="{name}-title">{title}</title><desc id="{name}-desc">{description}</desc>\n{body}</svg>'
        ).format(
            width=WIDTH,
            height=self.height,
            name=name,
            title=self.title,
            description=self.description,
            body=self.body,
        )

    def _table(self) -> Markup:
        """The figures as a table, for readers who cannot see the drawing; empty if it shows no figures."""
        if not self.rows:
            return Markup("")
        head = Markup("").join(Markup('<th scope="col">{}</th>').format(each) for each in self.columns)
        lines = Markup("").join(
            Markup('<tr><th scope="row">{}</th>{}</tr>\n').format(
                row[0], Markup("").join(Markup('<td class="number">{}</td>').format(cell) for cell in row[1:])
            )
            for row in self.rows
        )
        return Markup(
            '<details class="no-print"><summary>Table: {}</summary>\n'
            '<div class="table-scroll" tabindex="0" role="region" aria-label="Table: {}">'
            '<table class="table--compact table--plain">'
            "<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div></details>"
        ).format(self.title, self.title, head, lines)


def _legend(entries: Sequence[tuple[str, str]]) -> Markup:
    if not entries:
        return Markup("")
    items = [Markup('<li class="legend__{}">{}</li>').format(style, meaning) for style, meaning in entries]
    return Markup('<ul class="legend">{}</ul>').format(Markup("").join(items))


@dataclass(frozen=True)
class Bar:
    """One line of a chart of bars."""

    name: str
    values: Mapping[str, Value]
    """Style (``before``, ``after``) → figure."""
    guess: float | None = None
    """The rate of guessing, drawn as a mark across the bars."""


def bar_chart(
    title: str,
    description: str,
    bars: Sequence[Bar],
    legend: Sequence[tuple[str, str]],
    text: Texts,
    most: float | None = None,
    public: bool = False,
    heading: str = "",
) -> Drawing:
    """Horizontal bars from zero, each with its figure; a withheld one has text and no bar."""
    known = [value for bar in bars for value in (*bar.values.values(), bar.guess) if _is_number(value)]
    scale = most or max((float(value) for value in known), default=0.0) or 1.0  # type: ignore[arg-type]
    pieces, top = [], 0
    for bar in bars:
        height = 18 + 15 * len(bar.values)
        pieces.append(Markup('<text class="name" x="0" y="{}">{}</text>\n').format(top + 12, _short(bar.name)))
        pieces += [
            _bar(top + 18 + 15 * line, style, value, scale, text, bar.guess)
            for line, (style, value) in enumerate(bar.values.items())
        ]
        if bar.guess is not None:
            x = round(_ROOM * min(1.0, bar.guess / scale) + 1, 1)
            mark = Markup('<line class="guess" x1="{x}" x2="{x}" y1="{top}" y2="{bottom}"/>\n')
            pieces.append(mark.format(x=x, top=top + 15, bottom=top + height - 1))
        top += height + 9
    styles = dict(legend)
    columns = [heading, *styles.values()]
    rows = [
        [bar.name, *(text(bar.guess if style == "guess" else bar.values.get(style)) for style in styles)]
        for bar in bars
    ]
    shown = legend if len(legend) > 1 else ()
    return Drawing(title, description, Markup("").join(pieces), max(1, top), columns, rows, public, shown)


_ROOM = WIDTH - 64
"""Length of the longest bar; the rest is for its figure."""


def _bar(top: int, style: str, value: Value, scale: float, text: Texts, guess: float | None) -> Markup:
    least = _least(value)
    width = 0.0 if least is None else round(_ROOM * min(1.0, least / scale), 1)
    rectangle = Markup('<rect class="{}" x="0" y="{}" width="{}" height="11" rx="1.5"/>')
    shape = rectangle.format(style, top, max(1.0, width))
    figure = Markup('<text class="value" x="{}" y="{}">{}</text>\n')
    if least is None:
        return figure.format(0, top + 10, text(value))
    # The figure also comes after the mark of guessing.
    return shape + figure.format(max(width, _ROOM * min(1.0, (guess or 0) / scale)) + 6, top + 10, text(value))


def _least(value: Value) -> float | None:
    """The length of a bar: a figure, or the bound in a text such as ``>=0.2``; None for a withheld figure."""
    if _is_number(value):
        return float(value)  # type: ignore[arg-type]
    return float(str(value)[2:]) if str(value).startswith(">=") else None


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


BOTH = (("before", "original"), ("after", "release"))


def line_chart(
    title: str,
    description: str,
    lines: Mapping[str, Series],
    labels: Sequence[str],
    public: bool = False,
    heading: str = "Snapshot",
) -> Drawing:
    """Up to two series over the same points; the original is dashed, unknown values are gaps."""
    shortened = {name: shorten(values) for name, values in lines.items()}
    labels = shorten_labels(labels)
    highest = max((value for values in shortened.values() for value in values if value is not None), default=0) or 1
    styles = {"original": "before", "release": "after"}
    pieces = [_axes(highest, labels)]
    for name, values in shortened.items():
        style = "line line--before" if styles.get(name) == "before" else "line"
        pieces += [_polyline(run, style, highest, len(values)) for run in _runs(values)]
    rows = [[label, *(show(values[at]) for values in shortened.values())] for at, label in enumerate(labels)]
    legend = tuple((styles.get(name, "after"), name) for name in lines) if len(lines) > 1 else ()
    return Drawing(
        title, description, Markup("").join(pieces), LINE_HEIGHT, [heading, *shortened], rows, public, legend
    )


def heat_map(title: str, description: str, lines: Mapping[str, Series], labels: Sequence[str]) -> Drawing:
    """Shares as the shade of cells, one line for each name; unknown values are outlined cells."""
    shortened = {name: shorten(values) for name, values in lines.items()}
    labels = shorten_labels(labels)
    step = WIDTH / max(1, len(labels))
    pieces, top = [], 0
    for name, values in shortened.items():
        pieces.append(Markup('<text class="name" x="0" y="{}">{}</text>\n').format(top + 11, _short(name)))
        pieces += [_cell(step * at, top + 16, step, value) for at, value in enumerate(values)]
        top += CELL_HEIGHT + 18
    height = top + BOTTOM - 4
    pieces.append(_ends(labels, height, 0))
    rows = [[label, *(show(values[at]) for values in shortened.values())] for at, label in enumerate(labels)]
    return Drawing(title, description, Markup("").join(pieces), height, ["Snapshot", *shortened], rows)


def shorten(values: Series) -> list[float | None]:
    """At most 400 points, each the mean of the known values of consecutive ones."""
    width = _width(len(values))
    return [_mean(values[start : start + width]) for start in range(0, len(values), width)]


def shorten_labels(labels: Sequence[str]) -> list[str]:
    """The first label of the values behind each point."""
    return list(labels[:: _width(len(labels))])


def _width(count: int) -> int:
    return max(1, -(-count // MOST_POINTS))


def _mean(values: Series) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _runs(values: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    """Runs of points without gaps, each point with its position."""
    runs: list[list[tuple[int, float]]] = [[]]
    for at, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append((at, value))
    return [run for run in runs if run]


def _polyline(run: list[tuple[int, float]], style: str, highest: float, count: int) -> Markup:
    room, step = LINE_HEIGHT - TOP - BOTTOM, (WIDTH - LEFT) / max(1, count - 1)
    places = [(LEFT + step * at, TOP + room * (1 - value / highest)) for at, value in run]
    if len(places) == 1:
        # A line of one point is not drawn.
        places.append((places[0][0] + 2, places[0][1]))
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return Markup('<polyline class="{}" points="{}"/>\n').format(style, points)


def _axes(highest: float, labels: Sequence[str]) -> Markup:
    floor = LINE_HEIGHT - BOTTOM
    return Markup(
        '<line class="grid-line" x1="{left}" x2="{right}" y1="{top}" y2="{top}"/>'
        '<line class="grid-line" x1="{left}" x2="{right}" y1="{middle}" y2="{middle}"/>'
        '<line class="axis" x1="{left}" x2="{right}" y1="{floor}" y2="{floor}"/>'
        '<text x="{edge}" y="{high}" text-anchor="end">{highest}</text>'
        '<text x="{edge}" y="{floor}" text-anchor="end">0</text>\n{ends}'
    ).format(
        left=LEFT,
        right=WIDTH,
        top=TOP,
        middle=(TOP + floor) / 2,
        floor=floor,
        edge=LEFT - 6,
        high=TOP + 6,
        highest=show(highest),
        ends=_ends(labels, LINE_HEIGHT, LEFT),
    )


def _ends(labels: Sequence[str], height: int, left: int) -> Markup:
    """The first and the last label below a drawing."""
    if not labels:
        return Markup("")
    first = Markup('<text x="{}" y="{}">{}</text>').format(left, height - 5, labels[0])
    last = Markup('<text x="{}" y="{}" text-anchor="end">{}</text>\n').format(WIDTH, height - 5, labels[-1])
    return first + last if len(labels) > 1 else first


def _cell(left: float, top: float, width: float, value: float | None) -> Markup:
    shape = f'x="{left:.2f}" y="{top + 1}" width="{width:.2f}" height="{CELL_HEIGHT - 2}"'
    if value is None:
        return Markup(f'<rect class="unknown" {shape}/>')
    return Markup(f'<rect class="cell" {shape} fill-opacity="{min(1.0, max(0.0, value)):.2f}"/>')
