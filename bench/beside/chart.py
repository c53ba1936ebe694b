"""The figures as a chart for the documentation: a group of bars for each operation, each as long as its median."""

from html import escape

from bench.beside.measuring import table
from bench.report import Rows

_COLOURS = ("#0f766e", "#5eead4", "#94a3b8", "#f59e0b", "#a855f7")
_WIDTH, _LABELS, _BAR, _GAP = 860, 190, 17, 30


def svg(rows: Rows, title: str) -> str:
    """An SVG without scripts and fonts. Within an operation, the slowest system has the longest bar."""
    systems = list(table(rows)[0])[1:]
    parts, y = [_text(12, 24, title, "bold 15px")], 44
    for operation in dict.fromkeys(row["operation"] for row in rows):
        group = [row for row in rows if row["operation"] == operation]
        parts.append(_text(12, y + 14, operation, "bold 13px"))
        y += 22
        for row in group:
            length = row["p50_ms"] / max(one["p50_ms"] for one in group) * (_WIDTH - _LABELS - 170)
            colour = _COLOURS[systems.index(row["system"]) % len(_COLOURS)]
            parts.append(_text(12, y + 12, row["system"], "12px"))
            parts.append(
                f'<rect x="{_LABELS}" y="{y}" width="{max(length, 1):.1f}" height="{_BAR - 3}" fill="{colour}"/>'
            )
            times = f" ms, {row['ratio']:g}x" if row["system"] != systems[0] else " ms"
            parts.append(_text(_LABELS + length + 6, y + 12, f"{row['p50_ms']:.1f}{times}", "12px"))
            y += _BAR
        y += _GAP - _BAR
    box = f'<rect width="{_WIDTH}" height="{y}" fill="#ffffff"/>'
    opened = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" role="img">'
    return "\n".join([opened, f"<title>{escape(title)}</title>", box, *parts, "</svg>"]) + "\n"


def _text(x: float, y: float, words: str, font: str) -> str:
    return f'<text x="{x:.1f}" y="{y}" style="font:{font} sans-serif" fill="#0f172a">{escape(words)}</text>'
