"""The datasets come from the folder, the cache or the network, whole or not at all.

The network is a server on this machine that stands for every host.
"""

import bz2
import gzip
import hashlib
import http.client
import os
import re
import socket
import threading
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import dataset_files as made
import numpy as np
import pytest
from local_web import LocalWeb, detour
from scipy.sparse import csr_matrix, issparse
from streams import dense

from benchmarks.data import (
    DATASETS,
    DatasetBroken,
    DatasetMissing,
    available,
    fetch,
    formats,
    load,
    load_labels,
)
from benchmarks.data import download as downloading
from benchmarks.data.homes import DIGESTS, HOMES
from benchmarks.data.unix_compress import uncompress

LETTER = made.LETTER
FOLDER = os.environ.get("ONLINEKMEANS_DATA")


@pytest.fixture
def web(tmp_path, monkeypatch):
    """Return a server without routes, an empty cache and pauses that take no time."""
    with LocalWeb() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        server.pauses = []
        server.cache = tmp_path / "home" / "onlinekmeans"
        monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
        monkeypatch.setattr(downloading, "sleep", server.pauses.append)
        monkeypatch.setattr(time, "sleep", lambda seconds: None)  # what fetch_openml calls
        detour(server.server_port)
        yield server
        urllib.request.install_opener(None)
        server.shutdown()


def serve(web, monkeypatch, name, *contents, **expected):
    """Publish small files as those of a dataset, pinned as the real ones are."""
    files = []
    for file, content in zip(HOMES[name].files, contents):
        web.answer(urlsplit(file.url).path, content)
        inside = uncompress(content) if file.name.endswith(".Z") else content
        algorithm = file.checksum.partition(":")[0]
        checksum = f"{algorithm}:{hashlib.new(algorithm, inside).hexdigest()}"
        files.append(file._replace(checksum=checksum))
    home = HOMES[name]._replace(files=tuple(files), expected=(), digest=None)
    monkeypatch.setitem(HOMES, name, home._replace(**expected))


def route(name, file=0):
    return urlsplit(HOMES[name].files[file].url).path


def assert_same(found, X, y):
    assert issparse(found[0]) == issparse(X)
    np.testing.assert_array_equal(dense(found[0]), dense(X))
    np.testing.assert_array_equal(found[1], y)
    assert found[1].dtype == np.int64


@pytest.mark.parametrize("name", made.PUBLIC)
def test_a_public_file_is_read_downloaded_once_and_then_kept(name, web, monkeypatch):
    contents, X, y = made.PUBLIC[name]
    serve(web, monkeypatch, name, *contents)
    first = fetch(name)
    assert_same(first, X, y)
    assert first[0].dtype == X.dtype
    assert len(web.requests) == len(contents)
    assert_same(fetch(name, download=False), X, y)
    assert len(web.requests) == len(contents)
    assert sorted(os.listdir(web.cache)) == sorted(file.name for file in HOMES[name].files)


def test_the_datasets_are_the_papers():
    papers = "20news adult ijcnn1 letter magic04 maptaskcoref nomao poker shuttle skin"
    assert [*papers.split(), "vehv2binary", "w8a"] == DATASETS
    assert set(DIGESTS) == set(DATASETS) - {"maptaskcoref", "nomao", "vehv2binary"}
    with pytest.raises(ValueError, match="unknown dataset 'iris'; there are 20news, adult"):
        fetch("iris")


def test_every_file_has_a_pinned_checksum_but_that_of_openml():
    checksums = {file.name: file.checksum for home in HOMES.values() for file in home.files}
    assert checksums.pop("nomao-openml.npz") is None
    for checksum in checksums.values():
        assert re.fullmatch("sha256:[0-9a-f]{64}|md5:[0-9a-f]{32}", checksum)
    urls = [file.url for home in HOMES.values() for file in home.files]
    assert all(url.startswith("https://") for url in urls)


def test_the_folder_comes_before_the_cache_and_the_network(web, tmp_path, monkeypatch):
    serve(web, monkeypatch, "letter", LETTER)
    folder = tmp_path / "data"
    folder.mkdir()
    assert available(folder) == available(None) == []
    X = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.uint8)
    np.savez(folder / "letter.npz", X=X, y=np.array([0, 1, 2], dtype=np.int8))
    assert_same(fetch("letter", folder), X.astype(float), [0, 1, 2])
    assert available(folder) == ["letter"]
    assert load(folder, "letter").dtype == np.float64
    assert load_labels(folder, "letter").dtype == np.int8
    web.cache.mkdir(parents=True)
    np.savez(web.cache / "letter.npz", X=X[:2].astype(np.float32), y=[1, 2])
    assert_same(fetch("letter"), X[:2].astype(np.float32), [1, 2])
    assert_same(fetch("letter", folder), X.astype(float), [0, 1, 2])
    assert web.requests == []


