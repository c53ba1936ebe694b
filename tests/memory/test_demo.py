"""`manage.py demo` and the example, against a server that runs."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from governance.identity import identities
from governance.models import ApiKey, Edit
from memory.management.commands import demo

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tenant(world):
    """The world's tenant, with the demo's agents."""
    identities.provision(world.slug, agents=[(name, []) for name in demo.AGENTS.values()])
    return world


@pytest.fixture
def server(live_server, monkeypatch):
    monkeypatch.setenv("HOST", live_server.thread.host)
    monkeypatch.setenv("PORT", str(live_server.thread.port))
    return live_server


def run(world) -> list[str]:
    output = io.StringIO()
    call_command("demo", tenant=world.slug, stdout=output, no_color=True)
    return output.getvalue().splitlines()


@pytest.mark.django_db(transaction=True)
def test_it_corrects_and_shows_what_readers_find(tenant, server):
    lines = run(tenant)

    assert len(lines) < 60
    assert "helpdesk.jsonl: 232 events recorded by support-agent, 0 were already recorded" in lines
    text = "\n".join(lines)
    for gone in ("Jon Doe", "123-45-6789", "disable signature checks", "61 a seat"):
        before, after = [line for line in lines if f'"{gone}" is found' in line]
        assert f'"{gone}" is found 0 times' not in before
        assert f'"{gone}" is found 0 times' in after
    assert text.count("pending, needs 1 more approval") == 2
    assert text.count("approved and applied") == 4
    assert tenant.found("Jon Doe", phrases=["Jon Doe"]) == []


@pytest.mark.django_db(transaction=True)
def test_run_again_it_proposes_nothing_and_says_so(tenant, server):
    run(tenant)
    lines = run(tenant)

    assert "helpdesk.jsonl: 0 events recorded by support-agent, 232 were already recorded" in lines
    assert sum("already corrected" in line for line in lines) == len(demo.SHOWN)
    assert not any("proposes" in line for line in lines)
    with tenant.inside():
        assert Edit.objects.filter(tenant_id=tenant.tenant_id).count() == len(demo.SHOWN) + 8


@pytest.mark.django_db(transaction=True)
def test_it_leaves_eight_edits_for_the_reader(tenant, server):
    last = " ".join(run(tenant)[-2:])
    assert f"8 edits wait for your decision. Log in as {tenant.bob_name} at {server.url}/admin/" in last
    pending = tenant.bob.ok("get", "edits?status=pending")["results"]
    assert len(pending) == 8
    assert {edit["op"] for edit in pending} == {"retract", "quarantine", "block"}
    assert {edit["proposed_by"] for edit in pending} == {"agent"}
    tenant.bob.ok("post", f"edits/{pending[0]['edit_id']}/approve", {})
    tenant.bob.ok("post", f"edits/{pending[1]['edit_id']}/reject", {"reason": "it is true"})
    assert "6 edits wait for your decision" in " ".join(run(tenant)[-2:]), "what was decided is not proposed again"


@pytest.mark.django_db(transaction=True)
def test_it_finds_the_running_stack_on_any_port(tenant, live_server, settings, monkeypatch):
    for name in ("HOST", "PORT"):
        monkeypatch.delenv(name, raising=False)
    settings.SUTURE_URL = live_server.url
    assert f"Suture at {live_server.thread.host}:{live_server.thread.port}" in run(tenant)[0]


@pytest.mark.django_db(transaction=True)
def test_its_keys_end_with_it(tenant, server):
    run(tenant)

    with tenant.inside():
        made = ApiKey.objects.filter(tenant_id=tenant.tenant_id, expires_at__isnull=False)
        assert made.count() == 3
        assert all(key.revoked_at for key in made)


@pytest.mark.django_db(transaction=True)
def test_a_pending_correction_of_an_earlier_run_is_approved(tenant, server, monkeypatch):
    monkeypatch.setattr(demo, "SHOWN", ("webhook-design-12",))
    # The agent proposed, and the run ended there.
    monkeypatch.setattr(demo, "_status", lambda outcome: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        run(tenant)
    monkeypatch.undo()
    monkeypatch.setattr(demo, "SHOWN", ("webhook-design-12",))
    monkeypatch.setenv("HOST", server.thread.host)
    monkeypatch.setenv("PORT", str(server.thread.port))

    text = "\n".join(run(tenant))

    assert "proposes" not in text
    assert "approves: approved and applied" in text


@pytest.mark.django_db(transaction=True)
def test_the_example_works(world, live_server):
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "correct_a_memory.py"],
        env={
            **os.environ,
            "SUTURE_URL": live_server.url,
            "AGENT_KEY": world.keys["alice"],
            "REVIEWER_KEY": world.keys["bob"],
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-2:] == ["Approved:", "  Ms Lovelace renews her contract on 30 November. (edits: 1)"]
    assert "quarantine: pending" in lines


@pytest.mark.pure
def test_without_a_server_it_says_how_to_start_one(monkeypatch, settings):
    settings.SUTURE_URL = ""
    monkeypatch.setenv("HOST", "127.0.0.1")
    monkeypatch.setenv("PORT", "1")

    with pytest.raises(CommandError, match=r"^No server answers at 127\.0\.0\.1:1\. Start it with `make up`\.$"):
        call_command("demo")


@pytest.mark.django_db(transaction=True)
def test_a_tenant_without_the_agents_is_one_clear_line(world, server):
    with pytest.raises(CommandError, match="no active agent 'support-agent'"):
        run(world)
