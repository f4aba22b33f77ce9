"""Text on terminals and in files."""

from __future__ import annotations

import io

from penstock.cli.console import Printer


class Terminal(io.StringIO):
    def isatty(self):
        return True


def printed(stream):
    printer = Printer(stream)
    printer.print("plain ", ("bold", "bold red"), "  ")
    printer.table(("name", "count"), [("a" * 200, "7"), (("b", "green"), "1,000")], words=1)
    return stream.getvalue()


def test_files_get_plain_lines_of_any_length(monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    lines = printed(io.StringIO()).splitlines()
    assert lines[0] == "plain bold"
    assert lines[2] == f"{'a' * 200}      7"
    assert all(line == line.rstrip() for line in lines)


def test_terminals_get_colors_unless_the_user_objects(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1;31mbold\x1b[0m" in printed(Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" not in printed(Terminal())


def test_brackets_are_no_markup():
    stream = io.StringIO()
    Printer(stream).print("[red]data[0]")
    assert stream.getvalue() == "[red]data[0]\n"
