"""``python -m benchmarks dask``: one pass on one and two workers, beside the local fit.

Rows are generated on the workers, one thread each. Every fit runs in a process of its own,
one after the other, and all must have the same result, bit for bit. What each step took on
two workers goes into a simulation of larger data on more workers.
"""

import json
import subprocess
import sys

from rich.console import Console

from ..command import parser_of, read_json
from ..report import print_table, write_csv, write_json
from ..style import write_chart
from .growth import draw, simulated, write_table
from .measure import MIB

FITS = {  # by name; more rounds take turns
    "local, 1 thread": {"n_jobs": 1},
    "local, 2 threads": {"n_jobs": 2},
    "Dask, 1 worker": {"n_workers": 1},
    "Dask, 2 workers": {"n_workers": 2},
}


def measured(setting):
    """Return what one fit took, in a process of its own."""
    code = "import sys; from benchmarks.dask.measure import main; main(sys.argv[1])"
    command = [sys.executable, "-c", code, json.dumps(setting)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def study(setting, rounds, show):
    """Return the fastest of each fit; stop if any two differ in their result."""
    best = {}
    for _ in range(rounds):
        for name, options in FITS.items():
            show(name)
            found = measured({**setting, **options})
            if name not in best or found["seconds"] < best[name]["seconds"]:
                best[name] = found
    if len({found["digest"] for found in best.values()}) > 1:
        raise AssertionError(f"The results are not the same: {best}")
    return best


def ratios(best):
    """Return how the fits compare."""
    alone, both, one, two = (best[name]["seconds"] for name in FITS)
    return {
        "2 workers are faster than 1 by": one / two,
        "1 worker / local, 1 thread": one / alone,
        "2 workers / local, 2 threads": two / both,
    }


def figures(setting, best):
    """Return what a fit on two workers took besides time, each with its unit."""
    found = best["Dask, 2 workers"]
    n_bytes = 8 * setting["n_rows"] * setting["n_features"]
    of_driver = found["driver_seconds"] / found["seconds"]
    return {
        "clusters": f"{found['n_clusters']:,}",
        "rows read by one worker": f"{found['n_serial_rows']:,}",
        "candidates": f"{found['n_candidates']:,}",
        "openings among them": f"{found['n_openings']:,}",
        "data moved between workers": f"{100 * found['moved'] / n_bytes:.1f} %",
        "time in which the driver works": f"{100 * of_driver:.1f} %",
        "driver and scheduler compute": f"{found['process_seconds']:.1f} s",
        "memory of the driver, at most": f"{found['driver_memory'] / MIB:.0f} MiB",
        "of which before the fit": f"{found['driver_memory_before'] / MIB:.0f} MiB",
    }


def rows_of_table(results, found):
    """Return the lines of the table: a heading, and a cell for each k."""
    parts = []
    for setting, best in results:
        seconds = {name: f"{found['seconds']:.1f} s" for name, found in best.items()}
        compared = {name: f"{value:.2f}" for name, value in ratios(best).items()}
        parts.append({**seconds, **compared, **figures(setting, best)})
        for one in found:
            if one["k"] == setting["k"]:
                agreement = f"{one['agreement']:.2f}"
                parts[-1]["2 workers, simulated / measured"] = agreement
                what = f"workers that help, partitions of {one['partition']} MiB"
                parts[-1][what] = f"{one['useful_workers']:,}"
    return [[name, *(part[name] for part in parts)] for name in parts[0]]


def headings(results):
    """Return the heading of each column."""
    return ["", *(f"k = {setting['k']:,}" for setting, _ in results)]


def headline(results):
    """Return what was found, in a sentence."""
    setting, best = results[-1]
    faster = ratios(best)["2 workers are faster than 1 by"]
    what = f"{setting['n_rows']:,} rows, k={setting['k']:,}"
    return (
        f"Two Dask workers are **{faster:.2f} times** as fast as one ({what}), and find "
        "the clusters of one machine, bit for bit."
    )


def write_results(folder, results, found):
    """Write figures, headline, tables and chart."""
    write_json(folder, "dask", {"measured": results, "simulated": found})
    (folder / "index.txt").write_text(headline(results) + "\n", encoding="utf-8")
    write_csv(folder / "dask.csv", headings(results), rows_of_table(results, found))
    write_table(folder / "dask-simulated.csv", found)
    write_chart(folder, "dask", lambda pale: draw(found, pale))


def main(argv):
    """Measure, print and write the figures."""
    parser = parser_of("dask", __doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--partition", type=int, default=250_000, help="rows of each")
    parser.add_argument("--k", type=int, nargs="+", default=[200, 1000])
    parser.add_argument("--rounds", type=int, default=1, help="the fastest counts (1)")
    parser.add_argument("--most-workers", type=int, default=1000, help="to simulate")
    args = parser.parse_args(argv)
    console = Console()
    if args.redraw:
        results, found = read_json(parser, args.out / "dask.json").values()
    else:
        results = []
        for k in args.k:
            setting = {
                "n_rows": args.rows - args.rows % args.partition,
                "n_features": args.features,
                "partition": args.partition,
                "k": k,
            }
            with console.status(f"k = {k:,}") as status:

                def show(name, k=k, status=status):
                    status.update(f"k = {k:,}: {name}")

                results.append((setting, study(setting, args.rounds, show)))
        with console.status("simulated") as status:
            found = simulated(results, args.most_workers, status.update)
    setting = results[0][0]
    title = f"{setting['n_rows']:,} x {setting['n_features']} rows, the same result by all"
    rows = rows_of_table(results, found)
    print_table(console, headings(results), rows, None, title=title)
    write_results(args.out, results, found)
    console.print(f"Tables and chart are in {args.out}.")
