"""What an agent's key may not read changes no answer to it: not a suggestion, not a rank, not a count."""

import json
import re

import pytest

from governance.acting import gate
from governance.identity import identities
from memory.db import count_terms
from tests.world import Api

VISIBLE = [
    "We reserved a table in a restaurant",
    "The horse sleeps in the stable",
    "The house by the lake is old",
    "A lake is a lake, and the heron knows it",
    "The heron waits by the house",
]
#: Words that are near the visible ones, that repeat them, and that are new.
HIDDEN = [
    "The restaraunt has a new cook",
    "horze horze",
    "heron heron lake",
    "the lake",
    "quasar",
    "house of cards",
] * 4
QUERIES = [
    "restaraunt", "horze", "heron", "lake house", "quasar", "qusar", "the old heron by the lake", '"the lake"', "hous*",
    "where does the heron wait", "hero", "carrds",
]  # fmt: skip
#: Ids, times and salted hashes differ in any two tenants.
_CHANGING = re.compile(r'[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[0-9:.]+Z|[0-9a-f]{64}|"next": "[^"]*"')


def hidden_in_private(world, text):
    world.chunk(text, channel="private")


def hidden_as_sensitive(world, text):
    world.chunk(text, channel="public", sensitivity="high")


def hidden_as_secret(world, text):
    world.chunk(text, channel="public", sensitivity="secret")


def hidden_by_quarantine(world, text):
    world.edit(world.chunk(text, channel="public"), "quarantine")


def hidden_by_retract(world, text):
    world.edit(world.chunk(f"{text} indeed", channel="public"), "retract")


def hidden_by_block(world, text):
    world.edit(world.chunk(text, channel="public"), "block", channel="public")


@pytest.fixture
def answers(new_world):
    """`answers(hide)` are an agent's answers, in a tenant where `hide` was called with each hidden text."""

    def ask(hide=None, hide_later=False):
        world = new_world()
        made = identities.provision(world.slug, agents=[("charlie", ["public"])])
        charlie = Api(made.agents["charlie"]["key"])
        for text in VISIBLE:
            world.chunk(text, channel="public")
        if hide and not hide_later:
            for text in HIDDEN:
                hide(world, text)
        with gate.job(world.tenant_id, "words"):
            count_terms(tenant=world.tenant_id)
        if hide and hide_later:
            for text in HIDDEN:
                hide(world, text)
        found = {}
        for query in QUERIES:
            for mode in ("keyword", "hybrid"):
                body = {"query": query, "mode": mode, "explain": True, "channel": "public"}
                found[f"search {mode} {query}"] = charlie.ok("post", "chunks/search", body)
            found[f"bundle {query}"] = charlie.ok(
                "post", "acb/build", {"session_id": "s", "channel": "public", "query": query}
            )
        return {name: _CHANGING.sub("", json.dumps(answer)) for name, answer in found.items()}

    return ask


HIDES = (
    hidden_in_private,
    hidden_as_sensitive,
    hidden_as_secret,
    hidden_by_quarantine,
    hidden_by_retract,
    hidden_by_block,
)


@pytest.mark.parametrize("hide_later", [False, True])
def test_hidden_memory_changes_no_answer(answers, hide_later):
    expected = answers()

    changed = {}
    for hide in HIDES:
        found = answers(hide, hide_later)
        changed[hide.__name__] = [name for name in expected if found[name] != expected[name]]

    assert changed == {hide.__name__: [] for hide in HIDES}


def test_a_reader_of_that_channel_is_helped_by_its_words(world):
    world.chunk("We reserved a table in a restaurant", channel="private")
    with gate.job(world.tenant_id, "words"):
        count_terms(tenant=world.tenant_id)

    assert world.found("restaraunt", mode="keyword") == ["We reserved a table in a restaurant"]
