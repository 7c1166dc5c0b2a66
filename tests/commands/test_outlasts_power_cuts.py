"""A file that is said to be written is named, and its folder synced, before: a power cut takes no name back."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from client.connection.identity import identity_in
from client.writing import sync_folder, write_whole
from rasputitsa.backup import backup
from rasputitsa.export import export
from rasputitsa.restore import restore
from server.store.sqlite import STORE
from tests.commands.test_archive_commands import GAME, played

__all__ = ["played"]


class Disk:
    """What is asked of the system in order: files and folders that are synced, and names that are given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[str] = []
        self._folders: dict[tuple[int, int], str] = {}
        for call in ("link", "replace"):
            monkeypatch.setattr(os, call, self._named(getattr(os, call)))
        sync = os.fsync

        def synced(file: int) -> None:
            told = os.fstat(file)
            self.asked.append(f"sync {self._folders.get((told.st_dev, told.st_ino), 'file')}")
            sync(file)

        monkeypatch.setattr(os, "fsync", synced)

    def _named(self, call: Any) -> Any:
        def name(old: Path, new: Path) -> None:
            call(old, new)
            folder = os.stat(new.parent)
            self._folders[folder.st_dev, folder.st_ino] = new.parent.name
            self.asked.append(f"name {new.name}")

        return name


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch, played: Path, tmp_path: Path) -> Disk:
    identity_in(played / "server.key")
    (tmp_path / "kept").mkdir()
    return Disk(monkeypatch)


def test_a_file_is_synced_then_named_and_then_its_folder_is_synced(disk: Disk, tmp_path: Path) -> None:
    write_whole(tmp_path / "kept" / "a", b"1")
    assert disk.asked == ["sync file", "name a", "sync kept"]


def test_a_new_key_has_its_name_for_good(disk: Disk, tmp_path: Path) -> None:
    identity_in(tmp_path / "kept" / "identity.key")
    assert disk.asked[-2:] == ["name identity.key", "sync kept"]


def test_a_backup_an_export_and_a_restore_have_their_names_for_good_before_they_say_so(
    disk: Disk, tmp_path: Path, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("click.echo", lambda *_, **__: disk.asked.append("said"))
    copy, new = tmp_path / "kept" / "copy", tmp_path / "new"
    for command, given, named in ((backup, (played, copy), "copy"), (export, (played, GAME, tmp_path / "kept" / "file"), "file")):
        disk.asked.clear()
        assert command.callback is not None
        command.callback(*given)
        assert [one for one in disk.asked if one != "sync file"] == [f"name {named}", "sync kept", "said"]
        assert disk.asked[0] == "sync file"
    disk.asked.clear()
    assert restore.callback is not None
    restore.callback(copy, new)
    assert disk.asked == ["sync file", "name server.key", "sync new", "sync file", f"name {STORE}", "sync new", "said"]


def test_where_folders_can_not_be_synced_files_are_written_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sync, opened = os.fsync, os.open

    def only_files(file: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{file}"):
            raise OSError(errno.EINVAL, "Invalid argument")
        sync(file)

    def no_folders(path: Path, *how: int) -> int:
        if path == tmp_path:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))  # as Windows does
        return opened(path, *how)

    monkeypatch.setattr(os, "fsync", only_files)
    write_whole(tmp_path / "a", b"1")
    monkeypatch.setattr(os, "open", no_folders)
    write_whole(tmp_path / "b", b"2")
    assert [(tmp_path / name).read_bytes() for name in "ab"] == [b"1", b"2"]


def test_a_disk_that_fails_as_a_folder_is_synced_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="Input/output error"):
        sync_folder(tmp_path)
