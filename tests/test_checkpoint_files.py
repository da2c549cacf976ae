"""A checkpoint is written as a whole or not at all, to paths and to file objects."""

import copy
import errno
import io
import logging
import os
import socket
import stat
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from checkpoints import fingerprint
from inside import replaced
from streams import blobs

from onlinekmeans_sklearn import OnlineKMeans, load, save

X = blobs(0, 300)
MODEL = OnlineKMeans(k=20, random_state=0).fit(X)
on_posix = pytest.mark.skipif(os.name != "posix", reason="permissions and FIFOs are POSIX")


def test_paths_may_be_strings_bytes_and_links(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    save(OnlineKMeans(k=3), "stream.npz")
    assert load(os.fsencode(path)).k == 3
    link = path.with_name("latest")
    link.symlink_to(path)
    save(OnlineKMeans(k=4), os.fsencode(link))
    assert link.is_symlink()
    assert load(path).k == 4
    assert sorted(os.listdir()) == ["latest", "stream.npz"]


class Pipe:
    """As little as a file object must have."""

    def __init__(self):
        self.parts = []

    def write(self, data):
        self.parts.append(bytes(data))

    def read(self):
        return b"".join(self.parts)


def test_file_objects_are_as_good_as_paths(path):
    save(MODEL, path)
    pipe, buffer = Pipe(), io.BytesIO()
    save(MODEL, pipe)
    buffer.write(b"before")
    save(MODEL, buffer)
    assert pipe.read() == buffer.getvalue()[6:] == path.read_bytes()
    buffer.seek(6)
    with path.open("rb") as file, path.open("rb", buffering=0) as raw:
        for source in (pipe, buffer, file, raw):
            assert fingerprint(load(source)) == fingerprint(MODEL)
        assert not file.closed
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("function", [load, lambda file: save(OnlineKMeans(), file)])
def test_text_files_and_other_things_are_refused(function, path):
    save(OnlineKMeans(), path)
    with path.open("r+") as file, tempfile.NamedTemporaryFile("w+") as temporary:
        for target in (file, temporary, io.StringIO(), None, 1.5, [path]):
            with pytest.raises(TypeError, match="expected a path or a binary file object"):
                function(target)
    assert load(path).k == "auto"


def test_a_file_object_without_bytes_is_refused():
    source = Pipe()
    for content in (b"", "text", None):
        source.read = lambda content=content: content
        with pytest.raises(ValueError, match=r"Cannot load .*Pipe.*checkpoint.*seek\(0\)"):
            load(source)
    source.read = failing(MemoryError())
    with pytest.raises(MemoryError, match=r"Cannot load .*Pipe.*does not fit into memory"):
        load(source)


@pytest.mark.parametrize("given", ["none/stream.npz", b"none/stream.npz", Path("folder")])
def test_an_error_names_the_path_that_was_given(given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("folder")
    with pytest.raises(OSError) as caught:  # no such folder, or a folder itself
        save(OnlineKMeans(), given)
    assert caught.value.filename == os.fsdecode(given)
    assert "tmp" not in str(caught.value)
    assert isinstance(caught.value, (FileNotFoundError, FileExistsError))
    assert os.listdir() == ["folder"]


@on_posix
@pytest.mark.parametrize("target", ["target", "link"])
@pytest.mark.parametrize("kind", ["FIFO", "folder", "socket"])
def test_what_is_not_a_regular_file_is_not_replaced(kind, target, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # no real device: if this failed, root would replace it
    if kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("target")
    else:
        (os.mkfifo if kind == "FIFO" else os.mkdir)("target")
    os.symlink("target", "link")
    before = os.stat("target")
    with pytest.raises(FileExistsError, match=r"Not a regular.* binary file") as caught:
        save(OnlineKMeans(), target)
    assert caught.value.filename == target
    after = os.stat("target")
    assert (after.st_mode, after.st_ino) == (before.st_mode, before.st_ino)
    assert sorted(os.listdir()) == ["link", "target"]


def test_a_new_checkpoint_has_the_permissions_of_any_new_file(path):
    path = path.with_name("n" * 251 + ".npz")  # as long as the file system allows
    save(OnlineKMeans(k=7), path)
    touched = path.with_name("new")
    touched.touch()
    assert path.stat().st_mode == touched.stat().st_mode
    save(OnlineKMeans(k=8), path)
    assert load(path).k == 8
    assert sorted(os.listdir(path.parent)) == ["new", path.name]


@on_posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o400])
def test_a_replaced_checkpoint_keeps_its_permissions(mode, path):
    path.touch()
    path.chmod(mode)
    link = path.with_name("latest")
    link.symlink_to(path)
    for target in (path, link):
        save(OnlineKMeans(), target)
        assert stat.S_IMODE(path.stat().st_mode) == mode


@on_posix
def test_nobody_else_can_open_a_private_checkpoint_while_it_is_written(path):
    path.touch()
    path.chmod(0o600)
    modes = []

    class WatchedFile(io.FileIO):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.write(b"")

        def write(self, data):
            modes.append(stat.S_IMODE(os.fstat(self.fileno()).st_mode))
            return super().write(data)

    with replaced("open", WatchedFile):
        save(OnlineKMeans(), path)
    assert modes == [0o600, 0o600]
    load(path)


def failing(error):
    """Return a function that raises."""

    def fail(*args, **kwargs):
        raise error

    return fail


def full_file(error):
    """Return a kind of files that fail after a few bytes, as on a full disk."""

    class FullFile(io.FileIO):
        def write(self, data):
            super().write(data[:100])
            raise error

    return FullFile


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left"), MemoryError(), KeyboardInterrupt()]
)
@pytest.mark.parametrize(
    "function", ["os.replace", "os.fsync", "numpy.lib.format.write_array", "write"]
)
def test_a_failure_leaves_the_old_checkpoint_and_no_litter(
    function, error, path, monkeypatch
):
    save(MODEL, path)
    before = path.read_bytes()
    with monkeypatch.context() as patch, ExitStack() as stack:
        if function == "write":
            stack.enter_context(replaced("open", full_file(error)))
        else:
            patch.setattr(function, failing(error))
        for target in (path, path.with_name("new")):
            with pytest.raises(type(error)) as caught:
                save(copy.deepcopy(MODEL).partial_fit(X), target)
            if "numpy" not in function and isinstance(error, OSError):  # of this file
                assert caught.value.errno == errno.ENOSPC
                assert caught.value.filename == str(target)
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == before


