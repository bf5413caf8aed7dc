"""Bytes ↔ text, reading, and writing one file: what stays, what is refused."""

from __future__ import annotations

import codecs
import os
import socket
import stat
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.errors import Code, EditRefused, InputRefused
from fastedit.files import Delete, Write, commit, decode, encode, read_text_file, sha256_of

LIMIT = 1 << 20


def refusal_of(path: Path, max_bytes: int = LIMIT) -> Code:
    with pytest.raises(InputRefused) as caught:
        read_text_file(path, max_bytes=max_bytes)
    return caught.value.code


def write(path: Path, data: bytes, **options: bool) -> None:
    commit(path.parent, [Write(path, data, sha256_of(path.read_bytes()))], **options)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path.resolve()


@pytest.fixture
def script(folder: Path) -> Path:
    path = folder / "run.sh"
    path.write_bytes(b"echo old\n")
    return path


# Encodings


@pytest.mark.parametrize(
    ("data", "text", "name"),
    [
        (b"", "", "utf-8"),
        (b"a\r\nb\rc\x0cd\xe2\x80\xa8e", "a\r\nb\rc\x0cd\u2028e", "utf-8"),
        (codecs.BOM_UTF8 + "é\r\n".encode(), "é\r\n", "utf-8"),
        (codecs.BOM_UTF16_LE + "é\r\n".encode("utf-16-le"), "é\r\n", "utf-16-le"),
        (codecs.BOM_UTF16_BE + "é\n".encode("utf-16-be"), "é\n", "utf-16-be"),
        (codecs.BOM_UTF32_LE + "é\n".encode("utf-32-le"), "é\n", "utf-32-le"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n", "iso8859-1"),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\n'\xff'\n", None, "cp1251"),
        (b'<?xml version="1.0" encoding="ISO-8859-15"?>\n<a>\xa4</a>', None, "iso8859-15"),
        (b'@charset "shift_jis";\na { content: "\x83\x65\x83\x58\x83\x67" }', None, "shift_jis"),
        (b"# coding: latin-1\nonly_ascii = 1\n", None, "iso8859-1"),
        (b"# encoding: see below\nx = 1\n", None, "utf-8"),
        (b"# coding: rot13\nx = 1\n", None, "utf-8"),
        (b"# coding: utf-16-le\nx = 12\n", None, "utf-8"),
        (b"# coding: unicode_escape\nx = 1\n", None, "utf-8"),
        (b"x = 1\ny = 2\n# coding: latin-1\n", None, "utf-8"),
        ("# Größe der Schrift, für später\n".encode("latin-1"), None, "cp1252"),
        ("// It’s a café – “really”\n".encode("cp1252"), None, "cp1252"),
        ("# Привет, это комментарий на русском языке\n".encode("cp1251"), None, "cp1251"),
        ("# これは日本語のコメントです。ファイルを読む\n".encode("cp932"), None, "cp932"),
        ("# 这是一个中文注释，用来测试编码\n".encode("gb18030"), None, "gb18030"),
    ],
)
def test_encodings_are_told_and_come_back_byte_for_byte(data: bytes, text: str | None, name: str) -> None:
    decoded, encoding = decode(data)
    assert codecs.lookup(encoding.name).name == codecs.lookup(name).name
    assert encode(decoded, encoding) == data
    assert text is None or decoded == text


@pytest.mark.parametrize(
    "data",
    [
        b"\x00",
        b"ELF\x00\x01text",
        bytes(range(1, 256)),
        b"def f():\n    return '\xff\xfe\x80'\n",
        b"x = '\x81'\n",
        b"x = '\x80'\n",
        b"caf\xff\n",
        b"hello\x80\x81\xfe\n",
        b"good = 'caf\xc3\xa9'\nbad = '\xe9t\xe9'\ngood = 'caf\xc3\xa9 \xc3\xa0 cr\xc3\xa8me'\n",
        "日本語のコメント".encode()[:-1],
        b"# -*- coding: utf-8 -*-\nname = 'Jos\xe9'\n",
        codecs.BOM_UTF8 + b"\xff\xff",
        codecs.BOM_UTF16_LE + b"odd",
        codecs.BOM_UTF16_LE + "a\0b".encode("utf-16-le"),
        b"\xff\xd8\xff\xe0\x10JFIF\x01\x01\x01HH\xff\xdbC",
    ],
)
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(InputRefused) as caught:
        decode(data)
    assert caught.value.code == Code.NOT_TEXT


