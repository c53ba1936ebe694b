"""Whatever somebody with every right in the database changes, a command names it. The table says which command names
what, and which ones do not look for it."""

from collections.abc import Iterator

import pytest

from tests.tamperings import authority, chains, checker, erasures, history, receipts, records, state
from tests.tamperings.commands import Answer, Command
from tests.tamperings.tampering import Class, Copy, Tampering

pytestmark = pytest.mark.slow

committing = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

TAMPERINGS = [
    tampering
    for module in (records, chains, state, receipts, authority, erasures, checker, history)
    for tampering in module.TAMPERINGS
]


@pytest.mark.pure
def test_every_tampering_has_a_name_of_its_own_and_a_command_that_finds_it():
    assert len({str(tampering) for tampering in TAMPERINGS}) == len(TAMPERINGS)
    assert {tampering.cls for tampering in TAMPERINGS} == set(Class)
    assert [str(tampering) for tampering in TAMPERINGS if not tampering.found] == []


@committing
def test_nothing_is_found_where_nobody_tampered(copy):
    assert {command: answer.code for command, answer in copy.answers().items()} == dict.fromkeys(Command, 0)


@committing
@pytest.mark.parametrize("tampering", TAMPERINGS, ids=str)
def test_each_command_names_what_it_looks_for(copy: Copy, tampering: Tampering):
    tampering.does(copy)
    answers = copy.answers()
    assert {command: answer.code for command, answer in answers.items()} == {
        command: tampering.code_of(command) for command in Command
    }, answers
    for command, answer in answers.items():
        assert list(missing(tampering, command, answer, copy)) == [], (command, answer.lines)


def missing(tampering: Tampering, command: Command, answer: Answer, copy: Copy) -> Iterator[tuple[str, ...]]:
    """What the command should have named and did not: for each finding, the parts of its line."""
    for finding in (*tampering.found.get(command, ()), *filter(None, [tampering.refused.get(command)])):
        parts = tuple(part.format(**copy.facts) for part in ([finding] if isinstance(finding, str) else finding))
        if not any(all(part in line for part in parts) for line in answer.lines):
            yield parts