def test_all_reaches_the_disk_before_the_old_file_goes(path, monkeypatch):
    save(OnlineKMeans(k=7), path)
    done, replace, fsync = [], os.replace, os.fsync

    def watched_fsync(descriptor):
        size = os.fstat(descriptor).st_size
        done.append(("sync", os.readlink(f"/proc/self/fd/{descriptor}"), size))
        fsync(descriptor)

    def watched_replace(source, target):
        done.append(("replace", source, load(source).k))
        replace(source, target)

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("which file a descriptor stands for is not known here")
    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(os, "replace", watched_replace)
    save(OnlineKMeans(k=8), path)
    temporary, folder = done[0][1], os.path.realpath(path.parent)
    assert os.path.dirname(temporary) == folder
    assert done[0] == ("sync", temporary, path.stat().st_size)
    assert done[1] == ("replace", temporary, 8)
    assert done[2][:2] == ("sync", folder)
    assert len(done) == 3


def test_a_folder_that_cannot_be_synced_is_no_failure(path, monkeypatch):
    usual = os.open

    def no_folders(name, *args, **options):
        if os.path.isdir(name):
            raise PermissionError("a folder")
        return usual(name, *args, **options)

    monkeypatch.setattr(os, "open", no_folders)
    save(OnlineKMeans(k=7), path)
    assert load(path).k == 7


def test_the_logger_tells_of_checkpoints(path, caplog):
    with caplog.at_level(logging.INFO, logger="onlinekmeans_sklearn"):
        save(MODEL, path)
        load(path)
        save(OnlineKMeans(), io.BytesIO())
    size = path.stat().st_size
    assert caplog.messages[:2] == [
        f"Saved OnlineKMeans to {path}: {size} bytes",
        f"Loaded OnlineKMeans from {path}: 300 samples",
    ]
    assert "BytesIO" in caplog.messages[2]
    assert {record.name for record in caplog.records} == {"onlinekmeans_sklearn"}
