"""Draws the rows that have a peer as bars on a logarithmic scale, in SVG."""

import math
from collections.abc import Callable
from html import escape

from table import Row

LEFT, WIDTH, BAR, GAP, HEAD = 400, 760, 14, 6, 60
TITLE = "Toolwire: how many times faster than what it replaces"
REACHED, MISSED, FREE = "#2e7d4f", "#c0392b", "#5b7fa6"


def chart(rows: list[Row], subtitle: str) -> str:
    """Draw a bar for each row: how many times faster than the peer. A mark shows the target."""
    drawn = [row for row in rows if row.ratio]
    least = min([0.5, *(row.ratio or 1 for row in drawn)])
    most = max([10, *(row.ratio or 1 for row in drawn)])
    low, high = math.floor(math.log10(least)), math.ceil(math.log10(most))
    scale = (WIDTH - 90) / (high - low)

    def x(ratio: float) -> float:
        return LEFT + (math.log10(ratio) - low) * scale

    lines: list[str] = []
    y, group = HEAD, None
    for row in drawn:
        if row.group != group:
            group = row.group
            y += 2 * GAP + BAR
            lines.append(f'<text x="12" y="{y - GAP}" class="group">{escape(group)}</text>')
        lines += bar(row, x, y)
        y += BAR + GAP
    height = y + 30
    grid = [
        f'<line x1="{x(10.0**power):.1f}" y1="{HEAD}" x2="{x(10.0**power):.1f}" y2="{y}" '
        f'class="{"one" if power == 0 else "grid"}"/>'
        f'<text x="{x(10.0**power):.1f}" y="{y + 16}" class="tick">{10.0**power:g}x</text>'
        for power in range(low, high + 1)
    ]
    style = (
        "text{font:12px sans-serif;fill:#222}.title{font-size:16px;font-weight:bold}"
        ".group{font-weight:bold}"
        ".name{text-anchor:end}.tick{text-anchor:middle;fill:#666}.grid{stroke:#ddd}"
        ".one{stroke:#222}.asked{stroke:#222;stroke-width:2}"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH} {height}" '
            f'width="{LEFT + WIDTH}" height="{height}">',
            f'<style>{style}</style><rect width="100%" height="100%" fill="#fff"/>',
            f'<text x="12" y="24" class="title">{TITLE}</text>',
            f'<text x="12" y="44">{escape(subtitle)} A black mark is the target of the row.</text>',
            *grid,
            *lines,
            "</svg>\n",
        ]
    )


def bar(row: Row, x: Callable[[float], float], y: float) -> list[str]:
    """Draw the bar of a row, which begins at 1x."""
    ratio = row.ratio or 1
    start, end = sorted((x(1), x(ratio)))
    colour = {True: REACHED, False: MISSED, None: FREE}[row.reached()]
    label = f"{'&gt; ' if row.stopped else ''}{ratio:.3g}x"
    parts = [
        f'<text x="{LEFT - 8}" y="{y + BAR - 3}" class="name">{escape(row.name)}</text>',
        f'<rect x="{start:.1f}" y="{y}" width="{max(1, end - start):.1f}" height="{BAR}" '
        f'fill="{colour}"/>',
        f'<text x="{max(end, x(1)) + 6:.1f}" y="{y + BAR - 3}">{label}</text>',
    ]
    if asked := row.target.get("ratio"):
        at = f"{x(asked):.1f}"
        parts.append(f'<line x1="{at}" y1="{y - 2}" x2="{at}" y2="{y + BAR + 2}" class="asked"/>')
    return parts