@given(st.binary(max_size=200))
def test_any_bytes_come_back_or_are_refused(data: bytes) -> None:
    try:
        text, encoding = decode(data)
    except InputRefused as error:
        assert error.code == Code.NOT_TEXT
    else:
        assert encode(text, encoding) == data


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_utf8_text_is_read_as_such(text: str) -> None:
    data = text.encode("utf-8")
    if not data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)):
        assert encode(*decode(data)) == data


def test_a_character_that_the_encoding_lacks_is_refused_with_its_line() -> None:
    _, encoding = decode(b"# coding: latin-1\n")
    with pytest.raises(InputRefused, match=r"line 2 .* U\+20AC") as caught:
        encode("# coding: latin-1\n€\n", encoding)
    assert caught.value.code == Code.NOT_TEXT


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(InputRefused):
        encode("\ud800", decode(b"x")[1])


# Reading


def test_reading_tells_the_hash_of_the_bytes(script: Path) -> None:
    file = read_text_file(script, max_bytes=LIMIT)
    assert (file.text, file.sha256) == ("echo old\n", sha256_of(b"echo old\n"))


@pytest.fixture
def odd_files(folder: Path) -> Iterator[dict[str, Path]]:
    os.mkfifo(folder / "fifo")
    (folder / "link").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
        yield {
            **{name: folder / name for name in ("fifo", "link", "loop", "socket", "missing", "a" * 300)},
            "folder": folder,
            "device": Path("/dev/zero"),
            "below a file": Path("/dev/null/x"),
        }


@pytest.mark.parametrize(
    "kind", ["fifo", "link", "loop", "socket", "missing", "a" * 300, "folder", "device", "below a file"]
)
def test_only_regular_files_are_read(odd_files: dict[str, Path], kind: str) -> None:
    assert refusal_of(odd_files[kind]) == Code.INVALID_PATH


def test_a_file_over_the_limit_is_refused_with_both_numbers(folder: Path) -> None:
    big = folder / "big.txt"
    with big.open("wb") as handle:
        handle.truncate(50_000_000)
    with pytest.raises(InputRefused, match=r"50,000,000 bytes.*1,048,576") as caught:
        read_text_file(big, max_bytes=LIMIT)
    assert caught.value.code == Code.TOO_LARGE


def test_a_file_that_grows_while_it_is_read_stays_under_the_limit() -> None:
    # /proc files say that they have no bytes, and have some.
    assert refusal_of(Path("/proc/self/status"), max_bytes=10) == Code.TOO_LARGE


def as_nobody(action: str, path: Path) -> int:
    """Exit status of a child without privileges that tries to read or write `path`: 3 refused, 0 done."""
    path.parent.chmod(path.parent.stat().st_mode | 0o055)
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        if action == "read":
            read_text_file(path, max_bytes=LIMIT)
        else:
            write(path, b"new")
        os._exit(0)
    except EditRefused as error:
        os._exit(3 if error.code == Code.INVALID_PATH else 9)
    except BaseException:  # noqa: BLE001 a forked child must not return into pytest
        os._exit(99)


