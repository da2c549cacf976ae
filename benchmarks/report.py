"""What the reports of the benchmarks share: figures, tables and the page."""

import base64
import csv
import html
import json
import platform
from typing import NamedTuple

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table as Printed

from .style import THEMES, write_chart

STYLE = """
:root { color-scheme: light dark; --page: #fff; --ink: #1b1f24; --line: #8886;
  --soft: #8881; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --page: #14171a; --ink: #e4e6e9;
  --link: #7db7f5; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto;
  padding: 0 1rem; background: var(--page); color: var(--ink); overflow-wrap: anywhere; }
h1 { line-height: 1.2; max-width: 50rem; margin-bottom: .5rem; }
h2 { line-height: 1.25; margin-top: 2.5rem; }
a { color: var(--link); }
.about { opacity: .75; margin: 0; }
.table { overflow-x: auto; max-width: 100%; }
table { border-collapse: separate; border-spacing: 0; font-size: .875rem; }
th, td { padding: .3rem .5rem; border-bottom: 1px solid var(--line);
  vertical-align: top; text-align: right; overflow-wrap: normal; }
thead th { vertical-align: bottom; }
td { font-variant-numeric: tabular-nums; white-space: nowrap; }
tbody th { font-weight: normal; white-space: nowrap; }
th:first-child { text-align: left; position: sticky; left: 0; background: var(--page); }
figure { margin: 0 0 1rem; max-width: 38rem; }
.beside { display: grid; gap: 1rem 2rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
.beside > * { min-width: 0; }
.fitting { display: flex; flex-wrap: wrap; gap: 1rem 2rem; }
.fitting > figure { flex: 1 1 26rem; }
.fitting > div { max-width: 100%; }
.fitting table { width: min-content; }
.fitting .legend { width: 0; min-width: 100%; }
figure img { width: 100%; display: block; }
figcaption, .legend { font-size: .9rem; }
.legend { max-width: 50rem; }
nav a { display: inline-block; margin: 0 1rem .4rem 0; }
details { background: var(--soft); border-radius: .4rem; padding: 0 .8rem;
  margin: .6rem 0; }
details th:first-child { position: static; background: none; }
summary { cursor: pointer; padding: .5rem 0; font-weight: 600; }
"""


MOST_DECIMALS = 5  # or a power of ten is shorter


class Cell(NamedTuple):
    """A figure of a table. Its target is not shown, only written to the JSON."""

    value: float
    sliced: bool = False
    target: float | None = None
    less_is_better: bool = False
    deviation: float | None = None
    decimals: int = 3  # if there is a deviation
    tolerance: float | None = None  # the target may be off by that, either way

    def __str__(self):
        if self.deviation is not None and self.decimals > MOST_DECIMALS:
            value = f"{self.value:.2e} ± {self.deviation:.0e}"
        elif self.deviation is not None:
            value = f"{self.value:.{self.decimals}f} ± {self.deviation:.{self.decimals}f}"
        elif self.value >= 1000:
            value = f"{self.value:,.0f}"
        else:
            value = f"{self.value:.3g}"
        return f"{'~' if self.sliced else ''}{value}"

    @property
    def gap(self):
        """How far the figure is beyond its target; below zero if that is missed."""
        if self.tolerance is not None:
            gap = self.tolerance - abs(self.value - self.target)
        elif self.less_is_better:
            gap = self.target - self.value
        else:
            gap = self.value - self.target
        return round(gap, 12)  # 0.9347 is within 0.01 of 0.9247

    @property
    def verdict(self):
        """Whether the target is met or missed; empty if there is none."""
        if self.target is None:
            return ""
        return "met" if self.gap >= 0 else "missed"


class Ratio(Cell):
    """A figure with as many decimals as it is told, fewer if large, more if tiny."""

    def __str__(self):
        if self.value >= 10:
            return f"{self.value:,.{1 if self.value < 99.95 else 0}f}"
        if self.value >= 10**-self.decimals:
            return f"{self.value:.{self.decimals}f}"
        return f"{self.value:.1g}"


class Table:
    """Headings, rows and a legend, None if that of another table is enough.

    Headings may be shorter in a terminal.
    """

    def __init__(self, title, headings, rows, legend, short=None):
        self.title, self.headings, self.rows, self.legend = title, headings, rows, legend
        self.short = short or headings


def verdict(every):
    """Return how many targets are met, and which are not, as a line."""
    met, missed = 0, []
    for name, table in every.items():
        of = f", {int(name):,} clusters" if name.isdigit() else ""
        for row in table.rows:
            for heading, cell in zip(table.headings, row):
                outcome = getattr(cell, "verdict", "")
                met += outcome == "met"
                if outcome == "missed":
                    missed.append(f"{row[0]}{of}, {heading} {cell} ({cell.target:g})")
    text = f"{met} of {met + len(missed)} targets are met"
    return f"{text}; missed: {'; '.join(missed)}." if missed else f"{text}."


def spread(values, **options):
    """Return the mean and the standard deviation as a figure."""
    return Cell(float(np.mean(values)), deviation=float(np.std(values)), **options)