def test_nothing_is_downloaded_that_may_not_be(web, tmp_path):
    with pytest.raises(DatasetMissing) as error:
        fetch("letter", tmp_path / "nowhere", download=False)
    for part in ("nowhere", "letter.npz", str(web.cache / "letter-recognition.data")):
        assert part in str(error.value)
    assert "downloading was not allowed" in str(error.value)
    assert web.requests == []


def test_a_server_in_trouble_is_asked_again_after_ever_longer_pauses(web, monkeypatch):
    serve(web, monkeypatch, "letter", LETTER)
    web.routes[route("letter")][:0] = [(500, b"", 0), (503, b"", 0), (200, LETTER, 9)]
    assert_same(fetch("letter"), *made.PUBLIC["letter"][1:])
    assert len(web.requests) == 4
    assert web.pauses == sorted(set(web.pauses)) == [*downloading.PAUSES]


TRIES = len(downloading.PAUSES) + 1


@pytest.mark.parametrize(
    ("name", "answer", "tries", "error", "message"),
    [
        ("letter", (404, b"", 0), 1, DatasetMissing, r"ics.uci.edu answers 404 \(Not"),
        ("letter", (200, LETTER, 5), TRIES, DatasetMissing, "it broke off after 13 of 18"),
        ("letter", (200, LETTER[:-6] + b"xxxxxx", 0), 1, DatasetBroken, "its checksum"),
        ("shuttle", (200, b"no file of compress", 0), 1, DatasetBroken, "its checksum"),
    ],
)
def test_a_download_that_fails_leaves_nothing(
    name, answer, tries, error, message, web, monkeypatch
):
    serve(web, monkeypatch, name, made.PUBLIC[name][0][0])
    web.routes[route(name)] = [answer]
    with pytest.raises(error, match=message):
        fetch(name)
    assert len(web.requests) == tries
    assert os.listdir(web.cache) == []


@pytest.mark.parametrize(
    ("name", "host", "advice"),
    [
        ("letter", "archive.ics.uci.edu", "by hand into {} under the name letter-reco"),
        ("nomao", "www.openml.org", "copy nomao-openml.npz into {} from a machine"),
    ],
)
def test_without_a_connection_the_message_says_what_to_do(name, host, advice, web):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        detour(closed.getsockname()[1])
    with pytest.raises(DatasetMissing) as error:
        fetch(name)
    assert f"there is no connection to {host} (" in str(error.value)
    assert advice.format(web.cache) in str(error.value)
    assert web.pauses == [*downloading.PAUSES]


def test_where_no_name_is_found_there_is_one_more_try_only(web, monkeypatch):
    def unknown(*arguments, **options):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "create_connection", unknown)
    monkeypatch.setattr(http.client.HTTPConnection, "connect", unknown)
    with pytest.raises(DatasetMissing, match=r"no connection to archive.*Name or service"):
        fetch("skin")
    assert web.pauses == [downloading.PAUSES[0]]


def test_a_cached_file_that_is_damaged_later_is_downloaded_again(web, monkeypatch):
    contents, X, y = made.PUBLIC["poker"]
    serve(web, monkeypatch, "poker", *contents)
    fetch("poker")
    cached = web.cache / HOMES["poker"].files[1].name
    cached.write_bytes(contents[1][:-1] + b"2")
    with pytest.raises(DatasetBroken, match=f"{cached} is damaged"):
        fetch("poker", download=False)
    assert_same(fetch("poker"), X, y)
    assert web.requests == [route("poker"), route("poker", 1), route("poker", 1)]
    cached.write_bytes(b"")
    web.answer(route("poker", 1), b"1,2")
    with pytest.raises(DatasetBroken, match="is not the file that is expected"):
        fetch("poker")
    web.routes.clear()
    with pytest.raises(DatasetBroken, match="is damaged, and archive"):
        fetch("poker")


