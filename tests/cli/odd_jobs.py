"""Jobs that go wrong, for the child processes of tests."""

from __future__ import annotations

import os
import signal
import sys
import threading

from penstock.cli.probes.finding import Finding


def fine(context):
    print("what libraries print is no answer")
    return Finding("fine", "ok", f"path {context.path}")


def hangs(_):
    threading.Event().wait()


def crashes(_):
    print("about to fail", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)


def raises(_):
    raise ValueError("no such thing\nsecond line")


def ends(_):
    os._exit(3)


def also_fine(_):
    return Finding("also fine", "limited", values={"pid": os.getpid()})


JOBS = {
    "fine": fine,
    "hangs": hangs,
    "crashes": crashes,
    "raises": raises,
    "ends": ends,
    "also fine": also_fine,
}
