"""A checkpoint is written as a whole or not at all."""

import copy
import errno
import io
import os
import stat
from pathlib import Path

import pytest
from inside import replaced, stream_of
from streams import blobs

from onlinekmeans_sklearn import OnlineKMeans, load, save

X = blobs(0, 300)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "stream.npz"


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


@pytest.mark.parametrize("given", ["none/stream.npz", b"none/stream.npz", Path("folder")])
def test_an_error_names_the_path_that_was_given(given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("folder")
    with pytest.raises(OSError) as caught:  # no such folder, or a folder itself
        save(OnlineKMeans(), given)
    assert caught.value.filename == os.fsdecode(given)
    assert "tmp" not in str(caught.value)
    assert isinstance(caught.value, (FileNotFoundError, IsADirectoryError))
    assert os.listdir() == ["folder"]


def test_a_new_checkpoint_has_the_permissions_of_any_new_file(path):
    save(OnlineKMeans(), path)
    path.with_name("new").touch()
    assert path.stat().st_mode == path.with_name("new").stat().st_mode


@pytest.mark.skipif(os.name != "posix", reason="permission bits are POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o400])
def test_a_replaced_checkpoint_keeps_its_permissions(mode, path):
    path.touch()
    path.chmod(mode)
    link = path.with_name("latest")
    link.symlink_to(path)
    for target in (path, link):
        save(OnlineKMeans(), target)
        assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.name != "posix", reason="permission bits are POSIX")
def test_nobody_else_can_read_a_private_checkpoint_while_it_is_written(path):
    path.touch()
    path.chmod(0o600)
    modes = []

    class WatchedFile(io.FileIO):
        def write(self, data):
            modes.append(stat.S_IMODE(os.fstat(self.fileno()).st_mode))
            return super().write(data)

    with replaced("open", WatchedFile):
        save(OnlineKMeans(), path)
    assert modes == [0o600]
    load(path)


def failing(error):
    """Return a function that raises."""

    def fail(*args, **kwargs):
        raise error

    return fail


class FullFile(io.FileIO):
    """A file on a disk that is full after a few bytes."""

    def write(self, data):
        super().write(data[:100])
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, "No space left"), MemoryError(), KeyboardInterrupt()],
    ids=repr,
)
@pytest.mark.parametrize("function", ["os.replace", "os.fsync", "numpy.savez"])
def test_a_failure_leaves_the_old_checkpoint_and_no_litter(
    function, error, path, monkeypatch
):
    model = OnlineKMeans(k=20, random_state=0).partial_fit(X[:100])
    save(model, path)
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(function, failing(error))
        with pytest.raises(type(error)):
            save(copy.deepcopy(model).partial_fit(X[100:]), path)
        with pytest.raises(type(error)):
            save(model, path.with_name("new"))
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == before


def test_what_could_not_be_loaded_does_not_replace_what_can(path):
    model = OnlineKMeans(k=20, random_state=0).fit(X)
    save(model, path)
    before = path.read_bytes()
    stream_of(model).counts[3] += 1
    with pytest.raises(ValueError, match=r"Cannot save this OnlineKMeans.*add up"):
        save(model, path)
    assert path.read_bytes() == before


def test_a_full_disk_leaves_the_old_checkpoint_and_no_litter(path):
    save(OnlineKMeans(k=7), path)
    with replaced("open", FullFile), pytest.raises(OSError, match="No space left"):
        save(OnlineKMeans(k=8), path)
    assert os.listdir(path.parent) == [path.name]
    assert load(path).k == 7


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
    monkeypatch.setattr(os, "open", failing(PermissionError("a folder")))
    save(OnlineKMeans(k=7), path)
    assert load(path).k == 7
