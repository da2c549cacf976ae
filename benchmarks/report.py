"""What the reports of the benchmarks share: figures, tables and the page."""

import base64
import csv
import html
import platform
from typing import NamedTuple

from rich.box import SIMPLE_HEAD
from rich.table import Table

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto;
  padding: 0 1rem; }
div { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid #8886; vertical-align: bottom; }
th { text-align: right; }
td { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
.met::after { content: " ✓"; color: #2a2; }
.missed::after { content: " ✗"; color: #c33; }
img { width: 60rem; max-width: 100%; min-width: 36rem; background: white; }
"""


class Cell(NamedTuple):
    """A figure of a table."""

    value: float
    sliced: bool = False
    target: float | None = None
    less_is_better: bool = False
    deviation: float | None = None
    decimals: int = 3  # if there is a deviation

    def __str__(self):
        if self.deviation is not None:
            value = f"{self.value:.{self.decimals}f} ± {self.deviation:.{self.decimals}f}"
        elif self.value >= 1000:
            value = f"{self.value:,.0f}"
        else:
            value = f"{self.value:.3g}"
        text = f"{'~' if self.sliced else ''}{value}"
        return text if self.target is None else f"{text} ({self.target:.3g})"

    @property
    def verdict(self):
        """What became of the target: met, missed, or nothing if there is none."""
        if self.target is None:
            return ""
        gap = self.target - self.value if self.less_is_better else self.value - self.target
        return "met" if gap >= 0 else "missed"


def machine():
    """Return what the figures were measured on."""
    from joblib import cpu_count

    return (
        f"{cpu_count()} cores, {platform.machine()}, {platform.system()}, "
        f"Python {platform.python_version()}"
    )


def print_table(console, headings, rows, caption, **options):
    """Print a table, its first column to the left, with a dash where a cell is None."""
    table = Table(box=SIMPLE_HEAD, caption=caption, **options)
    for column, heading in enumerate(headings):
        table.add_column(heading, justify="right" if column else "left")
    for cells in rows:
        table.add_row(*("-" if cell is None else str(cell) for cell in cells))
    console.print(table)


def write_csv(path, headings, rows):
    """Write a table, with nothing where a cell is None."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(headings)
        writer.writerows(["" if cell is None else cell for cell in cells] for cells in rows)


def html_table(headings, rows):
    """Return a table for the page, with a mark where a target is met or missed."""

    def td(cell):
        if cell is None:
            return "<td>-</td>"
        kind = getattr(cell, "verdict", "")
        return f'<td class="{kind}">{html.escape(str(cell))}</td>'

    head = "".join(f"<th>{html.escape(heading)}</th>" for heading in headings)
    body = "".join(f"<tr>{''.join(map(td, cells))}</tr>" for cells in rows)
    return f"<div><table><tr>{head}</tr>{body}</table></div>"


def html_text(text):
    """Return a paragraph for the page."""
    return f"<p>{html.escape(text)}</p>"


def html_list(lines):
    """Return a list for the page."""
    return f"<ul>{''.join(f'<li>{html.escape(line)}</li>' for line in lines)}</ul>"


def html_image(path, description):
    """Return the picture for the page, inside it, so that one file is all there is."""
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    source = f"data:image/png;base64,{data}"
    return f'<div><img src="{source}" alt="{html.escape(description)}"></div>'


def page(title, *parts):
    """Return the parts as a page that fits wide and narrow screens, light and dark."""
    body = "\n".join(parts)
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<style>{STYLE}</style>
<h1>{html.escape(title)}</h1>
{body}
</html>
"""