def test_what_was_read_must_be_the_dataset(web, monkeypatch):
    X, y = np.array([[2.0, 8, 3]]), np.array([19])
    right = {"expected": (2, 3, 2), "digest": (1, formats.content_digest(X, y))}
    serve(web, monkeypatch, "letter", LETTER, **right)
    fetch("letter")
    home = HOMES["letter"]
    for wrong in (
        {"expected": (2, 3, 26)},
        {"expected": (20000, None, None)},
        {"digest": (1, 64 * "0")},
    ):
        monkeypatch.setitem(HOMES, "letter", home._replace(**wrong))
        with pytest.raises(DatasetBroken, match=r"letter-recognition.data cannot be used"):
            fetch("letter")


def test_a_cache_that_cannot_be_made_is_said_to_be_so(web, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "file"))
    with pytest.raises(DatasetMissing, match="SCIKIT_LEARN_DATA to a folder"):
        fetch("letter")
    np.savez(tmp_path / "letter.npz", X=np.ones((1, 2)), y=[0])
    assert_same(fetch("letter", tmp_path), np.ones((1, 2)), [0])
    web.cache.mkdir(parents=True)
    (web.cache / HOMES["letter"].files[0].name).mkdir()
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(web.cache.parent))
    with pytest.raises(DatasetMissing, match="cannot be read or written"):
        fetch("letter")


def serve_openml(web, monkeypatch, arff=made.ARFF, md5=None):
    for path, body in made.openml_answers(arff, md5).items():
        web.answer(path, body)
    monkeypatch.setitem(HOMES, "nomao", HOMES["nomao"]._replace(expected=(3, None, 2)))


def test_nomao_comes_from_openml_and_stays_what_it_was(web, monkeypatch):
    serve_openml(web, monkeypatch)
    assert_same(fetch("nomao"), made.ARFF_ROWS, [1, 2, 2])
    asked = len(web.requests)
    assert_same(fetch("nomao", download=False), made.ARFF_ROWS, [1, 2, 2])
    assert len(web.requests) == asked
    cached = web.cache / "nomao-openml.npz"
    assert sorted(os.listdir(web.cache)) == [cached.name, f"{cached.name}.checksum"]
    cached.write_bytes(cached.read_bytes()[:-1])
    assert_same(fetch("nomao"), made.ARFF_ROWS, [1, 2, 2])
    assert len(web.requests) == 2 * asked
    cached.unlink()
    serve_openml(web, monkeypatch, made.ARFF.replace(b"0.25", b"0.5"))
    with pytest.raises(DatasetBroken, match=r"delete .*npz.checksum to trust"):
        fetch("nomao")


def test_what_openml_damaged_is_not_kept(web, monkeypatch):
    serve_openml(web, monkeypatch, md5=32 * "0")
    with pytest.raises(DatasetBroken, match="md5 checksum"):
        fetch("nomao")
    web.routes["/api/v1/json/data/1486"] = [(404, b"", 0)]
    with pytest.raises(DatasetMissing, match=r"www.openml.org answers 404"):
        fetch("nomao")
    assert os.listdir(web.cache) == []


def test_nomao_of_uci_may_be_put_by_hand(web, tmp_path):
    text, X, y = made.nomao_of_uci()
    (tmp_path / "Nomao.data").write_bytes(text)
    assert_same(fetch("nomao", tmp_path), X, y)
    assert web.requests == []


@pytest.mark.parametrize("name", ["maptaskcoref", "vehv2binary"])
@pytest.mark.parametrize("form", made.TEXTS)
@pytest.mark.parametrize(
    ("packed", "pack"), [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress)]
)
def test_what_has_no_home_is_read_from_text(name, form, packed, pack, web, tmp_path):
    text, X, y = made.TEXTS[form]
    said = rf"{name}.{form}\b.*{packed}\b.*no public home"
    with pytest.raises(DatasetMissing, match=said):
        fetch(name, tmp_path)
    (tmp_path / f"{name}.{form}{packed}").write_bytes(pack(text))
    assert_same(fetch(name, tmp_path), csr_matrix(X), y)
    for damaged in (pack(b"no | number:x"), pack(text)[:-9] if packed else b"no | label"):
        (tmp_path / f"{name}.{form}{packed}").write_bytes(damaged)
        with pytest.raises(DatasetBroken, match=f"{name}.{form}{packed} cannot be used"):
            fetch(name, tmp_path)


@pytest.mark.parametrize(("make", "problem"), made.BROKEN)
def test_a_broken_file_of_the_folder_is_an_error(make, problem, web, tmp_path, monkeypatch):
    serve(web, monkeypatch, "letter", LETTER)
    monkeypatch.setattr(made.Evil, "trace", tmp_path / "unpickled")
    (tmp_path / "letter.npz").write_bytes(make())
    with pytest.raises(DatasetBroken, match=problem) as error:
        fetch("letter", tmp_path)
    assert str(tmp_path / "letter.npz") in str(error.value)
    assert not made.Evil.trace.exists()
    assert web.requests == []


