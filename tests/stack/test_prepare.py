"""A start migrates and checks the ledgers in one process. Problems of a ledger do not prevent it."""

import sys

import pytest
from django.core.management.base import CommandError

from memory_project import preparing

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("failing", "failure", "code", "told_on"),
    [
        (None, None, 0, None),
        ("migrate", CommandError("no table"), 1, "out"),
        ("check_ledger", CommandError("cannot be compared"), preparing.FOUND, "err"),
        ("check_ledger", SystemExit(1), preparing.FOUND, None),
        ("check_ledger", ValueError("a fault of the check"), preparing.FOUND, "err"),
    ],
)
def test_the_exit_code_tells_a_failure_from_problems_of_a_ledger(monkeypatch, capsys, failing, failure, code, told_on):
    called = []

    def call(name, **options):
        called.append(name)
        if name == failing:
            raise failure

    monkeypatch.setattr(preparing, "call_command", call)
    assert preparing.main() == code
    assert called == (["migrate"] if failing == "migrate" else ["migrate", "check_ledger"])
    if told_on:
        assert str(failure) in getattr(capsys.readouterr(), told_on)


def test_what_the_check_finds_is_on_the_standard_error(monkeypatch, capsys):
    def call(name, **options):
        assert (options.get("stdout") is sys.stderr) == (name == "check_ledger")

    monkeypatch.setattr(preparing, "call_command", call)
    assert preparing.main() == 0