def machine():
    """Return what the figures were measured on."""
    from joblib import cpu_count

    return (
        f"{cpu_count()} cores, {platform.machine()}, {platform.system()}, "
        f"Python {platform.python_version()}"
    )


def write_json(folder, name, found, **more):
    """Write all that was measured, into a folder that is made if it does not exist."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**found, **more}, indent=1)
    (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def print_table(console, headings, rows, caption, **options):
    """Print a table, its first column to the left, with a dash where a cell is None."""
    table = Printed(box=SIMPLE_HEAD, caption=caption, **options)
    for column, heading in enumerate(headings):
        table.add_column(heading, justify="right" if column else "left")
    for cells in rows:
        table.add_row(*("-" if cell is None else str(cell) for cell in cells))
    console.print(table)


def print_tables(console, tables, lines):
    """Print tables so narrow that they fit 80 columns, and lines below them."""
    for table in tables:
        shown = table.short, table.rows, table.legend
        print_table(console, *shown, title=table.title, padding=0, show_edge=False)
        console.print()
    for line in lines:
        console.print(line, highlight=False, markup=False)


def write_csv(path, headings, rows):
    """Write a table, with nothing where a cell is None."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(headings)
        writer.writerows(["" if cell is None else cell for cell in cells] for cells in rows)


def html_table(headings, rows):
    """Return a table for the page, which scrolls by itself if it is wide."""

    def td(cell):
        return f"<td>{'-' if cell is None else html.escape(str(cell))}</td>"

    def tr(cells):
        first, *others = cells
        heading = f'<th scope="row">{html.escape(str(first))}</th>'
        return f"<tr>{heading}{''.join(map(td, others))}</tr>"

    head = "".join(f'<th scope="col">{html.escape(heading)}</th>' for heading in headings)
    body = "\n".join(map(tr, rows))
    return (
        f'<div class="table" tabindex="0"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def with_legend(table):
    """Return a table for the page, and its legend if it has one."""
    legend = html_text(table.legend, "legend") if table.legend else ""
    return f"{html_table(table.headings, table.rows)}\n{legend}"


def write_tables(folder, prefix, every, unfolded=()):
    """Write a CSV for each table, and return them for the page, but for a few folded."""
    parts = []
    for name, table in every.items():
        write_csv(folder / f"{prefix}{name}.csv", table.headings, table.rows)
        if name in unfolded:
            parts.append(f"<h2>{table.title}</h2>\n{with_legend(table)}")
        else:
            parts.append(html_folded(table.title, with_legend(table)))
    return parts


def html_text(text, kind=None):
    """Return a paragraph for the page."""
    attribute = f' class="{kind}"' if kind else ""
    return f"<p{attribute}>{html.escape(text)}</p>"


def html_list(lines):
    """Return a list for the page."""
    return f"<ul>{''.join(f'<li>{html.escape(line)}</li>' for line in lines)}</ul>"


def _data_uri(path):
    """Return the picture as a data URI, so that the page is a single file."""
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    return f"data:image/png;base64,{data}"


def html_chart(folder, name, description, caption):
    """Return the chart for the page, inside it: light or dark, as the reader likes."""
    light, dark = (_data_uri(folder / f"{name}{theme}.png") for theme in THEMES)
    return (
        f'<figure><picture><source media="(prefers-color-scheme: dark)" '
        f'srcset="{dark}"><img src="{light}" alt="{html.escape(description)}"></picture>'
        f"<figcaption>{html.escape(caption)}</figcaption></figure>"
    )


def chart_parts(folder, name, draw, description, caption):
    """Write a chart and return it for the page: nothing if it cannot be drawn."""
    if not write_chart(folder, name, draw):
        return []
    return [html_chart(folder, name, description, caption)]


def html_folded(title, *parts):
    """Return parts of the page that are shown when their title is clicked."""
    body = "\n".join(parts)
    return f"<details><summary>{html.escape(title)}</summary>\n{body}\n</details>"


def html_beside(*parts):
    """Return parts of the page side by side, where there is room."""
    return f'<div class="beside">{"".join(parts)}</div>'


def html_fitting(chart, *tables):
    """Return a chart, and its tables beside it if all their columns fit there, or below."""
    return f'<div class="fitting">{chart}{"".join(tables)}</div>'


def page(about, headline, *parts):
    """Return the parts as a page that fits wide and narrow screens, light and dark.

    `about` says what was measured, and `headline` what was found.
    """
    body = "\n".join(parts)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(about)}</title>
<style>{STYLE}</style>
</head>
<body>
<p class="about">{html.escape(about)}</p>
<h1>{html.escape(headline)}</h1>
{body}
</body>
</html>
"""


def write_page(path, about, headline, *parts):
    """Write a page, and its headline as a text that other pages may show."""
    path.write_text(page(about, headline, *parts), encoding="utf-8")
    path.with_suffix(".txt").write_text(f"{headline.rstrip('.')}.\n", encoding="utf-8")