@pytest.fixture
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that an unprivileged child can reach."""
    base = tmp_path_factory.getbasetemp()
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (base, *base.parents)}
    modes = {path: mode for path, mode in modes.items() if mode & 0o011 != 0o011}
    for path, mode in modes.items():
        path.chmod(mode | 0o011)
    folder = tmp_path_factory.mktemp("shared").resolve()
    yield folder
    for path, mode in modes.items():
        path.chmod(mode)


def test_an_unreadable_file_is_refused(shared_folder: Path) -> None:
    secret = shared_folder / "secret.txt"
    secret.write_text("x")
    secret.chmod(0)
    assert as_nobody("read", secret) == 3


def test_a_folder_that_cannot_be_written_to_is_refused_and_left_alone(shared_folder: Path) -> None:
    path = shared_folder / "a.txt"
    path.write_text("old")
    path.chmod(0o666)
    shared_folder.chmod(0o555)
    assert as_nobody("write", path) == 3
    assert path.read_text() == "old"
    assert os.listdir(shared_folder) == ["a.txt"]


# Writing


def test_a_write_leaves_only_the_new_text(script: Path) -> None:
    write(script, b"echo new\n")
    assert script.read_bytes() == b"echo new\n"
    assert os.listdir(script.parent) == ["run.sh"]


@pytest.mark.parametrize("mode", [0o755, 0o444, 0o600, 0o4755, 0o2755])
def test_the_mode_stays(script: Path, mode: int) -> None:
    script.chmod(mode)
    write(script, b"new")
    assert stat.S_IMODE(script.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_stays_where_that_is_allowed(script: Path) -> None:
    os.chown(script, 12345, 54321)
    script.chmod(0o4755)
    write(script, b"new")
    status = script.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (12345, 54321, 0o4755)


def test_user_attributes_stay(script: Path) -> None:
    try:
        os.setxattr(script, "user.note", b"kept")
    except OSError:
        pytest.skip("this file system has no user attributes")
    write(script, b"new")
    assert os.getxattr(script, "user.note") == b"kept"


def test_access_lists_stay(script: Path) -> None:
    # Version 2, then (tag, permissions, id) for owner, user 1234, group, mask and others.
    entries = [(0x01, 6, -1), (0x02, 7, 1234), (0x04, 4, -1), (0x10, 7, -1), (0x20, 4, -1)]
    access_list = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
    try:
        os.setxattr(script, "system.posix_acl_access", access_list)
    except OSError:
        pytest.skip("this file system has no access lists")
    write(script, b"new")
    assert os.getxattr(script, "system.posix_acl_access") == access_list


def test_a_new_file_gets_the_mode_that_the_umask_leaves(folder: Path) -> None:
    before = os.umask(0o027)
    try:
        commit(folder, [Write(folder / "sub" / "deep" / "new.txt", b"x")])
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "sub/deep/new.txt").stat().st_mode) == 0o640
    assert (folder / "sub/deep/new.txt").stat().st_nlink == 1


def test_the_old_file_is_not_written_into(script: Path) -> None:
    with script.open("rb") as reader:
        write(script, b"echo new\n")
        assert reader.read() == b"echo old\n"


def test_a_file_with_several_names_is_refused_without_the_flag(script: Path) -> None:
    other = script.parent / "other.sh"
    os.link(script, other)
    with pytest.raises(InputRefused, match="2 names") as caught:
        write(script, b"new")
    assert caught.value.code == Code.INVALID_PATH
    assert script.read_bytes() == other.read_bytes() == b"echo old\n"
    write(script, b"new", break_hard_links=True)
    assert (script.read_bytes(), other.read_bytes()) == (b"new", b"echo old\n")


@pytest.mark.parametrize("change", ["content", "vanish", "link", "folder"])
def test_a_file_that_changed_since_it_was_read_is_left_alone(script: Path, change: str) -> None:
    expected = sha256_of(b"echo old\n")
    script.unlink()
    if change == "content":
        script.write_bytes(b"echo mine\n")
    elif change == "link":
        (script.parent / "mine").write_bytes(b"echo old\n")
        script.symlink_to("mine")
    elif change == "folder":
        script.mkdir()
    before = sorted(os.listdir(script.parent))
    with pytest.raises(InputRefused) as caught:
        commit(script.parent, [Write(script, b"new", expected)])
    assert caught.value.code == Code.CONTENT_CONFLICT
    assert sorted(os.listdir(script.parent)) == before
    assert change != "content" or script.read_bytes() == b"echo mine\n"


def test_a_new_file_never_replaces_one(script: Path) -> None:
    with pytest.raises(InputRefused) as caught:
        commit(script.parent, [Write(script, b"new")])
    assert caught.value.code == Code.FILE_EXISTS
    assert script.read_bytes() == b"echo old\n"


def test_a_move_keeps_the_mode(script: Path) -> None:
    script.chmod(0o755)
    old = sha256_of(script.read_bytes())
    target = script.parent / "bin" / "run"
    commit(script.parent, [Write(target, b"echo new\n", like=script), Delete(script, old)])
    assert not script.exists()
    assert target.read_bytes() == b"echo new\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o755


def test_a_dry_run_finds_the_same_and_writes_nothing(script: Path) -> None:
    commit(script.parent, [Write(script, b"new", sha256_of(b"echo old\n"))], dry_run=True)
    assert script.read_bytes() == b"echo old\n"
    with pytest.raises(InputRefused):
        commit(script.parent, [Write(script, b"new", sha256_of(b"other"))], dry_run=True)
