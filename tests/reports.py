"""What all reports of benchmarks promise: they fit a terminal, files hold them whole."""

import csv
import io
import json

import pytest
from rich.console import Console

from benchmarks import style


def printed(print_report, *found, **options):
    """Return what is printed on a terminal of 80 columns, with nothing cut off."""
    console = Console(width=80, record=True, file=io.StringIO())
    print_report(console, *found, **options)
    text = console.export_text()
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80
    return text


def assert_tables_are_written(folder, name, tables):
    """Check that every table is in a CSV, cell by cell."""
    for part, table in tables.items():
        stem = part if part.startswith(name) else f"{name}-{part}"
        with (folder / f"{stem}.csv").open(newline="", encoding="utf-8") as file:
            headings, *rows = csv.reader(file)
        assert headings == table.headings
        assert rows == [["" if c is None else str(c) for c in row] for row in table.rows]


def assert_drawn_again(folder, main):
    """Check that a command makes the files of a report again from its JSON alone."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for path in folder.iterdir():
        if path.suffix != ".json":
            path.unlink()
    main(["--redraw", "--out", str(folder)])
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def written(folder, name, report, found, main):
    """Return the JSON and the page of a report, which holds every number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(style, "DPI", 20)
        report.write_report(folder, found)
        assert_drawn_again(folder, main)
    assert_tables_are_written(folder, name, report.tables_of(found))
    text = (folder / "index.txt").read_text(encoding="utf-8")
    assert text == f"{report.headline(found)}.\n"
    kept = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    assert {part: kept[part] for part in found} == found
    return kept, (folder / "index.html").read_text(encoding="utf-8")


def assert_refused(main, capsys, message, *wrong):
    """Check that a command refuses its options, and says what is wrong with the last."""
    for arguments in wrong:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
    assert message in capsys.readouterr().err
