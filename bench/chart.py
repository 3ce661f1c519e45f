"""The chart of a measurement: one panel of bars per series, as plain SVG."""

from html import escape
from pathlib import Path

from bench.results import Results

PANEL_WIDTH, BAR_HEIGHT, LEFT, MARGIN = 420, 18, 170, 16
STYLE = (
    "text{font:12px sans-serif;fill:#555}.title{font-weight:600;fill:#333}.bar{fill:#4f7cac}"
    "@media (prefers-color-scheme:dark){text{fill:#aaa}.title{fill:#ddd}.bar{fill:#7fa8d1}}"
)


def draw(results: Results, path: Path) -> None:
    panels = []
    top = 0
    for title, points in results.series.items():
        panels.append(f'<g transform="translate(0 {top})">{_panel(title, points)}</g>')
        top += _height(points)
    width = LEFT + PANEL_WIDTH
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" role="img">'
        f"<title>{escape(results.server)}</title><style>{STYLE}</style>{''.join(panels)}</svg>\n"
    )


def _height(points: list[tuple[str, float]]) -> int:
    return 2 * MARGIN + BAR_HEIGHT * (len(points) + 1)


def _panel(title: str, points: list[tuple[str, float]]) -> str:
    most = max((value for _, value in points), default=0) or 1
    parts = [f'<text class="title" x="{MARGIN}" y="{MARGIN}">{escape(title)}</text>']
    for number, (label, value) in enumerate(points, 1):
        y = MARGIN + number * BAR_HEIGHT
        length = max(1, round((PANEL_WIDTH - 90) * value / most))
        parts.append(
            f'<text x="{LEFT - 8}" y="{y}" text-anchor="end">{escape(label)}</text>'
            f'<rect class="bar" x="{LEFT}" y="{y - 11}" width="{length}" height="12" rx="2"/>'
            f'<text x="{LEFT + length + 6}" y="{y}">{value:.3g} ms</text>'
        )
    return "".join(parts)