def test_members_with_other_names_are_not_read(web, tmp_path, monkeypatch):
    outside = tmp_path / "outside"
    group = "20news-bydate-train/rec.autos"
    names = [f"../{group}/7", f"/{group}/8", f"{group}/../9", f"{group}/x", str(outside)]
    bad = dict.fromkeys(names, b"H: h\n\nfast food evil evil")
    content = made.archive({**bad, **made.NEWS}, links=[f"{group}/10"])
    serve(web, monkeypatch, "20news", content)
    monkeypatch.chdir(tmp_path)
    assert_same(fetch("20news"), *made.PUBLIC["20news"][1:])
    assert sorted(os.listdir(tmp_path)) == ["home"]
    serve(web, monkeypatch, "20news", made.archive(bad))
    with pytest.raises(DatasetBroken, match="no text of a newsgroup"):
        fetch("20news")


@pytest.mark.parametrize("clear_after", [None, 3, 300, 70_000])
def test_uncompress_undoes_compress(clear_after):
    data = np.random.RandomState(0).bytes(150_000) + b"abababababab" * 999
    assert uncompress(made.compressed(data, clear_after)) == data
    assert uncompress(made.compressed(b"a" * 99)) == b"a" * 99


@pytest.mark.parametrize("data", [b"", b"\x1f\x8b\x90abc", b"\x1f\x9d\x90\xff\xff\xff"])
def test_uncompress_refuses_what_is_damaged(data):
    with pytest.raises(ValueError, match="damaged"):
        uncompress(data)


def test_the_digest_is_of_the_content_alone():
    digest = formats.content_digest
    X, y = np.array([[0, 1.5], [2, 4], [0, 3]]), np.array([1, 2, 1])
    sparse = csr_matrix(X)
    assert digest(np.asfortranarray(X, np.float32), y.astype("i1")) == digest(X, y)
    assert digest(X[[0, 1, 2, 0]], y[[0, 1, 2, 0]], 3) == digest(X, y)
    unsorted = csr_matrix(([1.5, 4, 2, 3], [1, 1, 0, 1], [0, 1, 3, 4]))
    assert digest(sparse, y) == digest(unsorted, y)
    others = [(X + 1e-15, y), (X, y + 1), (X[:2], y[:2]), (X[[1, 0, 2]], y), (sparse, y)]
    assert len({digest(*each) for each in [(X, y), *others]}) == 6


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER, reason="ONLINEKMEANS_DATA is not set")
@pytest.mark.parametrize("name", DIGESTS)
def test_our_copy_is_the_public_dataset(name, tmp_path):
    path = Path(FOLDER) / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"there is no {path.name} in ONLINEKMEANS_DATA")
    rows, digest = DIGESTS[name]
    assert formats.content_digest(*fetch(name, FOLDER, download=False), rows) == digest
    if name == "20news":
        return  # a bag of words cannot be written back
    with np.load(path, allow_pickle=False) as arrays:
        contents, whole = made.written_back(name, arrays)
    paths = [tmp_path / file.name for file in HOMES[name].files]
    for i, (file, content) in enumerate(zip(HOMES[name].files, contents)):
        content = content if isinstance(content, bytes) else content.encode()
        content = made.compressed(content) if file.name.endswith(".Z") else content
        paths[i].write_bytes(content)
        assert downloading.is_intact(paths[i], file.checksum) == (i < whole)
    X, y = formats.validated(*HOMES[name].read(*paths))
    assert formats.content_digest(X, y, rows) == digest


@pytest.mark.parametrize("name", ["paper", "quality", "features", "drift", "speed"])
def test_a_folder_that_is_not_there_ends_a_study(tmp_path, monkeypatch, capsys, name):
    main = pytest.importorskip(f"benchmarks.{name}").main
    assert_refused = pytest.importorskip("reports").assert_refused
    folder, out = str(tmp_path / "missing"), str(tmp_path / "report")
    assert_refused(main, capsys, f"no folder {folder}", ["--data", folder, "--out", out])
    monkeypatch.setenv("ONLINEKMEANS_DATA", folder)
    assert_refused(main, capsys, f"no folder {folder}", ["--out", out])
    assert os.listdir(tmp_path) == []
