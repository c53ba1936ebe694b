"""Whatever somebody with every right in the database changes, a command names it. The table says which command names
what, and which ones do not look for it."""

from collections.abc import Sequence

import pytest

from tests.tamperings import authority, chains, checker, erasures, history, receipts, records, state
from tests.tamperings.commands import Command
from tests.tamperings.tampering import Class, Copy, Tampering

committing = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

TAMPERINGS = [
    tampering
    for module in (records, chains, state, receipts, authority, erasures, checker, history)
    for tampering in module.TAMPERINGS
]
#: As many are tried in one copy at most, so that one that fails is easily found.
MOST = 15


def grouped(tamperings: Sequence[Tampering]) -> list[list[Tampering]]:
    """The tamperings, each in the first group with all of which it goes."""
    groups: list[list[Tampering]] = []
    for one in tamperings:
        fits = (group for group in groups if len(group) < MOST and all(one.goes_with(other) for other in group))
        group = next(fits, None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    return groups


GROUPS = grouped(TAMPERINGS)


@pytest.mark.pure
def test_every_tampering_has_a_name_of_its_own_and_a_command_that_finds_it():
    assert len({str(tampering) for tampering in TAMPERINGS}) == len(TAMPERINGS)
    assert {tampering.cls for tampering in TAMPERINGS} == set(Class)
    assert [str(tampering) for tampering in TAMPERINGS if not tampering.found] == []


@pytest.mark.pure
def test_every_tampering_is_in_one_group():
    assert sorted(str(one) for group in GROUPS for one in group) == sorted(map(str, TAMPERINGS))


@committing
def test_nothing_is_found_where_nobody_tampered(copy):
    assert {command: answer.code for command, answer in copy.answers().items()} == dict.fromkeys(Command, 0)


@committing
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: f"{group[0]} and {len(group) - 1} more")
def test_the_commands_name_each_of_several_tamperings(copy: Copy, group: list[Tampering]):
    require_named(copy, group)


@committing
@pytest.mark.slow
@pytest.mark.parametrize("tampering", TAMPERINGS, ids=str)
def test_each_command_names_what_it_looks_for(copy: Copy, tampering: Tampering):
    require_named(copy, [tampering])


def require_named(copy: Copy, group: Sequence[Tampering]) -> None:
    """Do it all in the copy. Each command exits as it does for any one of them, and prints for each finding of each of
    them a line that is no finding of another."""
    copies = [copy.planting(number) for number, _ in enumerate(group)]
    for tampering, own in zip(group, copies, strict=True):
        tampering.does(own)
    answers = copy.answers()
    codes = {command: group[0].code_of(command) for command in Command}
    assert {command: answer.code for command, answer in answers.items()} == codes, answers
    for command, answer in answers.items():
        named = [
            [{line for line in answer.lines if all(part in line for part in parts)} for parts in findings]
            for findings in (parts_of(one, command, own) for one, own in zip(group, copies, strict=True))
        ]
        for number, tampering in enumerate(group):
            others = set[str]().union(*(lines for of in (*named[:number], *named[number + 1 :]) for lines in of))
            missing = [
                parts
                for parts, lines in zip(parts_of(tampering, command, copies[number]), named[number], strict=True)
                if not lines - others
            ]
            assert missing == [], (command, str(tampering), answer.lines)


def parts_of(tampering: Tampering, command: Command, copy: Copy) -> list[tuple[str, ...]]:
    """The findings of one command, each the parts of its line."""
    findings = (*tampering.found.get(command, ()), *filter(None, [tampering.refused.get(command)]))
    return [
        tuple(part.format(**copy.facts) for part in ([finding] if isinstance(finding, str) else finding))
        for finding in findings
    ]
