"""The issuer of a key says for which principals it may or must speak; a rotated key keeps it."""

import io

import pytest
from django.core.management import CommandError, call_command

from governance.acting import gate
from governance.identity import db, identities
from governance.models import Agent, ApiKey
from governance.refusals import Invalid
from tests.relations.conftest import ADA

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def key_of(related, **fields):
    with related.world.inside():
        return ApiKey.objects.filter(tenant_id=related.world.tenant_id, **fields).latest("created_at")


def test_the_entry_says_it_and_a_key_that_speaks_for_nobody_says_nothing(related):
    related.issue("patient:*", ADA, ADA, must_speak_for=True)
    related.issue()
    *_, named, silent = related.entries("key.issued")
    assert (named["speaks_for"], named["must_speak_for"]) == (["patient:*", ADA], True)
    assert not {"speaks_for", "must_speak_for"} & silent.keys()


@pytest.mark.parametrize("wrong", ["", "**", "patient", "patient:", "Patient:*", "patient:*:x#", "*:ada", "a:b|c"])
def test_a_malformed_principal_is_refused(related, wrong):
    with pytest.raises(Invalid, match=r"A key speaks for \*"):
        related.issue("user:*", wrong)


def test_a_key_that_must_speak_needs_a_principal_to_speak_for(related):
    with pytest.raises(Invalid, match="at least one"):
        related.issue(must_speak_for=True)


def test_a_rotated_key_speaks_for_the_same(related):
    related.issue("patient:*", must_speak_for=True)
    with related.world.inside():
        old = key_of(related)
        identities.rotate_key(old.prefix, actor=related.carol_principal)
    new = key_of(related)
    assert new.prefix != old.prefix
    assert (new.speaks_for, new.must_speak_for) == (["patient:*"], True)
    issued = related.entries("key.issued")[-1]
    assert (issued["speaks_for"], issued["must_speak_for"]) == (["patient:*"], True)


def test_the_command_issues_lists_and_rotates_keys_that_speak(related):
    def keys(*arguments):
        out = io.StringIO()
        call_command("keys", *arguments, "--tenant", related.world.slug, stdout=out)
        return out.getvalue().strip()

    key = keys("issue", "alice", "--speaks-for", "patient:*", "--speaks-for", "user:bo", "--must-speak-for")
    assert key.startswith("sut_")
    assert f"{key.split('_')[1]}  " in keys("list")
    assert "must speak for patient:* user:bo" in keys("list")
    rotated = keys("rotate", key.split("_")[1])
    assert key_of(related, prefix=rotated.split("_")[1]).speaks_for == ["patient:*", "user:bo"]
    with pytest.raises(CommandError, match="no agent 'nobody'"):
        keys("issue", "nobody")
    with pytest.raises(CommandError, match="speaks for"):
        keys("issue", "alice", "--speaks-for", "everybody")


def test_the_database_has_the_last_word(related):
    with related.world.inside():
        alice = Agent.objects.get(tenant_id=related.world.tenant_id, slug="alice")

    def issued(speaks_for, must):
        with gate.acting_as(related.carol_principal):
            return db.issue_key(
                tenant=related.world.tenant_id,
                agent=alice.id,
                user=None,
                prefix="forged",
                digest=b"x",
                expires_at=None,
                speaks_for=speaks_for,
                must_speak_for=must,
            ).refusal

    assert issued(["everybody"], False) == "malformed_speaks_for"
    assert issued([], True) == "must_speak_for_some"
